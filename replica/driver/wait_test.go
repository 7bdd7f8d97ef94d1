package driver_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

func TestWaitingForAnAnswerThatIsThereAllocatesNothing(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(1)
	in := r.message(0, "run", "reply x")
	root, ctx := r.View().Root().ID, context.Background()
	if _, err := r.Submit(ctx, in); err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(200, func() {
		if err := r.Await(ctx, root, in.ID); err != nil {
			t.Fatal(err)
		}
	}); got >= 1 {
		t.Errorf("%.1f allocations, want none", got)
	}
	if got := testing.AllocsPerRun(200, func() {
		if receipt, err := r.Submit(ctx, in); err != nil || receipt.Known != replica.Replied {
			t.Fatal(receipt, err)
		}
	}); got >= 1 {
		t.Errorf("%.1f allocations to hand in a message that is known, want none", got)
	}
}

// Waiters are recycled: a signal must never reach the next caller that has the waiter.
func TestOfManyWhoWaitEachHearsOfItsOwnMessage(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(1)
	if err := r.SetMode(t.Context(), driver.Manual, false); err != nil {
		t.Fatal(err)
	}
	root := r.View().Root().ID
	chance := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		in := r.message(0, "run", "reply x")
		if receipt, err := r.Submit(t.Context(), in); err != nil || receipt != (replica.Receipt{}) {
			t.Fatal(receipt, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range 8 {
			leaves := chance.IntN(3) == 0
			waiting.Go(func() {
				own := t.Context()
				if leaves {
					own = ctx
				}
				err := r.Await(own, root, in.ID)
				if err != nil && !(leaves && errors.Is(err, context.Canceled)) {
					t.Error(err)
				}
				if status := r.View().Subnet(root).Certified().Tree(); err == nil {
					if _, shown := status.Get("request_status", certify.Label(in.ID[:]), "reply"); !shown {
						t.Error("an await ended before its answer was shown")
					}
				}
			})
		}
		if chance.IntN(2) == 0 {
			for r.Waiters() == 0 {
			}
		}
		cancel()
		if _, err := r.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		waiting.Wait()
	}
	for r.Waiters() > 0 {
	}
}

func TestThoseWhoWaitForAMessageOfASubnetThatIsDeletedLearnThatItIsUnknown(t *testing.T) {
	r := start(t, driver.Config{Mode: driver.Manual})
	if result, err := r.Apply(t.Context(), &replica.AddSubnet{}); err != nil || result.Refusal != nil {
		t.Fatal(result.Refusal, err)
	}
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	subnets := r.View().Subnets
	told := make([]chan error, len(subnets))
	for i := range subnets {
		in := r.message(i, "create", "1000")
		in.Effective = subnets[i].Ranges[0].Start
		if receipt, err := r.Submit(t.Context(), in); err != nil || receipt.Reject != nil {
			t.Fatal(receipt.Reject, err)
		}
		told[i] = make(chan error, 1)
		go func() { told[i] <- r.Await(context.Background(), subnets[i].ID, in.ID) }()
	}
	for r.Waiters() < len(subnets) {
	}
	if result, err := r.Apply(t.Context(), replica.DeleteSubnet{Subnet: subnets[1].ID}); err != nil || result.Refusal != nil {
		t.Fatal(result.Refusal, err)
	}
	if err := <-told[1]; !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("the message of the deleted subnet: %v", err)
	}
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-told[0]; err != nil {
		t.Errorf("the message of the other subnet: %v", err)
	}
}

func TestThoseWhoAwaitAMessageFromItsSubmissionGetItsAnswerOrLeaveNothingBehind(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(1)
	if err := r.SetMode(t.Context(), driver.Manual, false); err != nil {
		t.Fatal(err)
	}
	submit := func(ctx context.Context, arg string) (*replica.Ingress, driver.Pending) {
		t.Helper()
		in := r.message(0, "run", arg)
		receipt, pending, err := r.SubmitAwaited(ctx, in, nil)
		if err != nil || receipt != (replica.Receipt{}) || r.Waiters() != 1 {
			t.Fatal(receipt, err, r.Waiters())
		}
		return in, pending
	}
	round := func() {
		t.Helper()
		if _, err := r.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	in, pending := submit(t.Context(), "reply x")
	round()
	ended, end := context.WithCancel(t.Context())
	end()
	if answer, err := pending.Answer(ended); err != nil || string(answer.Reply) != "x" || answer.Method != "run" {
		t.Errorf("an answer that is there is %q, %v", answer.Reply, err)
	}
	if receipt, _, err := r.SubmitAwaited(t.Context(), in, nil); err != nil || receipt.Known != replica.Replied || r.Waiters() != 0 {
		t.Errorf("a known message: %v, %v, %d waiters", receipt, err, r.Waiters())
	}
	malformed := r.message(0, "run", "reply x")
	malformed.Expiry = 1
	if _, _, err := r.SubmitAwaited(t.Context(), malformed, nil); err == nil || r.Waiters() != 0 {
		t.Errorf("a malformed message: %v, %d waiters", err, r.Waiters())
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, pending = submit(ctx, "reply y")
	cancel()
	if _, err := pending.Answer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait of a caller that left ends with %v", err)
	}
	for r.Waiters() > 0 {
	}
	round()

	before, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	_, pending = submit(t.Context(), "reply z")
	if err := r.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if _, err := pending.Answer(t.Context()); !errors.Is(err, driver.ErrRestored) {
		t.Errorf("the wait for a message that a restore undid ends with %v", err)
	}
}
