package networks

import (
	"errors"
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/api/client"
)

func TestADroppedAnswerToAReadIsRequestedFiveTimesAgain(t *testing.T) {
	for _, row := range []struct {
		method string
		drops  int // answers that are dropped before one arrives
		want   int // requests
		arrive bool
	}{
		{"read_canister_snapshot_data", 0, 1, true},
		{"read_canister_snapshot_data", 5, 6, true},
		{"read_canister_snapshot_data", 6, 6, false},
		{"take_canister_snapshot", 1, 1, false},
	} {
		requests := 0
		reply, err := answerOf(row.method, func() ([]byte, error) {
			if requests++; requests <= row.drops {
				return nil, fmt.Errorf("requesting: %w", client.ErrDone)
			}
			return []byte("answer"), nil
		})
		if requests != row.want || (string(reply) == "answer") != row.arrive || errors.Is(err, client.ErrDone) == row.arrive {
			t.Errorf("%s with %d dropped answers: %d requests, %q, %v", row.method, row.drops, requests, reply, err)
		}
	}
}
