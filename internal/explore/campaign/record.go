package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// record describes the run that a schedule file was written for. A replay in which the property holds means nothing if
// the code is unchanged or the run is a different one; the record tells these cases apart.
type record struct {
	canister principal.Principal // of the violation; empty for none
	method   string              // of the violation
	messages []string            // of the run; nil in older files
	modules  []module            // sorted by name
	upgrades []module            // to which the run upgrades canisters
	base     string              // hash of the state in which the run begins; "" if unknown
}

// module is the module of one canister.
type module struct {
	name     string // of the canister
	canister principal.Principal
	hash     string
}

// lookUp returns the canister with a name or an id, which canister finds.
func lookUp(name string, canister func(string) (principal.Principal, bool)) (principal.Principal, error) {
	id, found := canister(name)
	if !found {
		return id, fmt.Errorf("the schedule is of another network: it is about canister %q, which this network does not have: deploy the project first", name)
	}
	return id, nil
}

// readRecord copies the description of the recorded run from a file.
func (s *Schedule) readRecord(file *schedule.File, canister func(string) (principal.Principal, bool)) (err error) {
	r := &record{method: file.Method, messages: file.Messages, base: file.Base}
	if file.Canister != "" {
		if r.canister, err = lookUp(file.Canister, canister); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Modules)) {
		id, err := lookUp(name, canister)
		if err != nil {
			return err
		}
		r.modules = append(r.modules, module{name, id, file.Modules[name]})
	}
	for _, u := range file.Upgrades {
		id, err := lookUp(u.Canister, canister)
		if err != nil {
			return err
		}
		r.upgrades = append(r.upgrades, module{u.Canister, id, u.Module})
	}
	s.record = r
	return nil
}

// involved returns the canisters whose modules decide whether a run has the violation.
func (c *Config) involved(f *Finding) (all []principal.Principal) {
	for i := range f.Steps {
		all = append(all, f.Steps[i].Canister)
	}
	for i := range c.Observe {
		all = append(all, c.Observe[i].Canister)
	}
	for _, p := range c.Properties {
		if line, ok := p.(*property.Invariant); ok && line.Title == f.Property {
			for _, q := range line.Queries() {
				all = append(all, q.Canister)
			}
		}
	}
	return append(all, f.Canister)
}

// moduleHash returns the hash of a canister's module in the base, "" if it has none.
func (c *Config) moduleHash(id principal.Principal) string {
	if k := c.Setup.Base.Canister(id); k != nil && k.Module() != nil {
		hash := k.Module().Hash()
		return hex.EncodeToString(hash[:])
	}
	return ""
}

// upgradeHash returns the hash of the module to which a canister may be upgraded.
func (c *Config) upgradeHash(id principal.Principal) string {
	hash := sha256.Sum256(c.Setup.Upgrades[id].Module)
	return hex.EncodeToString(hash[:])
}

// upgrades returns the upgrades that the run of a finding needs.
func (f *Finding) upgrades(c *Config) (all []schedule.Upgrade) {
	for _, s := range f.Steps {
		own := schedule.Upgrade{Canister: c.Setup.NameOf(s.Canister), Module: c.upgradeHash(s.Canister)}
		if s.Fault == harness.Upgrade && !slices.Contains(all, own) {
			all = append(all, own)
		}
	}
	return all
}

// checkUpgrades returns an error if the run of a file upgrades a canister and no module was given for it.
func (c *Config) checkUpgrades(file *schedule.File, canister func(string) (principal.Principal, bool)) error {
	for _, u := range file.Upgrades {
		id, err := lookUp(u.Canister, canister)
		if err != nil {
			return err
		}
		if _, given := c.Setup.Upgrades[id]; !given {
			return fmt.Errorf("the schedule upgrades %[1]s, but no module was given for the upgrade: pass the one of the exploration (--upgrade %[1]s=FILE)", u.Canister)
		}
	}
	return nil
}

// outcalls returns the answers to HTTP outcalls that the run of a finding needs.
func (f *Finding) outcalls(c *Config) (all []schedule.Outcall) {
	if !slices.ContainsFunc(f.Steps, func(s *harness.Step) bool { return s.Outcall }) {
		return nil
	}
	for _, o := range c.Setup.Outcalls {
		all = append(all, schedule.Outcall{Status: o.Status, Body: string(o.Body)})
	}
	return all
}

// probed returns the positions of the operations that a finding of LostService is about and that take no part in its
// run.
func (f *Finding) probed(c *Config) (all []int) {
	for i := range c.Setup.Operations {
		to := &c.Setup.Operations[i].Message
		about := to.Receiver == f.Canister && to.Method == f.Method
		if f.Property == (&property.LostService{}).Name() && about && !slices.Contains(f.Schedule.Operations, i) {
			all = append(all, i)
		}
	}
	return all
}

// elsewhere says why the record is of another network, "" if it may be of this one: a canister of the record has no module
// here. Schedules of Go programs have no record.
func (r *record) elsewhere(c *Config) string {
	if r == nil {
		return ""
	}
	for _, m := range r.modules {
		if c.moduleHash(m.canister) == "" {
			return fmt.Sprintf("the schedule is of another network: there canister %s ran module %.12s, and here it has none: deploy the project first", m.name, m.hash)
		}
	}
	return ""
}

// modulesChanged reports whether any module differs from the record.
func (r *record) modulesChanged(c *Config) bool {
	return slices.ContainsFunc(r.modules, func(m module) bool { return c.moduleHash(m.canister) != m.hash }) ||
		slices.ContainsFunc(r.upgrades, func(m module) bool { return c.upgradeHash(m.canister) != m.hash })
}

// missingMessage returns the first message of the record that a run did not deliver, "" for none.
func (r *record) missingMessage(steps []*harness.Step) string {
	came := names(steps)
	at := slices.IndexFunc(r.messages, func(name string) bool { return !slices.Contains(came, name) })
	if at < 0 {
		return ""
	}
	return r.messages[at]
}

// inconclusive says why it proves nothing that the property holds in a run. It is "" if a module has changed: then the
// property was fixed.
func (r *record) inconclusive(c *Config, steps []*harness.Step) string {
	if len(r.modules) == 0 || r.modulesChanged(c) {
		return ""
	}
	why := "the modules are those of the schedule; " + r.difference(c)
	if at := r.missingMessage(steps); at != "" {
		return fmt.Sprintf("diverged at %s, which did not come: %s", at, why)
	}
	return why
}

// difference says what must have changed if no module has.
func (r *record) difference(c *Config) string {
	base := c.Setup.Base.RootHash()
	now := hex.EncodeToString(base[:])
	switch r.base {
	case "":
		return "the state or the arguments are different"
	case now:
		return "the state is the same, and the operations or what is checked are different"
	default:
		return fmt.Sprintf("the state is different (base %.12s, in the schedule %.12s)", now, r.base)
	}
}
