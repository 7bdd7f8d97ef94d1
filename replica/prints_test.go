package replica_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// listener collects what canisters print.
type listener struct{ lines []string }

func (l *listener) print(_ principal.Principal, text []byte) { l.lines = append(l.lines, string(text)) }

// printing is a network in which a message of A has printed "before" and is parked before it prints "after".
func printing(t *testing.T, to *listener) *real.Stage {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000, Printed: to.print})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Submit("A", "run", compiled(t, s, `print "before"; spin 3_000_000; print "after"; reply`))
	s.Round()
	to.heard(t, "before")
	return s
}

// heard checks what was printed since the last time.
func (l *listener) heard(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(l.lines, want) {
		t.Errorf("printed %q, want %q", l.lines, want)
	}
	l.lines = nil
}

func finished(s *real.Stage) {
	for s.Activity().HasDueWork {
		s.Round()
	}
}

func TestAForkGoesOnPrintingWhereItsSourceStopped(t *testing.T) {
	var source, fork listener
	s := printing(t, &source)
	f := s.Fork(replica.ForkConfig{Parts: replica.Parts{Printed: fork.print}})
	finished(f)
	source.heard(t)
	fork.heard(t, "after")
	finished(s)
	source.heard(t, "after")
}

func TestAnImportedNetworkGoesOnPrintingWhereTheExportedOneStopped(t *testing.T) {
	var source, copied listener
	s := printing(t, &source)
	var file bytes.Buffer
	if err := s.Export(&file); err != nil {
		t.Fatal(err)
	}
	n, err := replica.Import(&file, replica.Config{Engine: canistertest.NewEngine(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	n.Wake(replica.Parts{Printed: copied.print})
	for n.Activity().HasDueWork {
		n.Round()
	}
	copied.heard(t, "after")
}

func TestQueriesPrintBeforeTheFirstRoundOfANetworkThatWakes(t *testing.T) {
	var source, sleeper listener
	s := printing(t, &source)
	finished(s)
	source.heard(t, "after")
	f := s.Fork(replica.ForkConfig{})
	f.Wake(replica.Parts{Printed: sleeper.print})
	id := f.ID("A")
	f.Ask(&replica.Query{Sender: f.User, Receiver: id, Effective: id, Method: "query", Arg: compiled(t, f, `print "asked"; reply`)})
	source.heard(t)
	sleeper.heard(t, "asked")
}
