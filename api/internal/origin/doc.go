// Package origin distinguishes requests of foreign web pages from local requests, by the headers that a browser sets.
//
// It owns which names and addresses are local or private, and the names of the inspector's path and cookies, which the
// gateway must keep from canisters. It must not know the purpose of a request.
package origin
