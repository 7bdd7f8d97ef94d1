package replicatest

import (
	"strings"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// network makes the network.
func (p *performer) network(words []string) {
	config := replica.Config{Events: p}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "slice":
			config.SliceInstructions = uint64(p.number(value))
		case "messages":
			config.RoundMessages = p.number(value)
		case "best-effort":
			config.BestEffortMessageBytes = uint64(p.number(value))
		case "subnets":
			kinds := map[string]replica.SubnetKind{"application": replica.Application, "nns": replica.NNS, "system": replica.System}
			for _, kind := range strings.Split(value, ",") {
				config.Subnets = append(config.Subnets, replica.SubnetConfig{Kind: kinds[kind], Nodes: 13})
			}
		default:
			p.t.Fatalf("a network has no %q", name)
		}
	}
	p.stage = NewStage(p.t, config)
	if p.between != nil {
		p.stage.Between = func(n *replica.Network) *replica.Network {
			others := p.stage.Puppets.Fork() // a parked message ends with the old ones
			next := p.between(p.t, n, config.Override(state.Overrides{Executor: others, Management: Manager{First: p.stage.First}}))
			if next != n {
				p.stage.Puppets = others
			}
			return next
		}
	}
}
