// Package output encodes the results of commands as JSON, and filters them by --jq.
//
// It owns the form of messages of the control API in JSON. It must not know which commands there are.
package output
