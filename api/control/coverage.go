package control

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica/driver"
)

// coverages is the service Coverage.
type coverages struct {
	controlv1.UnimplementedCoverageServer
	*Server
}

// Reasons of the service Coverage.
var (
	// coverageRecorded and coverageNotRecorded take the name of the instance.
	coverageRecorded = reason("COVERAGE_RECORDED", codes.FailedPrecondition, "the coverage of instance %q is recorded already", "instance").
				advise("call Coverage.StopCoverage first, which returns that coverage")
	coverageNotRecorded = reason("COVERAGE_NOT_RECORDED", codes.FailedPrecondition, "the coverage of instance %q is not recorded", "instance").
				advise("call Coverage.StartCoverage first")
)

// StartCoverage records which code of an instance runs from now on.
func (s *coverages) StartCoverage(ctx context.Context, in *controlv1.StartCoverageRequest) (*controlv1.StartCoverageResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	ids, err := installedCanisters(ctx, i, in.GetCanisterIds())
	if err != nil {
		return nil, err
	}
	if err := i.Driver().StartCoverage(ctx, ids); err != nil {
		return nil, coverageRefusal(i, err)
	}
	return &controlv1.StartCoverageResponse{}, nil
}

// installedCanisters returns the canisters of a field canister_ids, which must be in the instance.
func installedCanisters(ctx context.Context, i *instance.Instance, texts []string) (ids []principal.Principal, err error) {
	ids = make([]principal.Principal, len(texts))
	for at, text := range texts {
		if ids[at], err = requiredPrincipal(fmt.Sprintf("canister_ids[%d]", at), text); err != nil {
			return nil, err
		}
		if err := (&subject{instance: i, id: ids[at]}).look(ctx); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// ReadCoverage returns which code ran so far.
func (s *coverages) ReadCoverage(ctx context.Context, in *controlv1.ReadCoverageRequest) (*controlv1.ReadCoverageResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	canisters, err := i.Driver().Coverage(ctx)
	if err != nil {
		return nil, coverageRefusal(i, err)
	}
	return &controlv1.ReadCoverageResponse{Canisters: shownCanisters(canisters, in.GetAll())}, nil
}

// StopCoverage ends the recording and returns which code ran.
func (s *coverages) StopCoverage(ctx context.Context, in *controlv1.StopCoverageRequest) (*controlv1.StopCoverageResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	canisters, err := i.Driver().StopCoverage(ctx)
	if err != nil {
		return nil, coverageRefusal(i, err)
	}
	return &controlv1.StopCoverageResponse{Canisters: shownCanisters(canisters, in.GetAll())}, nil
}

// coverageRefusal returns the refusal of an error of the driver.
func coverageRefusal(i *instance.Instance, err error) error {
	switch {
	case errors.Is(err, driver.ErrCovered):
		return coverageRecorded.Refuse(i.Name())
	case errors.Is(err, driver.ErrNotCovered):
		return coverageNotRecorded.Refuse(i.Name())
	}
	return err
}

func shownCanisters(canisters []driver.CanisterCoverage, all bool) (out []*controlv1.CanisterCoverage) {
	for _, c := range canisters {
		for i := range c.Modules {
			m := &c.Modules[i]
			lines := m.Lines()
			measured := coverdir.ModuleOf(c.Canister.String(), m, lines)
			summary := coverage.Summarize(&coverage.Report{Modules: []coverage.Module{measured}}, coverage.Options{All: all})
			shown := shownModule(&summary.Canisters[0])
			shown.CanisterId, shown.ModuleHash, shown.Calls = c.Canister.String(), m.Hash[:], shownCallCoverage(m.Calls)
			out = append(out, shown)
		}
	}
	return out
}

func shownModule(c *coverage.Canister) *controlv1.CanisterCoverage {
	out := &controlv1.CanisterCoverage{LeftOut: uint32(c.LeftOut), Root: c.Root}
	for i := range c.Functions {
		f := &c.Functions[i]
		out.Functions = append(out.Functions, &controlv1.FunctionCoverage{
			Name: f.Name, Index: f.Index, File: f.File, Line: uint32(f.Line), Ran: uint32(f.Blocks.Ran), Blocks: uint32(f.Blocks.Total),
		})
	}
	if !c.HasLines {
		return out
	}
	for i := range c.Files {
		file := &controlv1.FileCoverage{Name: c.Files[i].Name}
		for _, m := range c.Files[i].Lines {
			file.Lines = append(file.Lines, &controlv1.LineCoverage{Number: uint32(m.Number), Ran: uint32(m.Blocks.Ran), Blocks: uint32(m.Blocks.Total)})
		}
		out.Files = append(out.Files, file)
	}
	return out
}

func shownCallCoverage(calls []canister.CoveredCall) (out []*controlv1.CallCoverage) {
	for i := range calls {
		c := &calls[i]
		out = append(out, &controlv1.CallCoverage{Method: c.Method, Made: c.Made, Replied: c.Replied, Rejected: c.Rejected, Cleaned: c.Cleaned})
	}
	return out
}
