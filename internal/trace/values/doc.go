// Package values writes the arguments and replies of call trees as text, with the types of the interfaces of canisters.
//
// It must not know where interfaces come from. Nothing in it has effects.
package values
