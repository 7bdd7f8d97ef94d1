// Package argument draws arguments of methods from their Candid types, and makes arguments simpler.
//
// It owns the distribution of the values, which prefers those at which code changes its mind: small numbers, limits of
// types, numbers and texts of the present state and their neighbors, and values that were drawn before. It must not know
// what the arguments are for. All chance is that of a generator it is given.
package argument
