package replicatest

import (
	"bytes"

	"github.com/canisterd/canisterd/replica"
)

// imports makes a second network from a file, which is not driven.
func (p *performer) imports(words []string) {
	f, ok := p.files[words[0]]
	if !ok {
		p.t.Fatalf("there is no file %q", words[0])
	}
	s := *p.stage
	s.Puppets = f.puppets.Fork()
	n, err := replica.Import(bytes.NewReader(f.file), s.Puppets.Config())
	if err != nil {
		p.t.Fatalf("import %s: %v", words[0], err)
	}
	s.Network = n
	p.t.Cleanup(func() { s.Close() })
	p.keep(words[1], &s)
}
