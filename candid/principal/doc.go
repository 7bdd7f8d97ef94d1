// Package principal implements the identifiers of all actors on the Internet Computer: users, canisters, subnets,
// nodes, the management canister.
//
// It owns the bytes, the textual form and the classes of a principal (interface specification, "Principals"). It knows
// nothing of keys beyond hashing a DER public key, and nothing of permissions.
package principal
