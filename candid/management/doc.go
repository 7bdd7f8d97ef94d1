// Package management has the Candid types of methods of the management canister that their callers need (interface
// specification, "The IC management canister").
//
// It owns the arguments of the methods that create, install and configure canisters, and those for snapshots. It must not
// know how a call is made, or what the methods do: their other side, replica/internal/management, uses the same types.
package management
