// Package architecture holds the tests that read the whole repository: the import map, the other rules of
// ARCHITECTURE.md, CONTRIBUTING.md and docs/internals, and the page docs/internals/interface.md with its proofs.
//
// It owns the one reader of the sources and of their types. All its code is in tests.
package architecture
