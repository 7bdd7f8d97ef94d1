// Package template has the projects that canisterd init writes: a bank and its vault, two canisters that call each other,
// with a test, an exploration and a file for continuous integration, in several languages.
//
// It owns the files, which are real projects here, and that nothing is overwritten. It must not know the command line.
package template
