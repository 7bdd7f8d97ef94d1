package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/kept"
	"github.com/canisterd/canisterd/internal/project"
)

// initArguments reads the arguments of --init: ID=ARGUMENT.
func initArguments(texts []string) (map[string]string, error) {
	all := map[string]string{}
	for _, text := range texts {
		id, argument, found := strings.Cut(text, "=")
		if _, err := principal.Parse(id); err != nil || !found {
			return nil, fmt.Errorf("invalid --init %q: expected the id of a canister and the argument of its installation, such as 'ryjl3-tyaaa-aaaaa-aaaba-cai=(record {})'", text)
		}
		all[id] = argument
	}
	return all, nil
}

// readChoices reads what the flags say about canisters that cannot be cloned. ids are those that are cloned.
func (x *cloning) readChoices(ids []principal.Principal) (err error) {
	var standIns []string
	for _, text := range x.flags.standIns {
		id, err := principal.Parse(text)
		switch {
		case err != nil:
			continue // a file
		case slices.Contains(ids, id):
			return fmt.Errorf("canister %s cannot be both a clone and a stand-in: pass its id once", id)
		case x.source == nil:
			return fmt.Errorf("%s is a directory with a snapshot, and no network to query: leave out --stand-in %s", x.flags.from, id)
		}
		standIns, x.recorded = append(standIns, text), append(x.recorded, id)
	}
	x.choices, err = kept.Choices(standIns, x.flags.init)
	return err
}

// substituted makes what takes the place of a canister that is not cloned, and describes it.
func (x *cloning) substituted(ctx context.Context, m *clone.Member) (*cloned, error) {
	one := &cloned{Canister: m.Canister.String(), From: x.flags.from, Variables: []string{}, Missing: []string{}}
	if m.Err != nil {
		one.NotCloned = m.Err.Error()
	}
	if m.Caller != (principal.Principal{}) {
		one.Caller = m.Caller.String()
	}
	if slices.Contains(x.recorded, m.Canister) && m.Recording == nil {
		return nil, fmt.Errorf("canister %s does not show its interface at %s, so that no replies were recorded: canisterd clone record %[1]s with --candid FILE records some", m.Canister, x.flags.from)
	}
	done, err := x.destination().Substitute(ctx, m, x.choices, x.sender)
	if err != nil {
		return nil, fmt.Errorf("making a substitute for %s: %w", m.Canister, err)
	}
	if done.Err != nil {
		one.Module, one.NotPublished = m.Published.Name, remote.Text(done.Err)
		if !errors.Is(done.Err, clone.ErrNotAtHand) {
			one.NotPublished += fmt.Sprintf(" (--init '%s=ARGUMENT', or init of clone in %s, gives an argument)", one.Canister, project.File)
		}
	}
	switch {
	case done.Published != nil:
		one.Module, one.Published, one.Init = done.Published.Name, hex.EncodeToString(done.Published.Hash), done.Init
	case done.StandIn:
		x.describeStandIn(m, one)
	default:
		return one, nil
	}
	found, err := x.existing(ctx, x.daemon, one.Canister)
	one.Subnet = found.GetSubnetId()
	return one, err
}

func (x *cloning) describeStandIn(m *clone.Member, one *cloned) {
	n := len(m.Recording.Replies)
	one.From, one.Replies = m.Recording.From, &n
}

// tellSubstitutions says what took the places of canisters that were not cloned, and how to choose.
func (x *cloning) tellSubstitutions(all []*cloned) {
	for _, one := range all {
		x.tellSubstitution(one)
	}
	if slices.ContainsFunc(all, func(one *cloned) bool { return one.Published != "" }) {
		x.note("note: --init ID=ARGUMENT installs a published module with another argument, and --stand-in ID makes a stand-in instead, once the canister is deleted (canisterd canister delete ID --stop); in %s, clone has the keys init and stand_ins", project.File)
	}
}

// tellSubstitution says what took the place of a canister that was not cloned, and why.
func (x *cloning) tellSubstitution(one *cloned) {
	about := one.Canister
	if one.Caller != "" {
		about += ", which " + one.Caller + " calls,"
	}
	because := ""
	if one.NotCloned != "" {
		because = ": " + one.NotCloned
	}
	switch {
	case one.Published != "":
		x.note("note: %s runs the %s with empty state, installed with %s%s", about, one.Module, one.Init, because)
	case one.NotCloned != "" && one.Replies != nil:
		x.note("note: %s has a stand-in, which answers queries with %s (canisterd clone record adds more) and is not certified%s", about, replies(*one.Replies), because)
	case one.NotCloned != "":
		x.note("note: %s was not cloned%s", about, because)
	}
	if one.NotPublished != "" {
		x.note("note: the module of %s, %s, was not installed: %s", one.Canister, one.Module, one.NotPublished)
	}
}
