package driver

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

// ErrCovered is the error of StartCoverage while coverage is recorded, and ErrNotCovered of the others while none is.
var (
	ErrCovered    = errors.New("the coverage of the instance is recorded already")
	ErrNotCovered = errors.New("the coverage of the instance is not recorded")
)

// CanisterCoverage is which code of a canister ran: of each module that it had, by hash.
type CanisterCoverage struct {
	Canister principal.Principal
	Modules  []canister.CoveredModule
}

// coverage records which code of canisters runs.
type coverage struct {
	only map[principal.Principal]bool // the recorded canisters; nil: all

	mu         sync.Mutex // guards canisters: queries run on other goroutines
	byCanister map[principal.Principal]*canister.Coverage
}

// StartCoverage records which code of some canisters runs from now on, of all canisters without any. It compiles the code
// that this needs before that. The error is ErrCovered if coverage is recorded already.
func (d *Driver) StartCoverage(ctx context.Context, canisters []principal.Principal) error {
	c := &coverage{only: selection(canisters), byCanister: map[principal.Principal]*canister.Coverage{}}
	if err := d.warmCoverage(ctx, c); err != nil {
		return err
	}
	var err error
	asked := d.ask(ctx, func(d *Driver) {
		if d.coverage != nil {
			err = ErrCovered
			return
		}
		d.coverage = c
		d.network.Cover(c.of)
	})
	return errors.Join(asked, err)
}

// Coverage returns what ran so far, by canister.
func (d *Driver) Coverage(ctx context.Context) ([]CanisterCoverage, error) {
	var c *coverage
	if err := d.askReadOnly(ctx, func(d *Driver) { c = d.coverage }); err != nil {
		return nil, err
	}
	return c.list()
}

// StopCoverage ends the recording and returns what ran, by canister.
func (d *Driver) StopCoverage(ctx context.Context) ([]CanisterCoverage, error) {
	var c *coverage
	err := d.ask(ctx, func(d *Driver) {
		if c = d.coverage; c != nil {
			d.coverage = nil
			d.network.Cover(nil)
		}
	})
	if err != nil {
		return nil, err
	}
	return c.list()
}

// selection is the set of some canisters, nil for all.
func selection(canisters []principal.Principal) map[principal.Principal]bool {
	if len(canisters) == 0 {
		return nil
	}
	only := make(map[principal.Principal]bool, len(canisters))
	for _, id := range canisters {
		only[id] = true
	}
	return only
}

// warmCoverage compiles the code for coverage of the canisters that are to be recorded, and lists their modules.
func (d *Driver) warmCoverage(ctx context.Context, c *coverage) error {
	var modules []replica.InstalledModule
	recorded := func(id principal.Principal) bool { return c.only == nil || c.only[id] }
	if err := d.askReadOnly(ctx, func(d *Driver) { modules = d.network.InstalledModules(recorded) }); err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.WarmCoverage(ctx, c.canister(m.Canister)); err != nil {
			return err
		}
	}
	return nil
}

// of implements the argument of replica.Network.Cover.
func (c *coverage) of(id principal.Principal) canister.Collector {
	if c.only != nil && !c.only[id] {
		return nil
	}
	return c.canister(id)
}

func (c *coverage) canister(id principal.Principal) *canister.Coverage {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byCanister[id]
	if known == nil {
		known = canister.NewCoverage()
		c.byCanister[id] = known
	}
	return known
}

// list returns what ran by canister, without canisters of which no code was installed.
func (c *coverage) list() ([]CanisterCoverage, error) {
	if c == nil {
		return nil, ErrNotCovered
	}
	c.mu.Lock()
	known := maps.Clone(c.byCanister)
	c.mu.Unlock()
	var all []CanisterCoverage
	for _, id := range slices.SortedFunc(maps.Keys(known), principal.Principal.Compare) {
		if modules := known[id].Modules(); len(modules) > 0 {
			all = append(all, CanisterCoverage{id, modules})
		}
	}
	return all, nil
}
