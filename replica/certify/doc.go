// Package certify is what a subnet proves: the certified state tree, the
// subnet's and the nodes' keys, and certificates (interface specification,
// "Certification", "The system state tree", and the hash of structured data
// of "HTTPS Interface").
//
// It owns
//
//   - Tree, an immutable map of maps of values whose root hash is the
//     specification's, cheap to change in one place and cheap to keep,
//   - witnesses, the pruned form of a Tree that reveals chosen paths and
//     proves chosen absences, and HashTree, the form a client reads,
//   - SubnetKey (BLS12-381) and NodeKey (Ed25519), both from a seed,
//   - Certificate, Delegation and Height, a tree that is signed once, on the first request,
//   - the encodings of the values in the tree, and the representation-
//     independent hash behind request ids and query signatures.
//
// It must not know what a canister, a message or a subnet's state is: it is
// told paths and values. It must not know who may read which path, and it reads
// no clock: whether a certificate is recent is its reader's question.
//
// # Shape
//
// The shape of the tree, and with it the root hash, is a function of what the
// tree holds and of nothing else: not of the order of updates, not of what was
// there before. A map of at most bucketSize labels is the alphabetic tree of
// least height (entries with tall contents sit near the top, shape.go); a
// larger one is split at the first bit in which its labels differ. Every map on
// the way down adds its own logarithm, so that a certificate nests less than
// MaxNesting levels with 100,000 canisters and 600,000 request statuses, which
// is as deep as agents read.
//
// # Concurrency
//
// A Tree never changes, and any number of goroutines may read one. Hashes are
// computed when first needed and kept in the nodes, published by an atomic
// flag; two goroutines that need the same hash at once both compute it and one
// keeps it.
package certify
