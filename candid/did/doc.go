// Package did reads and writes interface descriptions, .did files: type definitions and the service of a canister
// (Candid specification, "Type Structure").
//
// It owns the file's text, its names, and the signatures of its methods; types become candid types, including recursive
// ones. It owns the JSON form of values, which is read and written at those types (json.go). It reads no files: a
// function of the caller loads imports. It must not know canisters, nor how a message is sent.
package did
