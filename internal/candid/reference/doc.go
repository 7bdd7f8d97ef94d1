// Package reference reads and writes names of principals in texts: ${vault} is the id of the canister vault, ${alice} the
// principal of the identity alice. A text with names means the same in each network that has them, whatever the ids
// there are. It also suggests the name that a mistyped one was most likely meant to be.
//
// It owns the form of a reference, the distance between words and the texts of suggestions. It must not know which
// names there are.
package reference
