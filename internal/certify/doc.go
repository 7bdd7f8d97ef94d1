// Package certify is what a subnet proves: the certified state tree, the keys of the subnet and its nodes, and
// certificates (interface specification, "Certification", "The system state tree").
//
// It owns
//
//   - Tree, an immutable map of maps of values whose root hash is the
//     specification's, cheap to change in one place and cheap to keep,
//   - witnesses, the pruned form of a Tree that reveals chosen paths and
//     proves chosen absences, and HashTree, the form a client reads,
//   - SubnetKey (BLS12-381) and NodeKey (Ed25519), both from a seed,
//   - Certificate, Delegation and Height, a tree that is signed once, on the first request,
//   - the encodings of the values in the tree, and the heads of CBOR items.
//
// It must not know what a canister, a message or a subnet's state is: it receives paths and values. It must not know
// who may read which path, and it reads no clock: its reader decides whether a certificate is recent.
//
// # Shape
//
// The shape of the tree, and with it the root hash, depends only on the content of the tree: not on the order of
// updates or on earlier content. A map of at most bucketSize labels is the alphabetic tree of least height (entries
// with tall contents are near the top, shape.go); a larger one is split at the first bit in which its labels differ.
// Every map on a path adds its own logarithm, so that a certificate nests less than MaxNesting levels, the limit of
// agents, with 100,000 canisters and 600,000 request statuses.
//
// # Concurrency
//
// A Tree never changes, and any number of goroutines may read one. Hashes are computed when first needed and kept in
// the nodes, published by an atomic flag; two goroutines that need the same hash concurrently both compute it and one
// keeps it.
package certify
