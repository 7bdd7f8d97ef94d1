package control

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/profile"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica/driver"
)

// profiler is the service Profiler.
type profiler struct {
	controlv1.UnimplementedProfilerServer
	*Server
}

// Reasons of the service Profiler.
var (
	// instanceProfiled and instanceNotProfiled take the name of the instance.
	instanceProfiled = reason("INSTANCE_PROFILED", codes.FailedPrecondition, "instance %q is profiled already", "instance").
				advise("call Profiler.StopProfile first, which returns that profile")
	instanceNotProfiled = reason("INSTANCE_NOT_PROFILED", codes.FailedPrecondition, "instance %q is not profiled", "instance").
				advise("call Profiler.StartProfile first")
)

// StartProfile profiles the messages of an instance from now on.
func (s *profiler) StartProfile(ctx context.Context, in *controlv1.StartProfileRequest) (*controlv1.StartProfileResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	ids, err := installedCanisters(ctx, i, in.GetCanisterIds())
	if err != nil {
		return nil, err
	}
	if err := i.Driver().StartProfile(ctx, ids); err != nil {
		return nil, profilerRefusal(i, err)
	}
	return &controlv1.StartProfileResponse{}, nil
}

// ReadProfile returns the profile so far.
func (s *profiler) ReadProfile(ctx context.Context, in *controlv1.ReadProfileRequest) (*controlv1.ReadProfileResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	p, err := i.Driver().Profile(ctx)
	if err != nil {
		return nil, profilerRefusal(i, err)
	}
	return &controlv1.ReadProfileResponse{Profile: shownProfile(p)}, nil
}

// StopProfile ends the profile and returns it.
func (s *profiler) StopProfile(ctx context.Context, in *controlv1.StopProfileRequest) (*controlv1.StopProfileResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	p, err := i.Driver().StopProfile(ctx)
	if err != nil {
		return nil, profilerRefusal(i, err)
	}
	return &controlv1.StopProfileResponse{Profile: shownProfile(p)}, nil
}

// profilerRefusal returns the refusal of an error of the driver.
func profilerRefusal(i *instance.Instance, err error) error {
	switch {
	case errors.Is(err, driver.ErrProfiled):
		return instanceProfiled.Refuse(i.Name())
	case errors.Is(err, driver.ErrNotProfiled):
		return instanceNotProfiled.Refuse(i.Name())
	}
	return err
}

var frameKinds = [...]controlv1.FrameKind{
	profile.Function: controlv1.FrameKind_FRAME_KIND_FUNCTION,
	profile.Host:     controlv1.FrameKind_FRAME_KIND_HOST,
	profile.Entry:    controlv1.FrameKind_FRAME_KIND_ENTRY,
	profile.Charge:   controlv1.FrameKind_FRAME_KIND_CHARGE,
	profile.Await:    controlv1.FrameKind_FRAME_KIND_AWAIT,
}

func shownProfile(p *profile.Profile) *controlv1.Profile {
	out := &controlv1.Profile{
		Messages: p.Messages, Folded: p.Folded,
		Symbols: make([]*controlv1.ProfileSymbol, len(p.Symbols)), Nodes: make([]*controlv1.ProfileNode, len(p.Nodes)),
	}
	for i, s := range p.Symbols {
		if i == 0 {
			out.Symbols[0] = &controlv1.ProfileSymbol{} // of the root
			continue
		}
		out.Symbols[i] = &controlv1.ProfileSymbol{
			Kind: frameKinds[s.Kind], CanisterId: s.Canister.String(), Name: s.Name, Entry: s.Entry, Index: s.Index, File: s.File, Line: uint32(s.Line),
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		out.Nodes[i] = &controlv1.ProfileNode{
			Symbol: uint32(n.Symbol), Parent: uint32(max(n.Parent, 0)), Calls: n.Calls, Instructions: n.Instructions,
			Cycles: n.Cycles, StableBytes: n.StableBytes,
		}
	}
	return out
}
