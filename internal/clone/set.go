package clone

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/standin"
)

// Call is a call that a canister of the source made.
type Call struct {
	Callee principal.Principal
	Query
}

// Set is what canisters are cloned together with those that they call.
type Set struct {
	Source *Source // nil: a directory
	Cache  Cache
	// Follow adds the canisters that members call.
	Follow bool
	// Fetch returns the snapshot of a canister, which is in the cache then.
	Fetch func(ctx context.Context, canister principal.Principal) (*Entry, error)
	// Exists reports whether the destination has a canister. It is left alone then.
	Exists func(ctx context.Context, canister principal.Principal) (bool, error)
	// Calls returns calls that a canister has made; nil: the source does not remember them.
	Calls func(ctx context.Context, canister principal.Principal) ([]Call, error)
	// StandIns are recordings of canisters that are not cloned, and Recorded are canisters that get a stand-in with replies
	// that are recorded now.
	StandIns []*standin.Recording
	Recorded []principal.Principal
	// Known returns what is known of the module of a hash, nil for nothing.
	Known func(hash []byte) (*KnownModule, error)
	// Named returns canisters that the user says a canister calls.
	Named func(canister principal.Principal) []principal.Principal
}

// Member is a canister of a set.
type Member struct {
	Canister principal.Principal
	// Caller is the canister that calls it, and Known says how that is known. Both are zero for a canister that was asked for.
	Caller principal.Principal
	Known  string
	// Entry is its snapshot. Without one, Published is its published module, nil if none is known, and Recording is what its
	// stand-in replies, nil if it shows nothing. Err says why there is no snapshot.
	Entry     *Entry
	Published *Published
	Recording *standin.Recording
	Err       error

	queries []Query // that its callers made
}

// Gather reads the snapshots of canisters and of all that they call, directly or through others. Of those that the caller of
// the source may not read, it looks for the published module and records a stand-in.
func (s *Set) Gather(ctx context.Context, canisters []principal.Principal) ([]*Member, error) {
	g := &gathering{Set: s}
	for _, id := range canisters {
		g.add(&Member{Canister: id})
	}
	for _, r := range s.StandIns {
		g.add(&Member{Canister: r.Canister, Recording: r})
	}
	for _, id := range s.Recorded {
		g.add(&Member{Canister: id, Known: chosen, Err: errChosen})
	}
	for i := 0; i < len(g.all); i++ { // fetching adds members
		if m := g.all[i]; m.Err == nil && m.Recording == nil {
			if err := g.fetch(ctx, m); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range g.all {
		if m.Err == nil || errors.Is(m.Err, errTooMany) {
			continue
		}
		if err := g.substitute(ctx, m); err != nil {
			return nil, err
		}
	}
	if !s.Follow {
		return g.all, nil
	}
	return g.all, g.record(canisters)
}

// gathering is one run of Gather.
type gathering struct {
	*Set
	all []*Member
}

// chosen is how a canister of Recorded is known, and errChosen why it is not cloned.
const chosen = "chosen"

var errChosen = errors.New("a stand-in was asked for")

// errTooMany is why a set does not have more canisters.
var errTooMany = fmt.Errorf("a set has at most %d canisters", MaxMembers)

// add adds a canister, unless it is a member. The queries of several callers are joined.
func (g *gathering) add(m *Member) {
	i := slices.IndexFunc(g.all, func(other *Member) bool { return other.Canister == m.Canister })
	if i >= 0 {
		found := g.all[i]
		found.queries = append(found.queries, m.queries...)
		if found.Caller == (principal.Principal{}) && found.Known == chosen {
			found.Caller = m.Caller
		}
		return
	}
	if len(g.all) >= MaxMembers {
		m.Err = errTooMany
	}
	g.all = append(g.all, m)
}

// fetch reads the snapshot of a member, and adds those that it calls.
func (g *gathering) fetch(ctx context.Context, m *Member) error {
	entry, err := g.Fetch(ctx, m.Canister)
	if err != nil {
		return m.fail(err)
	}
	m.Entry = entry
	if !g.Follow {
		return nil
	}
	return g.addCalled(ctx, m)
}

// fail says what an error means for the whole set: nothing if the source does not let its caller read a canister that
// others call.
func (m *Member) fail(err error) error {
	switch called := m.Known != ""; {
	case !called:
		return err
	case isAnswer(err) || isMissing(err):
		m.Err = err
		return nil
	}
	return fmt.Errorf("canister %s, which %s calls (%s): %w", m.Canister, m.Caller, m.Known, err)
}

// addCalled adds the canisters that a member calls and the destination does not have.
func (g *gathering) addCalled(ctx context.Context, m *Member) error {
	called, err := g.called(ctx, m)
	if err != nil {
		return err
	}
	for _, id := range slices.SortedFunc(maps.Keys(called), principal.Principal.Compare) {
		if exists, err := g.Exists(ctx, id); err != nil {
			return err
		} else if !exists {
			g.add(called[id])
		}
	}
	return nil
}

// called returns the canisters that a member calls: by its environment variables, the calls that it made, and what the user
// says.
func (g *gathering) called(ctx context.Context, m *Member) (map[principal.Principal]*Member, error) {
	found := map[principal.Principal]*Member{}
	add := func(id principal.Principal, known string, queries ...Query) {
		if _, is := id.CanisterNumber(); !is || id == m.Canister {
			return
		}
		if found[id] == nil {
			found[id] = &Member{Canister: id, Caller: m.Canister, Known: known}
		}
		found[id].queries = append(found[id].queries, queries...)
	}
	variables, err := m.Entry.variables()
	if err != nil {
		return nil, err
	}
	for _, v := range variables {
		if id, err := principal.Parse(v.Value); err == nil {
			add(id, "environment variable "+v.Name)
		}
	}
	if g.Calls != nil {
		calls, err := g.Calls(ctx, m.Canister)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			add(c.Callee, "call of "+c.Method, c.Query)
		}
	}
	for _, id := range g.Named(m.Canister) {
		add(id, "named in canisterd.yaml")
	}
	return found, nil
}

// substitute looks for the published module of a member, and records a stand-in: which of them the destination gets may
// depend on an argument of the installation.
func (g *gathering) substitute(ctx context.Context, m *Member) (err error) {
	if m.Published, err = g.Source.published(ctx, m.Canister, g.Known); err != nil {
		return err
	}
	if m.Published != nil {
		if err := g.Cache.putPublished(m.Published); err != nil {
			return err
		}
	}
	return g.standIn(ctx, m)
}

// standIn records a stand-in for a member, beside the replies that the cache has.
func (g *gathering) standIn(ctx context.Context, m *Member) error {
	known, err := g.Cache.Recording(m.Canister)
	if err != nil {
		return err
	}
	if m.Recording, err = g.Source.StandIn(ctx, m.Canister, known, m.queries); err != nil || m.Recording == nil {
		return err
	}
	return g.Cache.PutRecording(m.Recording)
}

// record writes into the cache which canisters belong to those that were asked for.
func (g *gathering) record(canisters []principal.Principal) error {
	ids := []string{}
	for _, m := range g.all {
		if m.Known != "" && (m.Entry != nil || m.Published != nil || m.Recording != nil) {
			ids = append(ids, m.Canister.String())
		}
	}
	for _, m := range g.all {
		if !slices.Contains(canisters, m.Canister) || m.Entry == nil {
			continue
		}
		m.Entry.Record.Dependencies = ids
		if _, err := g.Cache.put(&m.Entry.Record); err != nil {
			return err
		}
	}
	return nil
}

// Cached returns the members of the set of a canister from the cache; nil: its dependencies were not gathered.
func (c Cache) Cached(canister principal.Principal, from string) ([]*Member, error) {
	root, err := c.Newest(canister, from)
	if err != nil || root == nil || root.Record.Dependencies == nil {
		return nil, err
	}
	all := []*Member{{Canister: canister, Entry: root}}
	for _, text := range root.Record.Dependencies {
		id, err := principal.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("the record of the clone %s: dependencies: %w", canister, err)
		}
		m := &Member{Canister: id, Caller: canister, Known: "dependency"}
		if m.Entry, err = c.Newest(id, from); err == nil && m.Entry == nil {
			err = c.substitutes(m, from)
		}
		if err != nil {
			return nil, err
		}
		if m.Entry == nil && m.Published == nil && m.Recording == nil {
			return nil, nil // it was removed: all are gathered again
		}
		all = append(all, m)
	}
	return all, nil
}

// substitutes reads from the cache what may take the place of a member without a snapshot.
func (c Cache) substitutes(m *Member, from string) (err error) {
	if m.Published, err = c.Published(m.Canister); err != nil {
		return err
	}
	if m.Published != nil && m.Published.From != from {
		m.Published = nil
	}
	if m.Recording, err = c.Recording(m.Canister); err != nil {
		return err
	}
	if m.Recording != nil && m.Recording.From != from {
		m.Recording = nil
	}
	return nil
}
