package canister

import "github.com/canisterd/canisterd/canister/internal/ic0"

// SystemFunction is a function of the System API as the specification declares it: its type, in which I stands for the
// type of a pointer, and the contexts in which it may be called, by the letters of the specification's "Overview of
// imports".
type SystemFunction = ic0.Declaration

// SystemAPI returns all functions that modules may import from ic0, family by family.
func SystemAPI() []SystemFunction { return ic0.Declarations() }
