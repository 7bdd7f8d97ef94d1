package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// claim determines which canisters of the project exist, before any is created. It drops ids that the network does not
// have, and rejects ids that belong to another name or another project.
func (x *deploying) claim(ctx context.Context) error {
	x.ids = x.store.Live(x.network.Network)
	if err := x.store.TakeFolder(x.project.Folder(), x.network.Network, x.ids); err != nil {
		return err
	}
	var gone []string
	owner := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(x.ids)) {
		id := x.ids[name]
		if other := owner[id]; other != "" {
			return fmt.Errorf("%s has the id %s for both %s and %s: remove one of them", filepath.Join(x.project.Folder(), deployed.File), id, other, name)
		}
		owner[id] = name
		found, err := x.inspect(ctx, id)
		switch {
		case err != nil:
			return err
		case found == nil:
			delete(x.ids, name)
			gone = append(gone, name)
			continue
		}
		if other := ownerOf(name, found); other != "" {
			return fmt.Errorf("canister %s: the id %s belongs to %s: remove %[1]s from %s, and the next deploy creates a new canister", name, id, other, filepath.Join(x.project.Folder(), deployed.File))
		}
	}
	x.tellForgotten(gone)
	for _, name := range slices.Sorted(maps.Keys(x.project.Canisters)) {
		if err := x.checkFree(ctx, name, owner); err != nil {
			return err
		}
	}
	return nil
}

// tellForgotten prints which ids are no longer used: those of networks that are gone, and of deleted canisters.
func (x *deploying) tellForgotten(gone []string) {
	if len(gone) > 0 {
		x.cli.note("note: %s: %s", plural(len(gone), "this canister no longer exists", "these canisters no longer exist"), strings.Join(gone, ", "))
	}
	var stale []string
	for name, instance := range x.store.Instances() {
		if instance == x.cli.instanceName() && x.ids[name] == "" && x.project.Canisters[name] != nil && !slices.Contains(gone, name) {
			stale = append(stale, name)
		}
	}
	if slices.Sort(stale); len(stale) > 0 {
		x.cli.note("note: %s; creating new ids for %s", x.network.since(), strings.Join(stale, ", "))
	}
}

// plural returns one text for one thing and another for several.
func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// checkFree rejects the id that the project wants for a canister if another canister has it.
func (x *deploying) checkFree(ctx context.Context, name string, owner map[string]string) error {
	want := x.project.Canisters[name].ID
	switch {
	case want == "" || want == x.ids[name]:
		return nil
	case x.ids[name] != "":
		return fmt.Errorf("canister %s has the id %s in this network, and %s wants %s: delete it first (canisterd canister delete %[1]s --stop), or use that id", name, x.ids[name], project.File, want)
	case owner[want] != "":
		return fmt.Errorf("canister %s: the id %s already belongs to canister %s of this project: use another id in %s", name, want, owner[want], project.File)
	}
	found, err := x.inspect(ctx, want)
	if found == nil || err != nil {
		return err
	}
	other := ownerOf(name, found)
	if other == "" {
		other = "a canister that was not deployed from this directory"
	}
	return fmt.Errorf("canister %s: the id %s belongs to %s: delete that canister first (canisterd canister delete %[2]s --stop), or use another id", name, want, other)
}

// inspect returns a canister, nil if it does not exist.
func (x *deploying) inspect(ctx context.Context, id string) (*controlv1.Canister, error) {
	got, err := x.daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: x.cli.instance, CanisterId: id})
	if remote.Code(err) == codes.NotFound {
		return nil, nil
	}
	return got.GetCanister(), err
}

// ownerOf describes the owner of a canister by the names in its environment variables, "" if its name there is this one.
func ownerOf(name string, found *controlv1.Canister) string {
	var itself string
	var all []string
	for _, v := range found.GetSettings().GetEnvironment().GetVariables() {
		if of, is := strings.CutPrefix(v.GetName(), project.IDVariable); is {
			all = append(all, of)
			if v.GetValue() == found.GetCanisterId() {
				itself = of
			}
		}
	}
	if itself == "" || itself == name {
		return ""
	}
	return fmt.Sprintf("%s, of a project with the canisters %s", itself, strings.Join(all, ", "))
}

// record writes the ids of the canisters to the folder, and what was passed to them.
func (x *deploying) record(ctx context.Context) error {
	now, err := x.cli.networkOf(ctx, x.daemon)
	if err != nil {
		return err
	}
	if now.ID != x.network.ID {
		return fmt.Errorf("instance %s was restored or created again during the deployment: deploy again", now.instance)
	}
	x.store.Put(now.Network, x.cli.instanceName(), x.ids, now.Height)
	for name, spec := range x.project.Canisters {
		x.store.Describe(now.Network, name, spec.Candid)
	}
	for name, digest := range x.passed {
		x.store.Pass(now.Network, name, digest)
	}
	return x.store.Write(x.project.Folder())
}
