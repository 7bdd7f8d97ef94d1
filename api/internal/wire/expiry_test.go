package wire

import (
	"math"
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
)

func TestAnIngressExpiryMustLieInTheWindow(t *testing.T) {
	const last = instant + MaxIngressTTL + PermittedDrift
	for name, c := range map[string]struct {
		expiry, now uint64
		text        string
	}{
		"now":           {instant, instant, ""},
		"in between":    {instant + minute, instant, ""},
		"latest":        {last, instant, ""},
		"a moment late": {instant - 1, instant, "Provided expiry:        2023-05-31 21:59:59.999999999 UTC"},
		"too far away": {
			last + 1_000_000, instant,
			"Invalid request expiry: Specified ingress_expiry not within expected range: " +
				"Minimum allowed expiry: 2023-05-31 22:00:00 UTC, Maximum allowed expiry: 2023-05-31 22:05:30 UTC, " +
				"Provided expiry:        2023-05-31 22:05:30.001 UTC",
		},
		"no expiry":       {0, instant, "Provided expiry:        1970-01-01 00:00:00 UTC"},
		"microseconds":    {1_000, instant, "Provided expiry:        1970-01-01 00:00:00.000001 UTC"},
		"the last moment": {math.MaxUint64, instant, "Provided expiry:        2554-07-21 23:34:33.709551615 UTC"},
		"the end of time": {
			math.MaxUint64, math.MaxUint64,
			"Invalid request expiry: Addition of min_allowed_expiry Time(18446744073709551615) with max_expiry_diff 330s overflows",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := CheckExpiry(c.expiry, c.now, true); err != nil {
				t.Errorf("exempt: %v", err)
			}
			err := CheckExpiry(c.expiry, c.now, false)
			if c.text == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantRefusal(t, err, refusal.Invalid, c.text)
		})
	}
}

func TestOnlyAnonymousReadingIsExemptFromExpiry(t *testing.T) {
	for name, c := range map[string]struct {
		draft  *Draft
		id     Identity
		exempt bool
	}{
		"anonymous call":       {helloCall(), Identity{}, false},
		"anonymous query":      {NewQuery(hello, "greet", nil), Identity{}, true},
		"anonymous read_state": {NewReadState(), Identity{}, true},
		"signed query":         {NewQuery(hello, "greet", nil), person(t, "alice"), false},
		"signed read_state":    {NewReadState(), person(t, "alice"), false},
	} {
		req, err := decodeAny(c.draft.kind.String(), sign(t, c.draft, c.id).Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := req.envelope().Exempt(); got != c.exempt {
			t.Errorf("%s: exempt is %v, want %v", name, got, c.exempt)
		}
	}
}
