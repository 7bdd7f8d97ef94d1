package replica_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// audit is a profiler that compares the profile of each message with what the message is charged for.
type audit struct {
	t        testing.TB
	messages atomic.Int64
}

func (*audit) Profiled(principal.Principal) bool { return true }

func (a *audit) Executed(m *replica.ProfiledMessage) {
	a.messages.Add(1)
	sum := uint64(0)
	for _, run := range m.Runs {
		sum += run.Tree.Instructions()
	}
	if sum != m.Instructions {
		a.t.Errorf("the profile of %s of canister %s has %d instructions, the message is charged for %d", m.Method, m.Canister, sum, m.Instructions)
	}
}

func (a *audit) Queried(messages []replica.ProfiledMessage) {
	for i := range messages {
		a.Executed(&messages[i])
	}
}

func TestAProfileHasEveryInstructionAndChangesNoTrace(t *testing.T) {
	var messages atomic.Int64 // the scripts run in parallel
	t.Cleanup(func() {
		if n := messages.Load(); n < 1000 {
			t.Errorf("only %d messages were profiled", n)
		}
	})
	real.ScriptsBetween(t, "testdata/real", func(t testing.TB) replicatest.Between {
		a := &audit{t: t}
		t.Cleanup(func() { messages.Add(a.messages.Load()) })
		return func(_ testing.TB, n *replica.Network, _ replica.Config) *replica.Network {
			n.Profile(a)
			return n
		}
	}, slowScripts...)
}

func TestEveryLanguageCostsTheSameWithAProfile(t *testing.T) {
	for _, c := range []struct {
		golden string
		make   func() *bill
		run    func(*bill)
	}{
		{"fixtures.golden", func() *bill { return newBill(t, false, "bank", "branch", "kernels", "other") }, (*bill).compiled},
		{"motoko.golden", func() *bill { return newBill(t, true, motokoActors...) }, (*bill).actors},
	} {
		b, a := c.make(), &audit{t: t}
		b.Profile(a)
		c.run(b)
		golden.Compare(t, filepath.Join("testdata", c.golden), b.lines.String())
		if n := a.messages.Load(); n < 20 {
			t.Errorf("%s: only %d messages were profiled", c.golden, n)
		}
	}
}
