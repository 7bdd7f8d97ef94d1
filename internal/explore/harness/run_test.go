package harness_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/test/canistertest"
)

func order(r *harness.Run) (names []string) {
	for _, s := range r.Steps() {
		names = append(names, s.Move)
	}
	return names
}

func TestMessagesAreNamedByTheirLineage(t *testing.T) {
	_, setup := theft(t, "bank", 2)
	r := begin(t, setup, nil)
	fifo(t, r)
	want := []string{"op1", "op1/1.request", "op2", "op2/1.request", "op1/1.reply", "op2/1.reply"}
	if got := order(r); len(got) != 6 || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the messages are %v", got)
	}
	for _, a := range r.Answers() {
		if a.Open || a.Reject != nil {
			t.Error(a)
		}
	}
}

func TestParallelWithdrawalsHaveTheOrdersAndClassesThatWereMeasured(t *testing.T) {
	for _, c := range []struct{ operations, orders, classes, steps, thefts, worst int }{
		{2, 14, 6, 24, 4, 200}, {3, 504, 66, 255, 60, 300},
	} {
		s, setup := theft(t, "bank", c.operations)
		l := newHarness(t, setup)
		thefts, worst := 0, 0
		count := func(at search.Tree) bool {
			paid := int(paidOut(t, s, at.(*harness.Run)))
			worst = max(worst, paid)
			if paid > 100 {
				thefts++
			}
			return true
		}
		classes := (&search.Classes{Visit: count}).Explore(l.Begin(nil), search.Subtree{})
		if classes.Classes != c.classes || classes.Steps != c.steps || thefts != c.thefts || worst != c.worst {
			t.Errorf("%d withdrawals: %d classes in %d steps, %d thefts of at most %d, want %+v", c.operations, classes.Classes, classes.Steps, thefts, worst, c)
		}
		all := search.Classes{Commute: func(_, _ *search.Move) bool { return false }}
		if orders := all.Explore(l.Begin(nil), search.Subtree{}); orders.Classes != c.orders {
			t.Errorf("%d withdrawals have %d orders, want %d", c.operations, orders.Classes, c.orders)
		}
	}
}

func TestALeftOutOperationLeavesTheNamesOfTheOthers(t *testing.T) {
	_, setup := theft(t, "bank", 3)
	l, err := harness.New(setup, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := l.Begin(nil)
	defer r.Close()
	fifo(t, r)
	if got := order(r); !slices.Contains(got, "op3/1.reply") || slices.Contains(got, "op2") {
		t.Errorf("the messages are %v", got)
	}
}

func TestAQueryBetweenMessagesSeesWhatTheyHaveChanged(t *testing.T) {
	s, setup := theft(t, "bank", 2)
	r := begin(t, setup, nil)
	var paid []uint64
	for len(r.Moves()) > 0 {
		r.Take(0)
		if r.Steps()[len(r.Steps())-1].Canister == s.ID("vault") {
			paid = append(paid, paidOut(t, s, r))
		} else {
			paidOut(t, s, r)
		}
	}
	if !slices.Equal(paid, []uint64{100, 200}) {
		t.Errorf("after its messages the vault has paid %v", paid)
	}
}

// TestARequestArrivesBeforeAMessageThatHasWaitedLonger delivers a request while an older message still waits for the same
// canister. Freeing the memory of the request must not make the canister look out of cycles.
func TestARequestArrivesBeforeAMessageThatHasWaitedLonger(t *testing.T) {
	for _, deadline := range []string{"", "within 10 "} {
		s, setup := scripted(t, "", `call B.run(reply "x") `+deadline+`on-reply(reply "ok") on-reject(reply reject-message)`)
		program, err := canistertest.Parse(`reply "ok"`, s.Names)
		if err != nil {
			t.Fatal(err)
		}
		second := harness.Operation{Title: "B.run", Message: *s.Ingress(s.ID("B"), s.ID("B"), "run", program.Bytes())}
		setup.Operations = append(setup.Operations, second)
		r := begin(t, setup, nil)
		search.Drive(r, search.Named([]string{"op1", "op1/1.request", "op1/1.reply", "op2"}), 10)
		if got := order(r); !slices.Equal(got, []string{"op1", "op1/1.request", "op1/1.reply", "op2"}) {
			t.Errorf("the messages are %v", got)
		}
		for _, a := range r.Answers() {
			if string(a.Reply) != "ok" {
				t.Errorf("%q: %s, %q", deadline, a, a.Reply)
			}
		}
	}
}
