// Package cow holds what forks share until one of them writes it (copy-on-write): a mark for values that are copied
// whole, and maps and lists that fork in much less time than it takes to copy them.
//
// It owns the sharing of parts. It must not know their contents, and forks only the values themselves: both sides share
// what these point to. A value is for one goroutine. docs/sharing.md has all ways
// in which forks share.
package cow
