package pocketic

import (
	"context"
	"slices"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// getTime serves GET read/get_time: the time of the next round, if that was set.
func (s *Server) getTime(ctx context.Context, e *entry, _ []byte) (any, error) {
	now, err := e.now(ctx)
	return rawTime{now}, err
}

// setTime serves POST update/set_time: it sets the time of the next round.
func (s *Server) setTime(ctx context.Context, e *entry, body []byte) (any, error) {
	return nil, e.moveTime(ctx, body, func(at uint64) replica.Input { return replica.AdvanceTo(at) })
}

// setCertifiedTime serves POST update/set_certified_time: it sets the time, and certifies the state at that time for
// queries.
func (s *Server) setCertifiedTime(ctx context.Context, e *entry, body []byte) (any, error) {
	return nil, e.moveTime(ctx, body, func(at uint64) replica.Input { return replica.CertifyAt(at) })
}

// tooLate is the error for a time that no instance can reach.
func tooLate(at uint64) error {
	return failed("The time (unix timestamp in nanoseconds) must be no later than %d (provided %d).", uint64(latestTime), at)
}

// moveTime sets the time to that in a body. If the wall clock moves it, it continues from there.
func (e *entry) moveTime(ctx context.Context, body []byte, input func(at uint64) replica.Input) error {
	var in rawTime
	if err := decode(body, &in); err != nil {
		return err
	}
	if in.Nanos > latestTime {
		return tooLate(in.Nanos)
	}
	clock := e.instance.Backend().Clock()
	result, err := driver.Ask(ctx, e.instance.Driver(), func(n *replica.Network) error {
		now := n.Activity().Clock
		if e.pacing == ByWallClock {
			now = clock.Now
		}
		if in.Nanos < now {
			return failed("SettingTimeIntoPast((%d, %d))", now, in.Nanos)
		}
		if e.pacing == ByWallClock {
			e.instance.PutAhead(time.Duration(in.Nanos - clock.Wall))
		}
		if refused := n.Apply(input(in.Nanos)).Refusal; refused != nil {
			return refused
		}
		return nil
	})
	if err != nil {
		return err
	}
	return result
}

// blockmaker is the node that makes the block of a subnet in a tick.
type blockmaker struct {
	Subnet rawSubnet `json:"subnet"`
	Maker  rawNode   `json:"blockmaker"`
	Failed []rawNode `json:"failed_blockmakers"`
}

// tickConfig configures a tick. Older clients send the list of blockmakers in an object.
type tickConfig struct {
	Blockmakers blockmakers `json:"blockmakers"`
	First       *rawSubnet  `json:"first_subnet"`
	Last        *rawSubnet  `json:"last_subnet"`
}

type blockmakers []blockmaker

// UnmarshalJSON reads both forms.
func (b *blockmakers) UnmarshalJSON(text []byte) error {
	var older struct {
		List []blockmaker `json:"blockmakers_per_subnet"`
	}
	if decode(text, &older) == nil {
		*b = older.List
		return nil
	}
	var list []blockmaker
	err := decode(text, &list)
	*b = list
	return err
}

// tick serves POST update/tick: it runs one round.
func (s *Server) tick(ctx context.Context, e *entry, body []byte) (any, error) {
	var in tickConfig
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	for i := range in.Blockmakers {
		if err := e.checkBlockmaker(&in.Blockmakers[i]); err != nil {
			return nil, err
		}
	}
	for _, named := range []*rawSubnet{in.First, in.Last} {
		if named == nil {
			continue
		}
		id, err := named.read()
		if err != nil {
			return nil, err
		}
		if _, err := e.subnet(id); err != nil {
			return nil, err
		}
	}
	_, err := e.instance.Driver().Round(ctx)
	return nil, err
}

// checkBlockmaker refuses nodes that are not in the subnet.
func (e *entry) checkBlockmaker(b *blockmaker) error {
	id, err := b.Subnet.read()
	if err != nil {
		return err
	}
	subnet, err := e.subnet(id)
	if err != nil {
		return err
	}
	var failedNodes []principal.Principal
	for _, raw := range append(slices.Clone(b.Failed), b.Maker) {
		node, err := readID(raw.NodeID, "node id")
		if err != nil {
			return err
		}
		if !hasNode(subnet, node) {
			return failed("BlockmakerNotFound(%s)", node)
		}
		failedNodes = append(failedNodes, node)
	}
	maker := failedNodes[len(failedNodes)-1]
	if slices.Contains(failedNodes[:len(failedNodes)-1], maker) {
		return failed("BlockmakerContainedInFailed(%s)", maker)
	}
	return nil
}

func hasNode(subnet *replica.SubnetView, id principal.Principal) bool {
	for _, node := range subnet.Nodes {
		if node.Principal() == id {
			return true
		}
	}
	return false
}
