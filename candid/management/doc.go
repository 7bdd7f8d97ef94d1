// Package management has the Candid types of methods of the management canister, for their callers (interface
// specification, "The IC management canister").
//
// It owns the arguments of the methods that create, install and configure canisters. It must not know how a call is
// made, or what the methods do: their other side is replica/internal/management.
package management
