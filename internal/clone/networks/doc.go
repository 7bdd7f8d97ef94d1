// Package networks connects package clone with networks: those that are reached over the HTTP interface of the Internet
// Computer, and instances of a daemon, which are reached over its control API.
//
// It owns how calls about canisters are made there, which of their errors are answers, and an instance as the host of
// clones. It must not know what is read from a source, or in which order a canister is made of it.
package networks
