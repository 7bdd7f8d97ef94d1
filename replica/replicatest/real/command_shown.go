package real

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// shownLeaves tells what the certified tree shows of a canister, a leaf a line. Moments
// are in seconds since the script began.
func (p *performer) shownLeaves(rest string) {
	id, view := p.ID(rest), p.View()
	node, ok := view.SubnetOf(id).Certified().Tree().Get(certify.CanisterPath(id)...)
	if !ok {
		p.say("nothing")
		return
	}
	certify.TreeOf(node).Walk(func(path certify.Path, value []byte) bool {
		p.say("%s: %s", p.leafName(path), p.leaf(string(path[0]), value))
		return true
	})
}

func (p *performer) leafName(path certify.Path) string {
	labels := make([]string, len(path))
	for i, label := range path {
		labels[i] = string(label)
	}
	return strings.Join(labels, "/")
}

func (p *performer) leaf(name string, value []byte) string {
	switch name {
	case "controllers":
		controllers, err := certify.DecodeControllers(value)
		if err != nil {
			p.t.Fatalf("controllers: %v", err)
		}
		names := make([]string, len(controllers))
		for i, c := range controllers {
			if names[i] = p.name(c); c == p.User {
				names[i] = "the user"
			}
		}
		return strings.Join(names, ", ")
	case "canister_creation_timestamp", "last_install_timestamp":
		moment, err := certify.DecodeNat(value)
		if err != nil {
			p.t.Fatalf("%s: %v", name, err)
		}
		return fmt.Sprintf("%d s", (moment-replicatest.Start)/1e9)
	case "module_hash":
		return fmt.Sprintf("%d bytes", len(value))
	case "metadata":
		return fmt.Sprintf("%.40q", value)
	}
	return readable(value)
}
