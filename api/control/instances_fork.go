package control

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// ForkInstance makes an instance that continues from the present, a snapshot, or a past state of another.
func (s *instances) ForkInstance(ctx context.Context, in *controlv1.ForkInstanceRequest) (*controlv1.ForkInstanceResponse, error) {
	spec := &instance.ForkSpec{
		Placement: instance.Placement{Name: in.GetName(), Listen: in.GetHttpListen(), Lease: in.GetLease(), Ephemeral: in.GetEphemeral()},
		Source:    in.GetInstance(), Snapshot: in.GetSnapshot(),
	}
	if in.GetPacing() != nil {
		pacing, err := readPacing(in.GetPacing())
		if err != nil {
			return nil, err
		}
		spec.Pacing = &pacing
	}
	if n := len(in.GetReseed()); n > 0 {
		spec.Reseed = new([32]byte)
		if n > len(spec.Reseed) {
			return nil, BadField.Refuse("reseed", fmt.Sprintf("%d bytes", n), "expected at most 32 bytes")
		}
		copy(spec.Reseed[:], in.GetReseed())
	}
	var err error
	if spec.At, err = readMoment(in); err != nil {
		return nil, err
	}
	made, err := s.registry.Fork(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &controlv1.ForkInstanceResponse{Instance: describe(made)}, nil
}

// readMoment returns the past state that a request names, nil for the present.
func readMoment(in *controlv1.ForkInstanceRequest) (*instance.Moment, error) {
	switch at := in.GetAt().(type) {
	case *controlv1.ForkInstanceRequest_Height:
		return &instance.Moment{Height: at.Height}, nil
	case *controlv1.ForkInstanceRequest_Time:
		ns, err := instant("time", at.Time)
		return &instance.Moment{Time: max(ns, 1)}, err
	case *controlv1.ForkInstanceRequest_BeforeRequest:
		if len(at.BeforeRequest) != len(replica.RequestID{}) {
			return nil, BadField.Refuse("before_request", fmt.Sprintf("%d bytes", len(at.BeforeRequest)), "expected the 32 bytes of a request id")
		}
		id := replica.RequestID(at.BeforeRequest)
		return &instance.Moment{Request: &id}, nil
	case *controlv1.ForkInstanceRequest_BeforeRequestPrefix:
		return &instance.Moment{Prefix: at.BeforeRequestPrefix}, checkPrefix("before_request_prefix", at.BeforeRequestPrefix)
	case *controlv1.ForkInstanceRequest_Mark:
		if at.Mark == "" {
			return nil, BadField.Refuse("mark", `""`, "expected the name of a mark (MarkHistory)")
		}
		return &instance.Moment{Mark: at.Mark}, nil
	}
	return nil, nil
}

// TakeSnapshot saves the present of an instance under a name.
func (s *instances) TakeSnapshot(ctx context.Context, in *controlv1.TakeSnapshotRequest) (*controlv1.TakeSnapshotResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	taken, err := i.TakeSnapshot(ctx, in.GetSnapshot(), in.GetReplace())
	if err != nil {
		return nil, err
	}
	return &controlv1.TakeSnapshotResponse{Snapshot: snapshotMessage(i, &taken)}, nil
}

// ListSnapshots returns the snapshots of an instance by name, in pages.
func (s *instances) ListSnapshots(_ context.Context, in *controlv1.ListSnapshotsRequest) (*controlv1.ListSnapshotsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	page, next, err := pageOf(i.Snapshots(), func(s instance.Snapshot) string { return s.Name }, in.GetPageSize(), in.GetPageToken())
	if err != nil {
		return nil, err
	}
	out := &controlv1.ListSnapshotsResponse{NextPageToken: next}
	for n := range page {
		out.Snapshots = append(out.Snapshots, snapshotMessage(i, &page[n]))
	}
	return out, nil
}

// DeleteSnapshot deletes a snapshot.
func (s *instances) DeleteSnapshot(_ context.Context, in *controlv1.DeleteSnapshotRequest) (*controlv1.DeleteSnapshotResponse, error) {
	i, err := s.named(in.GetInstance(), in.GetSnapshot())
	if err != nil {
		return nil, err
	}
	if err := i.DeleteSnapshot(in.GetSnapshot()); err != nil {
		return nil, err
	}
	return &controlv1.DeleteSnapshotResponse{}, nil
}

// RestoreSnapshot returns an instance to the state of a snapshot.
func (s *instances) RestoreSnapshot(ctx context.Context, in *controlv1.RestoreSnapshotRequest) (*controlv1.RestoreSnapshotResponse, error) {
	i, err := s.named(in.GetInstance(), in.GetSnapshot())
	if err != nil {
		return nil, err
	}
	if err := i.Restore(ctx, in.GetSnapshot()); err != nil {
		return nil, err
	}
	return &controlv1.RestoreSnapshotResponse{Instance: describe(i)}, nil
}

// named returns the instance of a request that must name a snapshot.
func (s *instances) named(name, snapshot string) (*instance.Instance, error) {
	i, err := s.instance(name)
	if err == nil && snapshot == "" {
		return nil, MissingField.Refuse("snapshot", "the name of a snapshot of the instance")
	}
	return i, err
}

func snapshotMessage(i *instance.Instance, s *instance.Snapshot) *controlv1.Snapshot {
	return &controlv1.Snapshot{
		Instance: i.Name(), Name: s.Name, Taken: timestamppb.New(s.Taken), Time: stamp(s.Time), Height: s.Height, Canisters: uint64(s.Canisters),
	}
}
