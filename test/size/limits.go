package main

// Limits of the binary for linux/amd64, in bytes: the size when it was last made smaller, rounded up a little. A
// dependency that exceeds one is weighed against what it does for users (docs/internals/size.md), and the limit is raised in
// the same commit or not at all.
const (
	maxStripped   = 43_500_000
	maxCompressed = 17_000_000
)

// shownModules is the number of modules that the page lists.
const shownModules = 15
