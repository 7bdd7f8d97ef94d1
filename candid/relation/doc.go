// Package relation compares values of Candid as users state it: paidOut <= 100.
//
// It owns the relations, their meaning, and where a line divides into two sides. It must not know what a side is, or where
// its value comes from.
package relation
