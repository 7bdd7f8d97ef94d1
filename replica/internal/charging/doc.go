// Package charging takes cycles from the canisters of a subnet: for executions in advance, for messages of users, and
// for memory and compute allocation as time passes.
//
// It owns the rule that a canister spends only what is above its freezing limit, and the exceptions to it. It writes the
// balances and the consumed cycles of canisters and nothing else. It must not know which message runs, how it is routed,
// or what happens to a canister that cannot pay.
package charging
