package remote_test

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
)

func TestTheTextOfAnErrorIsWhatWasSaidAndNotHowItCame(t *testing.T) {
	said := status.Error(codes.NotFound, "there is no canister")
	for want, err := range map[string]error{
		"":                                       nil,
		"there is no canister":                   said,
		"installing bank: there is no canister":  fmt.Errorf("installing bank: %w", said),
		"a: b: there is no canister":             fmt.Errorf("a: %w", fmt.Errorf("b: %w", said)),
		"the disk is full":                       errors.New("the disk is full"),
		"there is no canister\nthe disk is full": errors.Join(said, errors.New("the disk is full")),
	} {
		if got := remote.Text(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
