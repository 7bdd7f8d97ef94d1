package pocketic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
)

func TestOlderClientsReadErrorCodesThatTheyKnow(t *testing.T) {
	for major, want := range map[int]string{0: "CanisterStatusAccessDenied", 16: "CanisterStatusAccessDenied", 15: "CanisterInvalidController"} {
		s := New(nil, Options{Major: major})
		said, err := json.Marshal(s.rejected(&intercanister.Reject{Code: intercanister.CanisterError, Error: intercanister.CanisterStatusAccessDenied}, true))
		if err != nil || !strings.Contains(string(said), `"error_code":"`+want+`"`) {
			t.Errorf("clients of version %d read %s (%v), want %s", major, said, err, want)
		}
	}
}
