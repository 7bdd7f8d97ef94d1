// Package contain turns a panic of one instance into an error, so that the process and the other instances go on. A
// panic about a page file is damage of a state directory; any other panic is a bug.
//
// Every goroutine that runs code of canisters, decodes stored or foreign bytes, or reads pages begins with Run, Do, Into
// or Recovered. A test of internal/architecture finds those that do not.
package contain
