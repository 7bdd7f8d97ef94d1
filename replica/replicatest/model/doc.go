// Package model is a second, small Internet Computer: the abstract behavior of the interface specification ("Abstract
// behavior") for canisters that are puppets. It contains no Wasm, no queue discipline and no schedule.
//
// It owns canisters with status, balance and version, call contexts, calls and their responses, ingress messages, the
// streams between subnets, the effects of management calls, the memory of best-effort messages, and all prices. It
// chooses nothing: its driver says which message was delivered next (Take, Finish, Command, Expire, Shed…), and the
// model says whether that was allowed and what follows (Effect). So it accepts every legal schedule and rejects every
// illegal one.
//
// It must not know how the subnet works: it shares no code with the rest of this module, parses the programs of the
// puppets itself and counts cycles as plain integers. The driver that compares it with the subnet is in package
// replica.
package model
