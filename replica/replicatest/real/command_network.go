package real

import (
	"fmt"
	"maps"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/test/canistertest"
)

var kinds = map[string]replica.SubnetKind{
	"application": replica.Application, "nns": replica.NNS, "bitcoin": replica.Bitcoin, "system": replica.System,
	"verified": replica.VerifiedApplication, "cloud": replica.CloudEngine,
	"ii": replica.II, "fiduciary": replica.Fiduciary, "test-keys": replica.TestKeys,
}

// network makes the network. The words: slice=N, messages=N and round=N (limits of a
// round), guaranteed=N, best-effort=N, callbacks=N, stream=N and ingress=N (limits of messages),
// canisters=N (on each subnet),
// message=N, query=N, inspect=N, install=N (instructions), replica-slice=N (instructions of the slices a replica
// would run messages in, which one step may not overrun) and pages=N (of stable memory),
// unlimited (canisters change memory and install as often as they like), subnets=N
// (application subnets of 13 nodes), kinds=KIND,... (subnets with their kind's nodes), for
// a subnet with another number of nodes KIND=NODES, with a + after it where nothing costs
// anything; after them admins=NAME,... (of the subnet before) and occupied=N (MiB of memory
// used on each of them by others); quiet (no events are told).
func (p *performer) network(rest string) {
	unlimited := false
	limits := make(map[string]uint64)
	config := replica.Config{Events: p, Version: "0.9.0"}.Override(state.Overrides{Limits: limited(limits)})
	people := map[string]principal.Principal{"user": principal.SelfAuthenticating([]byte("user"))}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "slice":
			config.SliceInstructions = uint64(p.number(value))
		case "round":
			config.RoundInstructions = uint64(p.number(value))
		case "messages":
			config.RoundMessages = p.number(value)
		case "guaranteed":
			config.GuaranteedMessageBytes = uint64(p.number(value))
		case "best-effort":
			config.BestEffortMessageBytes = uint64(p.number(value))
		case "message", "query", "inspect", "install", "replica-slice", "pages":
			limits[name] = uint64(p.number(value))
		case "stream":
			config.StreamMessages = p.number(value)
		case "ingress":
			config.IngressMessages = p.number(value)
		case "occupied":
			for i := range config.Subnets {
				config.Subnets[i].Occupied = uint64(p.number(value)) << 20
			}
		case "canisters":
			config.SubnetCanisters = p.number(value)
		case "callbacks":
			config.SubnetCallbacks = p.number(value)
		case "unlimited":
			unlimited = true
		case "subnets":
			for range p.number(value) {
				config.Subnets = append(config.Subnets, replica.SubnetConfig{Nodes: 13})
			}
		case "kinds":
			for _, kind := range strings.Split(value, ",") {
				chosen, ok := kinds[kind]
				if !ok {
					p.t.Fatalf("there is no subnet of kind %q", kind)
				}
				config.Subnets = append(config.Subnets, replica.SubnetConfig{Kind: chosen})
			}
		case "admins":
			last := &config.Subnets[len(config.Subnets)-1]
			for who := range strings.SplitSeq(value, ",") {
				people[who] = principal.SelfAuthenticating([]byte(who))
				last.Admins = append(last.Admins, people[who])
			}
		case "quiet":
			p.quiet, config.Events = true, nil
		default:
			kind, ok := kinds[name]
			if !ok {
				p.t.Fatalf("a network has no %q", name)
			}
			nodes, free := strings.CutSuffix(value, "+")
			config.Subnets = append(config.Subnets, replica.SubnetConfig{Kind: kind, Nodes: p.number(nodes), Free: free})
		}
	}
	if config.Subnets == nil && unlimited {
		config.Subnets = []replica.SubnetConfig{{Nodes: 13}}
	}
	for i := range config.Subnets {
		config.Subnets[i].NoRateLimits = unlimited
	}
	if p.between != nil {
		config.Engine = canistertest.SharedEngine(p.t)
	}
	p.Stage = NewStage(p.t, config)
	if p.between != nil {
		p.Stage.Between = func(n *replica.Network) *replica.Network { return p.between(p.t, n, config) }
	}
	for i := range p.View().Subnets {
		p.Names[fmt.Sprintf("subnet%d", i)] = p.View().Subnets[i].ID
	}
	maps.Copy(p.Names, people)
}

// attend tells events again, unless the script is quiet.
func (p *performer) attend() {
	if !p.quiet {
		p.Listen(p)
	}
}

// limited enters the limits of executions a script has given.
func limited(given map[string]uint64) func(*canister.Limits) {
	return func(l *canister.Limits) {
		for name, limit := range map[string]*uint64{
			"message": &l.Message, "query": &l.Query, "inspect": &l.Inspect, "install": &l.Install, "replica-slice": &l.Slice, "pages": &l.StablePages,
		} {
			if n, ok := given[name]; ok {
				*limit = n
			}
		}
	}
}
