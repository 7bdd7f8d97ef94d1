package rehearse

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/stabletypes"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// noMetadata is the reason of an error that a module has no such metadata (docs/errors.md).
const noMetadata = "NO_METADATA"

// stableTypes compares the stable variables of Motoko programs.
func (r *rehearsal) stableTypes(ctx context.Context) error {
	const name = "stable variables"
	got, err := r.Daemon.Canisters.ReadMetadata(ctx, &controlv1.ReadMetadataRequest{Instance: r.base, CanisterId: r.Canister, Name: stabletypes.MetadataSection})
	if reason, _ := remote.Reason(err); reason == noMetadata {
		r.verdict.skip(name, "the module has no "+stabletypes.MetadataSection+", so it is not Motoko's")
		return nil
	}
	if err != nil {
		return err
	}
	next, found := did.Section(r.Module, stabletypes.MetadataSection, MaxModuleBytes)
	if !found {
		r.verdict.add(name, "the new module must be Motoko's, too", Failed, "the old module is Motoko's, and the new one has no "+stabletypes.MetadataSection+": it cannot read the state")
		return nil
	}
	differences, count, err := differencesOf(string(got.GetContent()), next)
	if err != nil {
		r.verdict.add(name, "the signatures of both modules", Warning, "not compared: "+err.Error())
		return nil //nolint:nilerr // told as a finding
	}
	r.verdict.add(name, fmt.Sprintf("compared by type: %d", count), Failed, differences...)
	return nil
}

// differencesOf compares two signatures, and counts the stable variables of the old one.
func differencesOf(old, next string) (texts []string, count int, err error) {
	before, err := stabletypes.Parse(old)
	if err != nil {
		return nil, 0, fmt.Errorf("old module: %w", err)
	}
	after, err := stabletypes.Parse(next)
	if err != nil {
		return nil, 0, fmt.Errorf("new module: %w", err)
	}
	differences, err := stabletypes.Compare(before, after)
	for _, d := range differences {
		texts = append(texts, d.String())
	}
	return texts, len(before.Variables()), err
}

// candid compares the interfaces: callers of the old one must be able to go on.
func (r *rehearsal) candid(ctx context.Context) error {
	const name = "interface"
	got, err := r.Daemon.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: r.base, CanisterId: r.Canister})
	if reason, _ := remote.Reason(err); reason != "" {
		r.verdict.skip(name, "the old module has no Candid interface")
		return nil
	}
	if err != nil {
		return err
	}
	old, err := did.Parse(got.GetCandid())
	if err != nil || old.Service() == nil {
		r.verdict.skip(name, "the old module has no readable Candid interface")
		return nil //nolint:nilerr // that a canister describes itself wrongly says nothing about the upgrade
	}
	r.old = old
	next, err := did.FromModule(r.described(), MaxModuleBytes)
	if err != nil || next.Service() == nil {
		r.verdict.add(name, "Candid of both modules", Warning, "the new module has no readable Candid interface, and the old one has")
		return nil //nolint:nilerr // told as a finding
	}
	var findings []string
	for _, m := range old.Service().Methods() {
		if why := methodDiffers(m, next.Service().Methods()); why != "" {
			findings = append(findings, why)
		}
	}
	r.verdict.add(name, fmt.Sprintf("methods compared: %d", len(old.Service().Methods())), Failed, findings...)
	return nil
}

// methodDiffers says why callers of a method cannot go on; "" if they can.
func methodDiffers(m candid.Method, next []candid.Method) string {
	for _, n := range next {
		if n.Name != m.Name {
			continue
		}
		if err := candid.CheckSubtype(n.Type, m.Type); err != nil {
			return m.Name + ": " + err.Error()
		}
		return ""
	}
	return m.Name + ": the method is missing"
}
