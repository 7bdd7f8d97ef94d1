// Package stabletypes reads the signatures of stable variables that the Motoko compiler stores in modules
// (metadata motoko:stable-types), and tells whether the state of one version fits the next.
//
// It owns the grammar of these signatures in the versions 1.0.0, 3.0.0 (with a migration function) and 4.0.0 (with a
// chain of migrations), and the relation "stable subtype". It must not know modules, canisters, or what its caller
// does about a difference.
package stabletypes
