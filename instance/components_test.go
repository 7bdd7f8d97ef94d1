package instance_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/instancetest"
)

// deployPipes deploys a component with streams on the subnet of a canister id.
func (c *crashing) deployPipes(home principal.Principal) principal.Principal {
	c.t.Helper()
	module, err := os.ReadFile("../canister/internal/components/testdata/pipes.wasm")
	if err != nil {
		c.t.Fatal(err)
	}
	id := instancetest.Create(c.t, c.Instance, home)
	if _, err := c.Driver().Apply(c.t.Context(), replica.SetFeatures{Canister: id, Features: canister.FeatureComponents}); err != nil {
		c.t.Fatal(err)
	}
	instancetest.Install(c.t, c.Instance, id, module, nil)
	return id
}

// TestAStreamInAComponentGoesOnAfterCrashes crashes an instance in the middle of a stream, from records and from a checkpoint.
func TestAStreamInAComponentGoesOnAfterCrashes(t *testing.T) {
	c := newCrashing(t)
	random := rand.New(rand.NewPCG(7, 8))
	pipes := c.deployPipes(c.Driver().View().DefaultCanister())
	bank := c.deployPipes(c.addSubnet(replica.SubnetConfig{}))
	open, err := candid.Marshal(bank)
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, c.Instance, pipes, pipes, "open", open)
	request := instancetest.Submit(t, c.Instance, pipes, pipes, "pipe", []byte("DIDL\x00\x01\x79\x03\x00\x00\x00"))
	answer := func() replica.IngressAnswer {
		t.Helper()
		subnet := c.Driver().View().SubnetOf(pipes).ID
		answer, err := driver.Ask(t.Context(), c.Driver(), func(n *replica.Network) replica.IngressAnswer {
			answer, _ := n.IngressAnswer(subnet, request)
			return answer
		})
		if err != nil || answer.Reject != nil {
			t.Fatal(answer.Reject, err)
		}
		return answer
	}
	rounds := 0
	for ; answer().Reply == nil; rounds++ {
		before := c.hash()
		if rounds%2 == 0 {
			c.crash(50, random)
		} else {
			c.stop() // with a checkpoint
			c.open(instance.Spec{})
		}
		if c.hash() != before {
			t.Fatalf("after %d rounds and a crash, the state is another one", rounds)
		}
		c.rounds(1)
	}
	want := uint64(0)
	for _, n := range []uint64{10, 11, 12, 20, 21, 22, 30, 31, 32} {
		want = 31*want + n
	}
	if reply := answer().Reply; len(reply) != 15 || binary.LittleEndian.Uint64(reply[7:]) != want || rounds < 6 {
		t.Errorf("after %d rounds, the reply is %x, want %d", rounds, reply, want)
	}
	last := c.hash()
	done, err := instance.Replay(t.Context(), "/state", c.offline(), instance.Traces{})
	if err != nil || done.StateHash != last {
		t.Errorf("the replay comes to %+v, want the state %x: %v", done, last, err)
	}
	c.open(instance.Spec{})
}
