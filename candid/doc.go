// Package candid is the interface description language of the Internet
// Computer: values, types, the binary form, subtyping and the textual form
// (Candid specification 0.1.8).
//
// It owns three ways to hold Candid data and the road between each of them and
// bytes:
//
//   - values of any type, a [Value] with a [Type]: [Encode], [Decode],
//     [DecodeTypes];
//   - Go values of known types: [Marshal], [Unmarshal], with struct tags
//     `ic:"name"` and `ic:"name,variant"`; [MarshalAt] and [UnmarshalFit] take
//     any Go number that fits;
//   - text, for people: [ParseArgs], [ParseArgsAt], [FormatArgs].
//
// Everything that reads bytes from outside is bounded: depth, type table and
// work have named limits (limits.go), and the work a message may cause grows
// with its length, never with the numbers written in it.
//
// It must not know of canisters, of the management canister's methods or of
// .did files; those are read by candid/did.
//
// One memo is kept for the whole process: how a Go type maps to a Candid type. It is a pure function of the Go type, so
// the memo is invisible.
package candid
