// Command crossvet vets the packages of the current module for other systems.
//
//	crossvet GOOS/GOARCH…
//
// go vet compiles everything that they import, which takes minutes for a system that was not compiled for before.
// crossvet only reads and type-checks it.
package main
