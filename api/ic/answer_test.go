package ic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/internal/refusal"
)

func TestAnErrorIsAnsweredWithTheStatusOfTheRefusalInIt(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		text   string
	}{
		{api.UnknownStatePath.Refuse(), 404, "Invalid path requested."},
		{fmt.Errorf("on the way: %w", refusal.New(refusal.Full, "full")), 429, "full"},
		{fmt.Errorf("on the way: %w", refusal.New(refusal.TooLarge, "large")), 413, "large"},
		{context.DeadlineExceeded, 504, "deadline"},
		{context.Canceled, 503, "given up"},
		{errors.New("odd"), 500, "odd"},
	} {
		if status, text := answerTo(c.err); status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%v: answered with %d %q, want %d and %q", c.err, status, text, c.status, c.text)
		}
	}
}

func TestEveryKindOfRefusalHasAStatus(t *testing.T) {
	for k := range refusal.Kinds {
		if s := statuses[k]; s < 400 || s > 503 {
			t.Errorf("%s: status %d", k, s)
		}
	}
}
