package real

import (
	"strings"

	"github.com/canisterd/canisterd/replica"
)

// network makes the network.
func (p *performer) network(rest string) {
	config := replica.Config{Events: p}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "slice":
			config.SliceInstructions = uint64(p.number(value))
		case "subnets":
			for range p.number(value) {
				config.Subnets = append(config.Subnets, replica.SubnetConfig{Nodes: 13})
			}
		default:
			p.t.Fatalf("a network has no %q", name)
		}
	}
	p.Stage = NewStage(p.t, config)
}
