package real

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/replica"
)

var kinds = map[string]replica.SubnetKind{"application": replica.Application, "nns": replica.NNS, "bitcoin": replica.Bitcoin}

// network makes the network.
func (p *performer) network(rest string) {
	config := replica.Config{Events: p, Version: "0.9.0"}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "slice":
			config.SliceInstructions = uint64(p.number(value))
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
		default:
			p.t.Fatalf("a network has no %q", name)
		}
	}
	p.Stage = NewStage(p.t, config)
	for i := range p.View().Subnets {
		p.Names[fmt.Sprintf("subnet%d", i)] = p.View().Subnets[i].ID
	}
}
