// Package relation compares Candid values as users write it: paidOut <= 100.
//
// It owns the relations and the operators of arithmetic, their meaning, and the division of a line into two sides and of a
// side at its operators. It must not know what is between operators, or where its value comes from.
package relation
