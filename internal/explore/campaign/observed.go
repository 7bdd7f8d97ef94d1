package campaign

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// observed returns the queries by which runs are compared with serial ones. If the user names none, these are the
// queries without arguments that the canisters of a serial run declare, at most maxObserved, except those whose replies
// depend on the time. Without queries, methods that return nothing would hide a lost update.
func (b *baseline) observed(l *harness.Harness) (stable []harness.Query) {
	if len(b.config.Observe) > 0 {
		return b.config.Observe
	}
	r := l.Begin(nil)
	defer r.Close()
	search.Drive(r, search.Serial(serialOrders(b.chosen)[0]), maxMessages)
	queries := b.config.declaredQueries(r.Steps(), b.config.Setup.Operations[0].Message.Sender)
	replies := func() (all []string, failed []error) {
		for i := range queries {
			reply, err := r.Query(&queries[i])
			all, failed = append(all, string(reply)), append(failed, err)
		}
		return all, failed
	}
	before, _ := replies()
	r.PassHour()
	after, failed := replies()
	for i := range queries {
		if failed[i] == nil && after[i] == before[i] {
			stable = append(stable, queries[i])
		}
	}
	return stable
}

// declaredQueries returns queries without arguments that the canisters of a run declare in their Candid interfaces.
func (c *Config) declaredQueries(steps []*harness.Step, sender principal.Principal) (all []harness.Query) {
	var seen []principal.Principal
	for _, s := range steps {
		if slices.Contains(seen, s.Canister) {
			continue
		}
		seen = append(seen, s.Canister)
		file, found := c.interfaceOf(s.Canister)
		if !found {
			continue
		}
		for _, m := range file.Methods() {
			if len(m.Args) == 0 && m.Annotation == candid.Query && len(all) < maxObserved {
				all = append(all, harness.Query{Canister: s.Canister, Sender: sender, Method: m.Name, Arg: noArguments})
			}
		}
	}
	return all
}

// Argument encodes arguments in Candid text at the types of a method, or at those that they have by themselves if the module
// of the canister does not describe the method.
func (c *Config) Argument(id principal.Principal, method, text string) ([]byte, error) {
	if file, found := c.interfaceOf(id); found {
		if m, described := file.Method(method); described {
			arg, err := m.EncodeArgs(text)
			if err != nil {
				return nil, fmt.Errorf("%w; %s takes %s", err, method, did.FormatTypes(m.Args))
			}
			return arg, nil
		}
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}

// interfaceOf returns the Candid interface in the module of a canister.
func (c *Config) interfaceOf(id principal.Principal) (*did.File, bool) {
	k := c.Setup.Base.Canister(id)
	if k == nil || k.Module() == nil {
		return nil, false
	}
	section, found := k.Module().Section(did.InterfaceSection)
	if !found {
		return nil, false
	}
	file, err := did.Parse(string(section.Content))
	return file, err == nil
}
