// Package origin tells requests of pages of strangers from requests of this machine, by the headers that a browser sets.
//
// It owns which names and addresses are local or private. It must not know what a request is for.
package origin
