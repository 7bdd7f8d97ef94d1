package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

func TestAnInstallationWhoseSenderWentAwayDoesNotEnter(t *testing.T) {
	r := wasm(t, 1)
	gone, leave := context.WithCancel(t.Context())
	leave()
	in := r.message(0, "install_code", "a module that nobody has compiled")
	if _, err := r.Submit(gone, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var status replica.Status
	r.Do(t.Context(), func(n *replica.Network) { status = n.IngressStatus(n.View().Root().ID, in.ID) })
	if status != 0 {
		t.Errorf("the message is %s", status)
	}
}
