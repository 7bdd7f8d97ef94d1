// Package origin distinguishes requests of foreign web pages from local requests, by the headers that a browser sets.
//
// It owns which names and addresses are local or private. It must not know the purpose of a request.
package origin
