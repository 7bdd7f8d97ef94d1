// Package request makes messages of the control API from what people write: arguments in Candid text, settings of
// canisterd.yaml, kinds of subnets, and operations such as bank withdraw 100 as alice.
//
// It owns the form of an operation. It must not know its callers, or how they look up names.
package request
