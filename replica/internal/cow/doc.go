// Package cow holds what a network and its forks have together until one of them writes
// it: maps and lists that fork in much less time than it takes to copy them.
//
// It owns who has which part. It must not know what lies in it, and forks no further than
// the values themselves: what they point to belongs to both. A value is for one goroutine.
package cow
