// Package observe describes canisters by their methods, and suggests invariants from the results that their queries without
// arguments had before and after some calls.
//
// It owns which queries are observed, and which invariants are suggested. It must not know its callers, or how they name
// canisters and make calls.
package observe
