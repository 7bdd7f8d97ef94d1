// Package reference reads and writes names of principals in texts: ${vault} is the id of the canister vault, ${alice} the
// principal of the identity alice. A text with names means the same in each network that has them, whatever the ids
// there are.
//
// It owns the form of a reference. It must not know which names there are.
package reference
