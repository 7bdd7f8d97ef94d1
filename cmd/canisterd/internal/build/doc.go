// Package build makes the modules of canisters, as canisterd.yaml says.
//
// It owns how the shell and compilers are found and called, what a recipe reads, and what to install where a compiler is
// missing. It must not know networks, or what becomes of a module.
package build
