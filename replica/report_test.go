package replica_test

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// probed is a network of two subnets with a scriptable canister on each.
func probed(t *testing.T) *real.Stage {
	t.Helper()
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	for i, name := range []string{"A", "B"} {
		s.Create(name, i, 5_000_000_000_000)
		if a := s.Install(name, "install", canistertest.Scriptable(), nil); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	return s
}

func scripted(t *testing.T, text string) []byte {
	t.Helper()
	p, err := canistertest.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Bytes()
}

func TestAReportHasEverythingAboutACanister(t *testing.T) {
	s := probed(t)
	r, ok := s.Introspect().Report(s.ID("A"))
	c := s.Canister(s.ID("A"))
	if !ok || r.ID != s.ID("A") || r.Subnet != s.View().Subnets[0].ID || r.Status != canister.Running ||
		r.Module == nil || r.Module.Hash() != c.Module().Hash() || r.Balance != c.Balance || r.IdlePerDay.IsZero() ||
		r.Usage != c.MemoryUsage() || r.Version != c.Version || r.Created == 0 || r.Installed < r.Created || r.Queued != 0 {
		t.Errorf("%+v", r)
	}
	if _, ok := s.Introspect().Report(principal.Canister(1 << 40)); ok {
		t.Error("there is a report of a canister that is not there")
	}
}

func TestReportsComeInPagesByID(t *testing.T) {
	s := probed(t)
	s.Create("C", 0, 5_000_000_000_000)
	var all []principal.Principal
	for after := (principal.Principal{}); ; {
		page := s.Introspect().Reports(after, 2)
		if len(page) > 2 {
			t.Fatalf("a page of %d", len(page))
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			if len(all) > 0 && all[len(all)-1].Compare(r.ID) >= 0 {
				t.Errorf("%s comes after %s", r.ID, all[len(all)-1])
			}
			all = append(all, r.ID)
		}
		after = all[len(all)-1]
	}
	if len(all) != 3 {
		t.Errorf("%d canisters: %v", len(all), all)
	}
}

func TestAnAnswerIsKnownBeforeTheViewShowsIt(t *testing.T) {
	s := probed(t)
	subnet := s.View().Subnets[0].ID
	in := s.Ingress(s.ID("A"), s.ID("A"), "run", scripted(t, `reply "hello"`))
	if _, ok := s.IngressAnswer(subnet, in.ID); ok {
		t.Error("a message is known that was not sent")
	}
	s.Apply(in)
	if a, ok := s.IngressAnswer(subnet, in.ID); !ok || a.Status != replica.Received || a.Method != "run" || a.Receiver != s.ID("A") || a.Sender != s.User {
		t.Errorf("sent: %+v", a)
	}
	s.Round()
	if a, _ := s.IngressAnswer(subnet, in.ID); a.Status != replica.Replied || string(a.Reply) != "hello" || a.Instructions == 0 || a.Answered != s.View().Time {
		t.Errorf("answered: %+v", a)
	}
	in = s.Ingress(principal.Management, s.ID("A"), "install_code", s.InstallArgs("A", "reinstall", canistertest.Scriptable(), nil))
	s.Apply(in)
	s.Round()
	if a, _ := s.IngressAnswer(subnet, in.ID); a.Status != replica.Replied || a.Instructions == 0 {
		t.Errorf("installed: %+v", a)
	}
	if _, ok := s.IngressAnswer(s.ID("A"), in.ID); ok {
		t.Error("a canister is a subnet")
	}
}

func TestMemoriesStayAsTheyWereTaken(t *testing.T) {
	s := probed(t)
	run := func(text string) {
		t.Helper()
		if a := s.Call("A", "run", scripted(t, text)); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	run(`drop stable-grow(1); stable-write 7, "before"; reply`)
	m := s.Canister(s.ID("A")).Memories()
	defer m.Close()
	run(`stable-write 7, "behind"; reply`)
	got := make([]byte, 6)
	if err := m.ReadStable(7, got); err != nil || !bytes.Equal(got, []byte("before")) || m.StableSize() != 1<<16 {
		t.Errorf("stable memory of %d bytes: %q, %v", m.StableSize(), got, err)
	}
	if m.HeapSize() == 0 || m.ReadHeap(m.HeapSize()-6, got) != nil || m.ReadHeap(m.HeapSize(), got) == nil {
		t.Errorf("a heap of %d bytes cannot be read to its end, or beyond", m.HeapSize())
	}
	s.Create("empty", 0, 5_000_000_000_000)
	if s.Canister(s.ID("empty")).Memories() != nil {
		t.Error("an empty canister has memories")
	}
}

func TestAMessageOfAnySizeIsTakenWhereItSaysSo(t *testing.T) {
	s := probed(t)
	in := s.Ingress(s.ID("A"), s.ID("A"), "run", append(scripted(t, `reply "large"`), make([]byte, replica.MaxIngressBytes)...))
	if r := s.Apply(in); r.Refusal == nil || r.Refusal.Kind != refusal.TooLarge {
		t.Errorf("%+v", r)
	}
	in.AnySize = true
	if r := s.Apply(in); r.Refusal != nil || r.Reject != nil {
		t.Errorf("%+v %+v", r.Refusal, r.Reject)
	}
}
