package replicatest

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
)

// record begins a recording.
func (p *performer) record([]string) { p.recording.Begin() }

// told prints the recording.
func (p *performer) told(words []string) {
	kinds := ""
	if len(words) > 0 {
		kinds = words[0]
	}
	p.said.WriteString(p.recording.Told(kinds, p.called))
}

// forget forgets the oldest events of the recording.
func (p *performer) forget(words []string) { p.recording.Forget(p.number(words[0])) }

// trace shows a call tree.
func (p *performer) trace(words []string) {
	var root *trace.Root
	switch len(words) {
	case 2:
		root = &trace.Root{Request: p.labels[words[1]]}
	case 4:
		subnet := p.stage.View().SubnetOf(p.stage.ID(p.number(words[2])))
		root = &trace.Root{Subnet: subnet.ID, Context: intercanister.ContextID(p.number(words[3]))}
	}
	shown, err := p.recording.Show(words[0], root, p.called)
	if err != nil {
		p.t.Fatal(err)
	}
	p.said.WriteString(shown)
}

// called returns the name of a canister or the user in a script.
func (p *performer) called(id principal.Principal) string {
	if id == p.stage.Sender {
		return "user"
	}
	if _, canister := id.CanisterNumber(); canister || id == principal.Management {
		return p.name(id)
	}
	return id.String()
}
