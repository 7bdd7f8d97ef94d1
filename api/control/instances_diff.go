package control

import (
	"context"
	"fmt"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Diff returns the differences between two states: of instances, or of their snapshots.
func (s *instances) Diff(ctx context.Context, in *controlv1.DiffRequest) (*controlv1.DiffResponse, error) {
	limit := int(in.GetLimit())
	switch {
	case in.GetBefore() == nil:
		return nil, MissingField.Refuse("before", "the instance, or its snapshot, that is compared with another")
	case in.GetAfter() == nil:
		return nil, MissingField.Refuse("after", "the instance, or its snapshot, that is compared with another")
	case limit > introspect.MaxDifferences:
		return nil, BadField.Refuse("limit", limit, fmt.Sprintf("expected at most %d, or 0 for as many", introspect.MaxDifferences))
	case limit == 0:
		limit = introspect.MaxDifferences
	}
	before, err := s.state(ctx, in.GetBefore())
	if err != nil {
		return nil, err
	}
	defer before.Close()
	after, err := s.state(ctx, in.GetAfter())
	if err != nil {
		return nil, err
	}
	defer after.Close()
	found, err := introspect.Diff(before.Introspect(), after.Introspect())
	if err != nil {
		return nil, err
	}
	shown := found.List[:min(limit, len(found.List))]
	out := &controlv1.DiffResponse{More: uint64(found.More + len(found.List) - len(shown))}
	for _, d := range shown {
		difference := &controlv1.Difference{What: d.What, Before: d.A, After: d.B}
		if d.Subnet.Len() > 0 {
			difference.SubnetId = d.Subnet.String()
		}
		if d.Canister.Len() > 0 {
			difference.CanisterId = d.Canister.String()
		}
		out.Differences = append(out.Differences, difference)
	}
	return out, nil
}

// state returns a fork of a state that a request names. The caller closes it. It is not driven while it is inspected.
func (s *instances) state(ctx context.Context, in *controlv1.State) (*replica.Network, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	return i.Frozen(ctx, in.GetSnapshot())
}
