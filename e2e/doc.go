// Package e2e drives the real binary from outside: it builds canisterd, starts
// it as a process and talks to it with agents that know nothing of this
// repository. It holds tests only; of the product it imports nothing but the
// assembler of test modules, and it knows its file layout.
package e2e
