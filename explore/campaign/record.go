package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/schedule"
)

// record is what a file says of the run that was found. Replays are compared with it: that a property holds says
// nothing where the code is the same, or where the run is another.
type record struct {
	canister principal.Principal // that the violation is about; empty for none
	method   string
	messages []string // of the run; nil in older files
	modules  []module // in the order of the names
	upgrades []module // to which the run upgrades canisters
	base     string   // hash of the state in which the run begins; "" if it is not known
}

// module is a module of a canister.
type module struct {
	name     string // of the canister
	canister principal.Principal
	hash     string
}

// known is the canister with a name or an id.
func known(name string, canister func(string) (principal.Principal, bool)) (principal.Principal, error) {
	id, found := canister(name)
	if !found {
		return id, fmt.Errorf("the schedule is about canister %q, which the network does not have", name)
	}
	return id, nil
}

// remember takes over what a file says of its run.
func (s *Schedule) remember(file *schedule.File, canister func(string) (principal.Principal, bool)) (err error) {
	r := &record{method: file.Method, messages: file.Messages, base: file.Base}
	if file.Canister != "" {
		if r.canister, err = known(file.Canister, canister); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Modules)) {
		id, err := known(name, canister)
		if err != nil {
			return err
		}
		r.modules = append(r.modules, module{name, id, file.Modules[name]})
	}
	for _, u := range file.Upgrades {
		id, err := known(u.Canister, canister)
		if err != nil {
			return err
		}
		r.upgrades = append(r.upgrades, module{u.Canister, id, u.Module})
	}
	s.record = r
	return nil
}

// concerns are the canisters of whose modules it depends whether a run has a violation.
func (c *Config) concerns(f *Finding) (all []principal.Principal) {
	for i := range f.Steps {
		all = append(all, f.Steps[i].Canister)
	}
	for i := range c.Observe {
		all = append(all, c.Observe[i].Canister)
	}
	for _, p := range c.Properties {
		if line, ok := p.(*property.Invariant); ok && line.Title == f.Property && line.Right != nil {
			all = append(all, line.Right.Canister)
		}
	}
	return append(all, f.Canister)
}

// module is the hash of the module of a canister in the base, "" if it has none.
func (c *Config) module(id principal.Principal) string {
	if k := c.Setup.Base.Canister(id); k != nil && k.Module() != nil {
		hash := k.Module().Hash()
		return hex.EncodeToString(hash[:])
	}
	return ""
}

// next is the hash of the module to which a canister may be upgraded.
func (c *Config) next(id principal.Principal) string {
	hash := sha256.Sum256(c.Setup.Upgrades[id].Module)
	return hex.EncodeToString(hash[:])
}

// upgrades are the modules that the run of a finding needs.
func (f *Finding) upgrades(c *Config) (all []schedule.Upgrade) {
	for _, s := range f.Steps {
		own := schedule.Upgrade{Canister: c.Setup.NameOf(s.Canister), Module: c.next(s.Canister)}
		if s.Fault == harness.Upgrade && !slices.Contains(all, own) {
			all = append(all, own)
		}
	}
	return all
}

// upgradable says which module is missing to which the run of a file upgrades a canister.
func (c *Config) upgradable(file *schedule.File, canister func(string) (principal.Principal, bool)) error {
	for _, u := range file.Upgrades {
		id, err := known(u.Canister, canister)
		if err != nil {
			return err
		}
		if _, given := c.Setup.Upgrades[id]; !given {
			return fmt.Errorf("the schedule upgrades %[1]s, and no module was given to which it is upgraded: give the one of the exploration (--upgrade %[1]s=FILE)", u.Canister)
		}
	}
	return nil
}

// outcalls are the answers that the run of a finding needs.
func (f *Finding) outcalls(c *Config) (all []schedule.Outcall) {
	if !slices.ContainsFunc(f.Steps, func(s *harness.Step) bool { return s.Outcall }) {
		return nil
	}
	for _, o := range c.Setup.Outcalls {
		all = append(all, schedule.Outcall{Status: o.Status, Body: string(o.Body)})
	}
	return all
}

// probed are the positions of operations that do not take part, and that a finding is about.
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

// gone is a canister of the record that has no module now, "" for none.
func (r *record) gone(c *Config) string {
	for _, m := range r.modules {
		if c.module(m.canister) == "" {
			return m.name
		}
	}
	return ""
}

// repaired reports whether a module is not that of the record.
func (r *record) repaired(c *Config) bool {
	return slices.ContainsFunc(r.modules, func(m module) bool { return c.module(m.canister) != m.hash }) ||
		slices.ContainsFunc(r.upgrades, func(m module) bool { return c.next(m.canister) != m.hash })
}

// missing is the first message of the record that did not come in a run, "" for none.
func (r *record) missing(steps []*harness.Step) string {
	came := names(steps)
	at := slices.IndexFunc(r.messages, func(name string) bool { return !slices.Contains(came, name) })
	if at < 0 {
		return ""
	}
	return r.messages[at]
}

// unexplained says why it does not count that a property holds in a run, "" if it counts: a module has changed.
func (r *record) unexplained(c *Config, steps []*harness.Step) string {
	if name := r.gone(c); name != "" {
		return fmt.Sprintf("canister %s has no module", name)
	}
	if len(r.modules) == 0 || r.repaired(c) {
		return ""
	}
	why := "the modules are those of the schedule; " + r.otherState(c)
	if at := r.missing(steps); at != "" {
		return fmt.Sprintf("diverged at %s, which did not come: %s", at, why)
	}
	return why
}

// otherState says what can be different where no module is.
func (r *record) otherState(c *Config) string {
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
