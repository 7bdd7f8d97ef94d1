// Package override replaces parts of a network in tests.
//
// It owns the interface that runs canisters (Executor) and the set of parts that a test may replace (Parts). The
// methods Override of Config and ForkConfig take them: only packages below replica can name the type of their argument,
// so a daemon or a front end cannot set them. It must not know a network.
package override
