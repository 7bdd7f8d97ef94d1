package replica_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// playing is a network with the canister a, which does what scripts say.
func playing(t *testing.T, config replica.Config) *real.Stage {
	t.Helper()
	s := real.NewStage(t, config)
	s.Create("a", 0, 1<<60)
	if a := s.Install("a", real.Install, canistertest.Scriptable(), nil); a.Status != "replied" {
		t.Fatal(a)
	}
	return s
}

func TestStableMemoryIsSetAndTheHeapStays(t *testing.T) {
	s := playing(t, replica.Config{})
	s.Call("a", "run", canistertest.Script().StableGrow(3).Drop().StableWrite(70_000, []byte("before")).Int(8).Set().Reply(nil).Bytes())
	content := bytes.Repeat([]byte("after "), 11_000) // more than one Wasm page, less than two
	if r := s.Apply(replica.SetStableMemory{Canister: s.ID("a"), Content: content}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	read := canistertest.Script().StableSize().ToBlob().StableRead(65_994, 10).Concat().Get().ToBlob().Concat().ReplyTop().Bytes()
	want := []byte("\x02\x00\x00\x00\x00\x00\x00\x00after \x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00")
	if r := s.Query("a", "query", read); !bytes.Equal(r.Reply, want) {
		t.Errorf("a query sees %q, want %q (%v)", r.Reply, want, r.Reject)
	}
	if a := s.Call("a", "run", read); !bytes.Equal(a.Reply, want) {
		t.Errorf("an update sees %q, want %q (%s)", a.Reply, want, a)
	}
}

func TestStableMemoryIsSetWhereThereIsSome(t *testing.T) {
	s := playing(t, replica.Config{})
	s.Create("empty", 0, 1<<60)
	for name, want := range map[string]refusal.Kind{"empty": refusal.Conflict, "nobody": refusal.NotFound} {
		in := replica.SetStableMemory{Canister: s.View().Subnets[0].Ranges[0].End}
		if name == "empty" {
			in.Canister = s.ID(name)
		}
		if r := s.Apply(in).Refusal; r == nil || r.Kind != want {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestTheStateIsCertifiedAsOfATimeWithoutARound(t *testing.T) {
	s := playing(t, replica.Config{})
	later := s.View().Time + 1_000_000_000
	s.Apply(replica.CertifyAt(later))
	if got := s.View().Time; got != later {
		t.Errorf("the state is of %d, want %d", got, later)
	}
	if r := s.Query("a", "query", canistertest.Script().Time().ReplyInt().Bytes()); !bytes.Equal(r.Reply, words(later)) {
		t.Errorf("a query sees %x, want %x", r.Reply, words(later))
	}
	height := s.View().Height
	if s.Apply(replica.CertifyAt(later - 1)); s.View().Height != height || s.View().Time != later {
		t.Error("the time went back")
	}
	if s.Round(); s.View().Time != later+1 {
		t.Errorf("the next round is at %d, want %d", s.View().Time, later+1)
	}
}

func TestOnASubnetForBenchmarksAMessageRunsToItsEndInOneRound(t *testing.T) {
	s := playing(t, replica.Config{Subnets: []replica.SubnetConfig{{Benchmarking: true, Free: true}}})
	long := canistertest.Script().Busy(300_000_000).Reply(nil).Bytes() // 30 slices of ours
	id, refused := s.Submit("a", "run", long)
	if refused != "" {
		t.Fatal(refused)
	}
	if s.Round(); s.Answer(id).Status != "replied" {
		t.Errorf("after a round: %s", s.Answer(id))
	}
}

func TestOnASubnetForBenchmarksAMessageRunsFor99999999999999Instructions(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Benchmarking: true, Free: true}}})
	s.Create(1, plenty)
	// A puppet takes a thousand to begin.
	for instructions, want := range map[string]string{"99999999998999": "replied: done", "99999999999000": "limit"} {
		id, refused := s.Submit(0, "run", "spend "+instructions+" reply done")
		if s.Round(); refused != "" || !strings.HasSuffix(s.Answer(id), want) {
			t.Errorf("%s instructions in a round: %q%s, want %q", instructions, s.Answer(id), refused, want)
		}
	}
}

func TestMemoryIsNotSetBetweenTwoSlices(t *testing.T) {
	s := playing(t, replica.Config{SliceInstructions: 1_000_000, RoundInstructions: 1_000_000})
	id, _ := s.Submit("a", "run", canistertest.Script().Busy(30_000_000).Reply(nil).Bytes())
	s.Round()
	r := s.Apply(replica.SetStableMemory{Canister: s.ID("a"), Content: []byte("x")}).Refusal
	if r == nil || !strings.Contains(r.Text, "in the middle of its code") {
		t.Errorf("after %s: %v", s.Answer(id), r)
	}
}
