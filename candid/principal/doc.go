// Package principal is the name of everything that can act on the Internet
// Computer: a user, a canister, a subnet, a node, the management canister.
//
// It owns the bytes, the textual form and the classes of a principal (interface specification, "Principals"). It knows
// nothing of keys beyond hashing a DER public key, and nothing of permissions.
package principal
