package instance_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

// join adds a subnet, and deploys a counter there.
func (c *crashing) join(subnet replica.SubnetConfig) principal.Principal {
	c.t.Helper()
	return instancetest.DeployTo(c.t, c.Instance, c.addSubnet(subnet), canistertest.Fixture("counter"), nil)
}

// addSubnet adds a subnet, and returns a canister id of it.
func (c *crashing) addSubnet(subnet replica.SubnetConfig) principal.Principal {
	c.t.Helper()
	if _, err := c.Driver().Apply(c.t.Context(), &replica.AddSubnet{Config: subnet}); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.RunRounds(c.t.Context(), 1); err != nil {
		c.t.Fatal(err)
	}
	view := c.Driver().View()
	added := &view.Subnets[len(view.Subnets)-1]
	if !added.Added {
		c.t.Fatalf("the last subnet is %s, which was not added", added.ID)
	}
	return added.Ranges[0].Start
}

func TestASubnetThatWasAddedIsThereAfterACrashAndInAReplay(t *testing.T) {
	c := newCrashing(t)
	random := rand.New(rand.NewPCG(5, 6))
	before := c.Driver().View().Height
	ids := []principal.Principal{c.deploy(), c.join(replica.SubnetConfig{Kind: replica.Fiduciary})}
	for crash, more := range []replica.SubnetConfig{{Nodes: 1}, {Kind: replica.SNS}, {}} {
		want := c.hash()
		if crash == 1 { // from a checkpoint that has the subnets
			c.offline()
			c.open(instance.Spec{})
		} else {
			c.crash(0, random)
		}
		if c.hash() != want || len(c.Driver().View().Subnets) != 3+crash {
			t.Fatalf("after crash %d, the network has %d subnets and another state", crash, len(c.Driver().View().Subnets))
		}
		for _, id := range ids {
			if got := c.count(id); !strings.HasSuffix(got, string(rune(crash+1))) {
				t.Errorf("after crash %d, counter %s says %q", crash, id, got)
			}
		}
		if crash < 2 {
			c.join(more)
		}
	}
	if got, err := c.forked(t, instance.Moment{Height: before}); err != nil || got.height != before {
		t.Errorf("a fork before the subnets is at round %d, want %d: %v", got.height, before, err)
	}
	last := c.hash()
	done, err := instance.Replay(t.Context(), "/state", c.offline(), instance.Traces{})
	if err != nil || done.StateHash != last || done.Checkpoints == 0 {
		t.Errorf("the replay comes to %+v, want the state %x: %v", done, last, err)
	}
	c.open(instance.Spec{})
}
