// Package candid implements the interface description language of the Internet Computer: values, types, the binary
// form, subtyping and the textual form (Candid specification 0.1.8).
//
// It owns three forms of Candid data, and the conversion between each of them and bytes:
//
//   - values of any type, a [Value] with a [Type]: [Encode], [Decode],
//     [DecodeTypes];
//   - Go values of known types: [Marshal], [Unmarshal], with struct tags
//     `ic:"name"` and `ic:"name,variant"`; [MarshalAt] and [UnmarshalFit] take
//     any Go number that fits;
//   - text, for people: [ParseArgs], [ParseArgsAt], [FormatArgs].
//
// Every function that reads external bytes is limited: depth, type table and work have named limits (limits.go), and
// the work for a message grows with its length, never with the numbers in it.
//
// It must not know canisters, the management canister's methods or .did files; candid/did reads those.
//
// The process keeps one cache: the mapping of Go types to Candid types. It is a pure function of the Go type, so the
// cache has no visible effect.
package candid
