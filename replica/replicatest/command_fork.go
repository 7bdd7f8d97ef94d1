package replicatest

import "github.com/canisterd/canisterd/replica"

// fork makes a second network at the same point, which is not driven.
func (p *performer) fork(words []string) {
	p.keep(words[0], p.stage.Fork(replica.ForkConfig{}))
}

// keep keeps a network under a name.
func (p *performer) keep(name string, s *Stage) {
	if p.others[name] != nil || name == p.here {
		p.t.Fatalf("there is a network %q already", name)
	}
	s.Listen(nil)
	p.others[name] = s
}

// other returns a kept network.
func (p *performer) other(name string) *Stage {
	s := p.others[name]
	if s == nil {
		p.t.Fatalf("there is no other network %q", name)
	}
	return s
}
