package canisterd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

// Profile says where canisters spent instructions, by function and call path, across awaits and canisters. Its counts are
// exact: they add up to what the messages are charged for.
type Profile struct {
	network *Network
	joined  *profile.Profile
}

// Profile profiles all messages and queries that begin while a function runs. The error is that of the function, or says
// that another profile is in progress.
func (n *Network) Profile(ctx context.Context, do func() error) (*Profile, error) {
	d := n.running.Driver()
	if err := d.StartProfile(ctx, nil); err != nil {
		return nil, fmt.Errorf("beginning a profile: %w", err)
	}
	failed := do()
	joined, err := d.StopProfile(context.WithoutCancel(ctx))
	if err != nil {
		return nil, errors.Join(failed, fmt.Errorf("ending a profile: %w", err))
	}
	return &Profile{n, joined}, failed
}

// Instructions returns the instructions of all messages.
func (p *Profile) Instructions() uint64 { return p.joined.Instructions() }

// Charged returns what the messages are charged for. It is the same as Instructions.
func (p *Profile) Charged() uint64 { return p.joined.Charged }

// InstructionsOf returns the instructions of the messages of a canister's method, callbacks and cleanups included,
// without what the canister's calls caused elsewhere, and how often the method ran.
func (p *Profile) InstructionsOf(c *Canister, method string) (instructions, calls uint64) {
	mine := make([]bool, len(p.joined.Nodes)) // nodes of such a message
	for i := range p.joined.Nodes {
		n := &p.joined.Nodes[i]
		s := &p.joined.Symbols[n.Symbol]
		switch {
		case s.Kind == profile.Entry && i > 0:
			mine[i] = s.Canister == c.id && s.Name == method
			if mine[i] && !strings.HasSuffix(s.Entry, "callback") && !strings.HasSuffix(s.Entry, "cleanup") {
				calls += n.Calls
			}
		case n.Parent >= 0:
			mine[i] = mine[n.Parent] && s.Kind != profile.Await
		}
		if mine[i] {
			instructions += n.Instructions
		}
	}
	return instructions, calls
}

// String returns a table of the functions that took most.
func (p *Profile) String() string { return export.Text(p.joined, p.nameOf, export.DefaultTop) }

// Tree returns the call paths that took at least a hundredth.
func (p *Profile) Tree() string { return export.Tree(p.joined, p.nameOf, export.DefaultShare) }

// WritePprof writes a file for go tool pprof.
func (p *Profile) WritePprof(w io.Writer) error {
	return export.Pprof(w, p.joined, p.nameOf, export.Taken{})
}

func (p *Profile) nameOf(id principal.Principal) string { return p.network.nameOf(id) }
