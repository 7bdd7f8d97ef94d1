// Package generated tells the methods that compilers add to a canister from those that its author wrote.
//
// Lists of methods and messages for people fold what these methods do: Motoko runs each asynchronous block as a call of
// the canister to itself. Data for programs has everything. The package must not know who shows what.
package generated
