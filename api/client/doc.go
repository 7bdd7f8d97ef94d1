// Package client is a client of the Internet Computer's HTTP interface: it calls canisters, queries them and reads
// certified state. It verifies everything: certificates against the root key, query responses against the keys of the
// subnet's nodes.
//
// It owns connections, retries and polling. It must not know the daemon behind the address: any replica with this
// interface works.
package client
