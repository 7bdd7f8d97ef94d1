package rehearse

import (
	"context"
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Instructions are the instructions of an upgrade. The limit is for the sum.
type Instructions struct {
	Total       uint64 `json:"total"`
	PreUpgrade  uint64 `json:"pre_upgrade"`
	Start       uint64 `json:"start"`
	PostUpgrade uint64 `json:"post_upgrade"`
	Compiling   uint64 `json:"compiling"` // of the module
}

// Entries of profiles that are parts of an upgrade.
const (
	preUpgrade  = "pre upgrade"
	start       = "start"
	postUpgrade = "post upgrade"
	installing  = "install"
)

// upgraded upgrades a fork, with the instructions of each part. where is the part that failed, and why the text of the
// reject; both are "" if the upgrade succeeded.
func (f *fork) upgraded(ctx context.Context, content []byte) (spent Instructions, where, why string, err error) {
	_, err = f.Daemon.Profiler.StartProfile(ctx, &controlv1.StartProfileRequest{Instance: f.name, CanisterIds: []string{f.Canister}})
	if err != nil {
		return spent, "", "", fmt.Errorf("measuring the hooks: %w", err)
	}
	installed, why, err := f.install(ctx, module{content: content})
	if err != nil {
		return spent, "", "", err
	}
	got, err := f.Daemon.Profiler.StopProfile(ctx, &controlv1.StopProfileRequest{Instance: f.name})
	if err != nil {
		return spent, "", "", fmt.Errorf("measuring the hooks: %w", err)
	}
	spent, last := partsOf(got.GetProfile())
	spent.Total = installed.GetInstructions()
	if why != "" {
		where = last
	}
	return spent, where, why, nil
}

// partsOf returns the instructions of the parts of an upgrade in a profile, and the last part that ran; "" for none.
func partsOf(p *controlv1.Profile) (spent Instructions, last string) {
	part := make([]string, len(p.GetNodes()))
	entries := map[string]bool{}
	for i, node := range p.GetNodes() {
		symbol := p.GetSymbols()[node.GetSymbol()]
		part[i] = part[node.GetParent()]
		if symbol.GetKind() == controlv1.FrameKind_FRAME_KIND_ENTRY {
			part[i] = symbol.GetEntry()
			entries[part[i]] = true
		}
		switch part[i] {
		case preUpgrade:
			spent.PreUpgrade += node.GetInstructions()
		case start:
			spent.Start += node.GetInstructions()
		case postUpgrade:
			spent.PostUpgrade += node.GetInstructions()
		case installing:
			spent.Compiling += node.GetInstructions()
		}
	}
	for _, one := range []string{preUpgrade, start, postUpgrade} {
		if entries[one] {
			last = "canister_" + strings.ReplaceAll(one, " ", "_")
		}
	}
	if last == "canister_"+start {
		last = "the start of the new module"
	}
	return spent, last
}
