package main

// Limits of the binary for linux/amd64, in bytes: the size when it was last made smaller, rounded up a little. A
// dependency that exceeds one is weighed against what it does for users (docs/internals/size.md), and the limit is raised in
// the same commit or not at all. Clones, rehearsals, coverage of instances and the project that init writes in Go brought
// 0.8 MB, 0.4 compressed: 0.2 of that are the two modules of the project, which are compressed already. Sets of clones with
// stand-ins, drawn arguments, points of no return and known modules brought 0.5 MB, 0.15 compressed: all of it is our code.
// Modules that run in fragments before they are compiled brought 0.2 MB, 0.1 compressed. Commands that run components brought
// 1.0 MB, 0.4 compressed: all of it is our host of the Component Model and WASI, which shares the engine with canisters. The
// commands that move and fill the directory of compiled modules, and the one that suggests invariants, brought 0.1 MB.
// Components as canisters brought 0.5 MB, and their WASI, published modules in clones and the findings of corpora 0.2 MB, 0.3
// compressed in all: all of it is our code.
const (
	maxStripped   = 46_600_000
	maxCompressed = 18_400_000
)

// shownModules is the number of modules that the page lists.
const shownModules = 15
