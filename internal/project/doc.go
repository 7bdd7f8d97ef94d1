// Package project reads canisterd.yaml: the canisters of a folder, what they are installed with, and in which order.
//
// It owns the keys of the file with their documentation and JSON schema, the checks that come before anything is created,
// references to other canisters, and the forms of arguments. It must not know a daemon, a network or a connection: its
// users create and install.
package project
