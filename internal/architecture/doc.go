// Package architecture holds the tests that read the whole repository: the import map and the other rules of
// ARCHITECTURE.md and CONTRIBUTING.md, and the page docs/internals/interface.md with its proofs.
//
// It owns the one reader of the sources and of their types. All its code is in tests.
package architecture
