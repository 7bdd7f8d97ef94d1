package main

import (
	"encoding/hex"
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
		if err := c.reply(outcome, controlv1.Form_FORM_TEXT); err != nil || out.String() != text+"\n" {
			t.Errorf("%s is printed as %s, %v", text, out.String(), err)
		}
	}
}

func TestAReplyThatCannotBeDecodedIsShownAsBytesWithTheReason(t *testing.T) {
	for _, c := range []struct {
		reply     string
		requested controlv1.Form
		want      string
	}{
		{"", controlv1.Form_FORM_TEXT, "note: the reply is shown as bytes in hex: "},
		{"no Candid", controlv1.Form_FORM_TEXT, "DIDL"},
		{"DIDL\x00\x01\x71\x05abc", controlv1.Form_FORM_JSON, "malformed Candid message at byte 8"},
		{"no Candid", controlv1.Form_FORM_BYTES, ""},
	} {
		var out, errOut strings.Builder
		cmd := &cli{out: &out, err: &errOut}
		outcome := &controlv1.Outcome{Answer: &controlv1.Outcome_Reply{Reply: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte(c.reply)}}}}
		if err := cmd.reply(outcome, c.requested); err != nil || out.String() != hex.EncodeToString([]byte(c.reply))+"\n" {
			t.Errorf("%q is printed as %s, %v", c.reply, out.String(), err)
		}
		if got := errOut.String(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q in form %s: the reason is %q, want %q", c.reply, c.requested, got, c.want)
		}
	}
}
