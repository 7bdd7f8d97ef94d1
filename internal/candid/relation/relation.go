package relation

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
)

// All are the relations. All except == and != are only for numbers.
var All = []string{"==", "!=", "<=", ">=", "<", ">"}

// Holds reports whether a relation holds between two values. Numbers are compared by value, whatever their types.
func Holds(left candid.Value, relation string, right candid.Value) (bool, error) {
	if err := check(relation); err != nil {
		return false, err
	}
	a, b := Number(left), Number(right)
	if a == nil || b == nil {
		equal := candid.Equal(left, right) || candid.Format(left) == candid.Format(right)
		switch relation {
		case "==":
			return equal, nil
		case "!=":
			return !equal, nil
		}
		return false, fmt.Errorf("%s cannot be compared with %s by %s: both have to be numbers", candid.Format(left), candid.Format(right), relation)
	}
	return compare(a, relation, b), nil
}

// HoldsBetween reports whether a relation holds between two numbers.
func HoldsBetween(left *big.Rat, relation string, right *big.Rat) (bool, error) {
	if err := check(relation); err != nil {
		return false, err
	}
	return compare(left, relation, right), nil
}

// check returns an error if a relation is not one of All.
func check(relation string) error {
	if !slices.Contains(All, relation) {
		return fmt.Errorf("invalid relation %q: expected one of %s", relation, strings.Join(All, " "))
	}
	return nil
}

func compare(left *big.Rat, relation string, right *big.Rat) bool {
	switch order := left.Cmp(right); relation {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	default:
		return order > 0
	}
}

// Split divides a line at its first relation outside of quotes, parentheses and brackets.
func Split(line string) (left, relation, right string) {
	for i := range outside(line) {
		for _, relation := range All {
			if strings.HasPrefix(line[i:], relation) {
				return line[:i], relation, line[i+len(relation):]
			}
		}
	}
	return line, "", ""
}

// outside returns the positions of a line that are outside of quotes, parentheses and brackets.
func outside(line string) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth, quoted, escaped := 0, false, false
		for i := range len(line) {
			switch c := line[i]; {
			case escaped:
				escaped = false
			case quoted && c == '\\':
				escaped = true
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == '(' || c == '{' || c == '[':
				depth++
			case c == ')' || c == '}' || c == ']':
				depth--
			case depth == 0 && !yield(i):
				return
			}
		}
	}
}

// The words before an invariant that say when it must hold; without one, when no message is left.
const (
	EachMessage = "each message:"
	Eventually  = "eventually:"
)

// CutMoment divides a line into one of these words, "" if it begins with none, and the rest.
func CutMoment(line string) (moment, rest string) {
	line = strings.TrimSpace(line)
	for _, moment := range []string{EachMessage, Eventually} {
		if rest, found := strings.CutPrefix(line, moment); found {
			return moment, strings.TrimSpace(rest)
		}
	}
	return "", line
}
