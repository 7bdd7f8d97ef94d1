package main

import (
	"strings"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// The text alone does not say whether a null is an empty option: read again, it would be printed as null : null.
func TestARepliedNullIsPrintedAsTheDaemonTypedIt(t *testing.T) {
	for _, text := range []string{`(null)`, `(variant { B = null })`, `(record { a = null; b = opt (5 : nat) })`} {
		var out strings.Builder
		c := &cli{out: &out}
		outcome := &controlv1.Outcome{Answer: &controlv1.Outcome_Reply{Reply: &controlv1.Value{Form: &controlv1.Value_Text{Text: text}}}}
		if err := c.reply(outcome); err != nil || out.String() != text+"\n" {
			t.Errorf("%s is printed as %s, %v", text, out.String(), err)
		}
	}
}
