package relation

import (
	"math/big"
	"strings"
)

// Operators are the operators of arithmetic between numbers. An operator has spaces on both sides: names and ids may
// contain hyphens. * binds tighter than the others.
var Operators = []string{"+", "-", "*"}

// CutOperator divides a side at the operator that is applied last, outside of quotes, parentheses and brackets. The
// operator is "" if the side has none.
func CutOperator(side string) (left, operator, right string) {
	for _, operators := range []string{"+-", "*"} {
		last := 0
		for i := range outside(side) {
			spaced := i > 0 && i+1 < len(side) && side[i-1] == ' ' && side[i+1] == ' '
			if spaced && strings.IndexByte(operators, side[i]) >= 0 {
				last = i
			}
		}
		if last > 0 {
			return side[:last], side[last : last+1], side[last+1:]
		}
	}
	return side, "", ""
}

// Calculate returns the result of one of the Operators.
func Calculate(left *big.Rat, operator string, right *big.Rat) *big.Rat {
	switch operator {
	case "+":
		return new(big.Rat).Add(left, right)
	case "-":
		return new(big.Rat).Sub(left, right)
	default:
		return new(big.Rat).Mul(left, right)
	}
}

// maxDigits is how many digits FormatNumber writes after the decimal point.
const maxDigits = 6

// FormatNumber returns a number for people.
func FormatNumber(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return strings.TrimRight(n.FloatString(maxDigits), "0")
}
