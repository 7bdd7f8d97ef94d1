package rehearse

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// explore upgrades the canister between the calls of operations and their answers.
func (r *rehearsal) explore(ctx context.Context) error {
	const name = "upgrade at every await"
	if len(r.Operations) == 0 {
		r.verdict.skip(name, "no operations were given")
		return nil
	}
	argument, err := r.argumentBytes()
	if err != nil {
		r.verdict.skip(name, err.Error())
		return nil
	}
	stream, err := r.Daemon.Explorer.Explore(ctx, &controlv1.ExploreRequest{
		Instance: r.base, Operations: r.Operations, Faults: 1, FaultKinds: []string{upgradeFault}, Names: r.Names, Runs: ExploreRuns, Seed: 1,
		Properties: &controlv1.ExploreProperties{Invariants: r.Invariants},
		Upgrades:   []*controlv1.ExploreUpgrade{{Canister: r.Canister, Module: r.Module, Argument: argument}},
	})
	if err != nil {
		return err
	}
	for {
		got, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("the daemon ended the exploration without a report: see its log")
		}
		if err != nil {
			return err
		}
		if report := got.GetReport(); report != nil {
			r.verdict.add(name, fmt.Sprintf("operations: %d, runs: %d", len(r.Operations), report.GetRuns()), Failed, upgradeFindings(report)...)
			return nil
		}
	}
}

// upgradeFault is the kind of fault that is an upgrade (docs/explore.md).
const upgradeFault = "upgrade"

// upgradeFindings lists the violations that an upgrade causes. Others are there without it.
func upgradeFindings(report *controlv1.ExploreReport) (findings []string) {
	for _, f := range report.GetFindings() {
		if len(f.GetUpgrades()) > 0 && !f.GetSuspicion() {
			findings = append(findings, f.GetProperty()+": "+f.GetText())
		}
	}
	return findings
}

// argumentBytes returns the argument of the upgrade as the explorer takes it.
func (r *rehearsal) argumentBytes() ([]byte, error) {
	switch form := r.Argument.GetForm().(type) {
	case nil:
		return nil, nil
	case *controlv1.Value_Bytes:
		return form.Bytes, nil
	case *controlv1.Value_Text:
		if form.Text == "" {
			return nil, nil
		}
		file, err := did.FromModule(r.described(), MaxModuleBytes)
		if err != nil {
			return nil, err
		}
		return file.EncodeInit(form.Text)
	}
	return nil, errors.New("the argument of the upgrade is neither bytes nor Candid text")
}
