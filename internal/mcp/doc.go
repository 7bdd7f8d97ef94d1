// Package mcp serves the Model Context Protocol: tools with which a coding assistant deploys canisters, calls them, finds
// what goes wrong in some order of messages, and reproduces it.
//
// There are ten tools. Each is made for an outcome, so that a task needs few calls: deploy answers with the interfaces and
// the values of queries, call with what changed, explore with the shortest runs. An answer has at most 2 KiB unless the
// assistant asks for more, and an error says the next step. Pages of the book, traces and schedules are resources.
//
// The tools do what the control API can, over a connection that they are given. They read files of one folder by the rules
// of canisterd deploy, write schedules below it, and start no programs. The package owns the tools, their texts and what
// it remembers of the instances that it deployed to (instances.go). It must not know what an RPC does, or whether it
// serves standard input or HTTP requests, and who may send these.
package mcp
