package api

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

func TestAViewIsShownAsFrontEndsSeeIt(t *testing.T) {
	n, err := replica.New(replica.Config{Start: 1, Subnets: []replica.SubnetConfig{{}, {Kind: replica.NNS}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	view := n.View()
	v := Show(view)
	root, other := view.Subnets[0], view.Subnets[1]
	if v.Root() != root.ID || v.Height() != view.Height || !bytes.Equal(v.RootKey(), root.PublicKey) {
		t.Errorf("root %s, height %d, key %x", v.Root(), v.Height(), v.RootKey())
	}
	if subnet, ok := v.Host(view.DefaultCanister()); !ok || subnet != other.ID {
		t.Errorf("the host is %s, %t", subnet, ok)
	}
	if subnet, ok := v.Host(principal.Anonymous); ok {
		t.Errorf("subnet %s hosts the anonymous principal", subnet)
	}
	if v.Certified(other.ID) != other.Certified() || v.Certified(principal.Anonymous) != nil {
		t.Error("the certified state is another")
	}
	if v.Delegation(root.ID, certify.FlatRanges) != nil || v.Delegation(other.ID, certify.FlatRanges).Subnet != other.ID {
		t.Error("the root subnet delegates to others, and to them only")
	}
	if v.NodeKey(other.ID) != other.Nodes[0] {
		t.Error("the node is another")
	}
	if _, _, _, ok := v.Request(other.ID, RequestID{1}); ok || v.Private(view.DefaultCanister(), "x") {
		t.Error("something is known of what is not there")
	}
}
