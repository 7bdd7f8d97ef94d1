// Package introspect shows the content of a network to people: call contexts, futures, messages, timers and held
// messages as lists in pages, reports of canisters, deadlock cycles, the cycles audit, and the differences between two
// networks.
//
// It owns the lists and their texts. It reads the states of the subnets and changes nothing. It must not know rounds,
// the clients, or how the lists are sent. It may be used only while the network is at rest, by the goroutine that owns
// it.
package introspect
