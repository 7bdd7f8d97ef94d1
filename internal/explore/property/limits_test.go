package property_test

import (
	"strconv"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// rested returns a finished run of one operation, which takes two messages for each turn and one more.
func rested(t *testing.T, turns int) *harness.Run {
	t.Helper()
	s := real.NewStage(t, replica.Config{})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Variant{}.Module(), nil)
	}
	program, err := canistertest.Parse(canistertest.Turns(turns), s.Names)
	if err != nil {
		t.Fatal(err)
	}
	operation := harness.Operation{Title: "A.run", Message: *s.Ingress(s.ID("A"), s.ID("A"), "run", program.Bytes())}
	l, err := harness.New(&harness.Setup{Base: s.Network, Operations: []harness.Operation{operation}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	r := l.Begin(nil)
	t.Cleanup(r.Close)
	if !search.Drive(r, search.FIFO, 10_000) || string(r.Answers()[0].Reply) != "done" {
		t.Fatalf("the answers are %v", r.Answers())
	}
	return r
}

// The run that is checked has a longer operation than the one that is learned: it stands for one that never ends.
func TestAnOperationThatTakesMoreThanAThousandMessagesCountsAsNeverAnswered(t *testing.T) {
	p := new(property.LostService)
	p.Learn(rested(t, 1), true)
	for turns, want := range map[int]string{490: "", 510: "A.run is not answered after this run, and does not work a day later"} {
		var text string
		for _, v := range p.AtRest(rested(t, turns)) {
			text += v.Text
		}
		if text != want {
			t.Errorf("after a run of %d messages: %q, want %q", 2*turns+1, text, want)
		}
	}
}

func TestInvariantsAreFoundThatTheFirstTenThousandCanistersState(t *testing.T) {
	s := real.NewStage(t, replica.Config{})
	stating, err := wat.Assemble(`(module (func (export "canister_query invariant_sum")))`)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10_001 {
		name := strconv.Itoa(n + 1)
		s.Create(name, 0, real.Plenty)
		if n >= 9_999 {
			s.Install(name, real.Install, stating, nil)
		}
	}
	all := property.StatedBy(s.Network, func(id principal.Principal) string {
		for name, known := range s.Names {
			if known == id {
				return name
			}
		}
		return ""
	})
	if len(all) != 1 || all[0].Name() != "10000 invariant_sum" {
		t.Errorf("%d invariants are found", len(all))
	}
}
