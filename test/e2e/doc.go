// Package e2e drives the real binary from outside: it builds canisterd, starts
// it as a process and talks to it with agents that know nothing of this
// repository. It holds tests only.
package e2e
