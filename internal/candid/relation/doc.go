// Package relation compares Candid values as users write it: paidOut <= 100.
//
// It owns the relations, their meaning, and the division of a line into two sides. It must not know what a side is, or
// where its value comes from.
package relation
