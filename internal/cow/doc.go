// Package cow holds data that forks share until one of them writes it (copy-on-write): a mark for values that are
// copied as a whole, and maps and lists that fork much faster than they could be copied.
//
// It owns the sharing of parts. It must not know their contents, and forks only the values themselves: both sides share
// what these point to. A value is for one goroutine. docs/internals/sharing.md describes all ways in which forks share.
package cow
