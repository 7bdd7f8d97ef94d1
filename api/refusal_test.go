package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

func TestEveryReasonHasAStatusAndAText(t *testing.T) {
	for r := UnknownPath; r <= NoCertifiedState; r++ {
		row := refusals[r]
		if row.status < 400 || row.status > 599 || row.text == "" {
			t.Errorf("reason %d: status %d, text %q", r, row.status, row.text)
		}
	}
	if len(refusals) != int(NoCertifiedState)+1 {
		t.Errorf("the table has %d rows for %d reasons", len(refusals), NoCertifiedState+1)
	}
}

func TestAnErrorIsAnsweredWithTheStatusOfTheRefusalInIt(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		text   string
	}{
		{UnknownStatePath.Refuse(), 404, "Invalid path requested."},
		{fmt.Errorf("on the way: %w", &Refusal{429, "full"}), 429, "full"},
		{fmt.Errorf("on the way: %w", &replica.Refusal{HTTP: 413, Text: "large"}), 413, "large"},
		{context.DeadlineExceeded, 504, "deadline"},
		{context.Canceled, 503, "given up"},
		{errors.New("odd"), 500, "odd"},
	} {
		if status, text := Answer(c.err); status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%v: answered with %d %q, want %d and %q", c.err, status, text, c.status, c.text)
		}
	}
}
