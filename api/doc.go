// Package api is what the front ends share: the network as they see it
// (Backend, View) and the table of refusals with their HTTP statuses.
//
// It owns no behaviour: a Backend is implemented by the node of an instance, and
// the front ends under api/ turn a protocol into its methods. It must not know
// any protocol, who signs requests or who may read which path; those are the
// front ends' own.
package api
