// Package api holds what the front ends share: their view of the network (Backend, View) and the table of refusals with
// their HTTP statuses.
//
// It owns no behavior: the node of an instance implements Backend, and the front ends under api/ translate a protocol
// to its methods. It must not know any protocol, who signs requests or who may read which path; the front ends own
// these.
package api
