// Package override replaces parts of a network in tests.
//
// It owns the interface of what runs canisters (Executor) and the set of parts that a test may replace (Parts). Config
// and ForkConfig take them by their method Override: only packages below replica can name the type of its argument, so
// a daemon or a front end cannot set them. It must not know a network.
package override
