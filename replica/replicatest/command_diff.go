package replicatest

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/introspect"
)

// diff prints the differences between the present network and another.
func (p *performer) diff(words []string) {
	d, err := introspect.Diff(p.stage.Introspect(), p.other(words[0]).Introspect())
	if err != nil {
		p.t.Fatal(err)
	}
	for _, one := range d.List {
		whose := "network"
		switch {
		case one.Canister != principal.Management:
			whose = p.name(one.Canister)
		case one.Subnet != principal.Management:
			whose = "subnet"
		}
		p.say("%s %s: %s | %s", whose, one.What, one.A, one.B)
	}
	if d.More > 0 {
		p.say("%d more", d.More)
	}
	if len(d.List) == 0 {
		p.say("no difference")
	}
}
