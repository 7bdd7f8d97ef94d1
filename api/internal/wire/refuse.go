package wire

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/refusal"
)

// refuse makes a refusal with the replica's text, since clients look for its phrases.
func refuse(format string, args ...any) *refusal.Refusal {
	return refusal.New(refusal.Invalid, format, args...)
}

// phrase is an error that is part of a refusal's text in the replica's words, which start with a capital letter.
type phrase string

// Error returns the phrase.
func (p phrase) Error() string { return string(p) }

func phrased(format string, args ...any) error { return phrase(fmt.Sprintf(format, args...)) }
