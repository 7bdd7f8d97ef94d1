package replica_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/replicatest"
)

func TestIngressMessagesOfSystemSubnetsMayBeLarger(t *testing.T) {
	s, near, far := twoSubnets(t)
	for n, most := range map[int]int{near: 2_097_152, far: 3_670_016} {
		if _, refused := s.Submit(n, "run", strings.Repeat("x", most-len("run"))); refused != "" {
			t.Errorf("a message of the largest size: %q", refused)
		}
		_, refused := s.Submit(n, "run", strings.Repeat("x", most-len("run")+1))
		if want := fmt.Sprintf("Message byte size %d is larger than the max allowed %d.", most+1, most); !strings.HasPrefix(refused, "refused too_large") || !strings.Contains(refused, want) {
			t.Errorf("a message that is larger by a byte: %q, want %q", refused, want)
		}
	}
}

func TestIngressMessagesExpireWithinSixMinutes(t *testing.T) {
	s := stage(t, 1)
	now := s.View().Time
	for expiry, taken := range map[uint64]bool{now: false, now + 1: true, now + 360_000_000_000: true, now + 360_000_000_001: false} {
		in := s.Message(0, "run", "reply x")
		in.Expiry = expiry
		if r := s.Apply(in); (r.Refusal == nil) != taken || r.Refusal != nil && r.Refusal.Kind != refusal.Invalid {
			t.Errorf("a message that expires in %d ns: %+v", expiry-now, r)
		}
	}
}

func TestUpTo100000CallsOfTheManagementCanisterWait(t *testing.T) {
	s := stage(t, 1)
	st := s.State(0)
	id := submit(t, s, 0, "run", "manage create (1) then (count) manage create (1) then (reply made) else (reply full)")
	for n := range uint64(99_999) {
		in := state.Ingress{Sender: s.Sender, Receiver: principal.Management, Method: "create", Arg: []byte("1"), Expiry: s.View().Time + 60*second}
		binary.BigEndian.PutUint64(in.ID[:], n)
		st.ManagementCalls.PushIngress(st.History.Receive(&in, &st.Deadlines).Number)
	}
	for _, want := range []string{"", "not accepted: SYS_TRANSIENT"} {
		if _, refused := s.Submit(0, "create", "1"); !strings.HasPrefix(refused, want) || want == "" && refused != "" {
			t.Errorf("a user's call: %q, want %q", refused, want)
		}
	}
	// The round takes one of them before the canister's message makes two calls.
	s.Round()
	expect(t, "the second call of a canister", s.Answer(id), "replied: full")
}

func TestANetworkHas64SubnetsAndASubnet10Admins(t *testing.T) {
	subnets := make([]replica.SubnetConfig, 65)
	for i := range subnets {
		subnets[i].Nodes = 1
	}
	admins := func(n int) []replica.SubnetConfig {
		return []replica.SubnetConfig{{Nodes: 1, Free: true, Admins: make([]principal.Principal, n)}}
	}
	for _, c := range []struct {
		subnets []replica.SubnetConfig
		words   string
	}{
		{subnets[:64], ""},
		{subnets, "a network has 1 to 64 subnets, got 65"},
		{nil, "a network has 1 to 64 subnets, got 0"},
		{admins(10), ""},
		{admins(11), "a subnet has at most 10 admins, got 11"},
	} {
		n, err := replica.New(replica.Config{Subnets: c.subnets})
		if (err == nil) != (c.words == "") || err != nil && !strings.HasSuffix(err.Error(), c.words) {
			t.Errorf("a network of %d subnets: %v, want %q", len(c.subnets), err, c.words)
		}
		if err == nil {
			n.Close()
		}
	}
}

func TestALeafShows32CanisterRanges(t *testing.T) {
	config := replica.SubnetConfig{Nodes: 1}
	for n := range uint64(64) { // and that from which ids are taken
		config.Ranges = append(config.Ranges, replica.Range{First: 2 * n, Last: 2 * n})
	}
	s := replicatest.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{config}})
	root := s.View().Root()
	node, _ := root.Certified().Tree().Get("canister_ranges", certify.LabelOf(root.ID))
	if n := node.Len(); n != 3 {
		t.Errorf("%d leaves show 65 ranges, want 3", n)
	}
	first, _ := root.Certified().Tree().Get("canister_ranges", certify.LabelOf(root.ID), certify.LabelOf(principal.Canister(0)))
	if ranges, err := certify.DecodeRanges(first.Value()); err != nil || len(ranges) != 32 {
		t.Errorf("the first leaf shows %d ranges, want 32: %v", len(ranges), err)
	}
}

// reentrant are the events of calls back to a canister.
type reentrant struct {
	of  principal.Principal
	saw []bool
}

func (r *reentrant) Event(e *replica.Event) {
	if e.Kind == replica.CallRegistered && e.Peer == r.of {
		r.saw = append(r.saw, e.Reentrant)
	}
}

func TestACallBackIsSeenOver64Contexts(t *testing.T) {
	s := stage(t, 2)
	for contexts, want := range map[int]bool{64: true, 65: false} {
		sink := &reentrant{of: s.ID(0)}
		s.Listen(sink)
		// Canister 0 calls 1, which calls itself until a number of contexts are open, and then 0.
		program := "call 0 (reply x)"
		for range contexts - 1 {
			program = "call 1 (" + program + ")"
		}
		s.Run(0, program)
		if len(sink.saw) != 1 || sink.saw[0] != want {
			t.Errorf("with %d contexts open the calls back are seen: %v, want %v", contexts, sink.saw, want)
		}
	}
}
