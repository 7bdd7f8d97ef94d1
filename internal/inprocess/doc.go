// Package inprocess runs instances in the process of a Go program. All instances with the same folder for compiled
// modules share one engine, so a module is compiled once, and one registry, which exists while one of them runs.
//
// With CANISTERD_COVER, they write what code of canisters runs when the last network of a registry is closed.
//
// It owns the engines and registries of the process. It must not know what programs do with an instance; the front of
// an instance is given.
package inprocess
