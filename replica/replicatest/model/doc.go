// Package model is a second, tiny Internet Computer: the abstract behaviour of the interface specification ("Abstract
// behavior") for canisters that are puppets, in words of its own. It contains no Wasm, no queue discipline and no
// schedule.
//
// It owns canisters with status, balance and version, call contexts, calls and their responses, ingress messages, the
// streams between subnets, what management calls do, the memory of best-effort messages, and what everything costs. It
// chooses nothing: its driver says which message was delivered next (Take, Finish, Command, Expire, Shed…), and the
// model says whether that was allowed and what follows (Effect). So it accepts every legal schedule and rejects every
// illegal one.
//
// It must not know how the subnet works: it shares no code with the rest of
// this module, reads the programs of the puppets itself and counts cycles in plain
// numbers. The driver that compares it with the subnet is in package replica.
package model
