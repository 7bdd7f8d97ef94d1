package asyncbugs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd"
)

// Play makes the steps by hand in a network of Deploy.
func (b *Bug) Play(ctx context.Context, n *canisterd.Network) error {
	p := &player{n, b, map[string]*canisterd.Rule{}}
	for i := range b.ByHand.Steps {
		err := p.step(ctx, &b.ByHand.Steps[i])
		if err := errors.Join(err, n.Settle(ctx)); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

type player struct {
	network *canisterd.Network
	bug     *Bug
	held    map[string]*canisterd.Rule // by name
}

func (p *player) step(ctx context.Context, s *Step) error {
	switch {
	case s.Begin != "":
		c, method, arg, err := ParseCall(p.network, s.Begin)
		if err == nil {
			_, err = c.Submit(ctx, method, arg)
		}
		return err
	case s.Hold != "":
		return p.hold(ctx, s)
	case s.Advance > 0:
		return p.network.Advance(ctx, s.Advance)
	case s.Upgrade != "":
		return p.upgrade(ctx, s)
	case s.Cycles != "":
		c, err := p.network.Canister(s.Cycles)
		if err != nil {
			return err
		}
		return c.SetCycles(ctx, s.Amount)
	}
	return p.settle(ctx, s)
}

func (p *player) hold(ctx context.Context, s *Step) error {
	calls := canisterd.Calls{Method: s.Method, Skip: s.Skip, Times: s.Times}
	if s.Stage == "response" {
		calls.Stage = canisterd.Response
	}
	if s.Callee != "" {
		c, err := p.network.Canister(s.Callee)
		if err != nil {
			return err
		}
		calls.Callee = c
	}
	rule, err := p.network.Hold(ctx, calls)
	p.held[s.Hold] = rule
	return err
}

// settle ends a rule. That it held something is checked, so that a schedule cannot pass by missing its messages.
func (p *player) settle(ctx context.Context, s *Step) error {
	name := cmp.Or(s.Release, s.Reject, s.Garble)
	rule := p.held[name]
	if rule == nil {
		return fmt.Errorf("invalid step %+v: it does nothing, or nothing is held as %q", *s, name)
	}
	switch {
	case s.Reject != "":
		return rule.Reject(ctx, "the callee rejects the call")
	case s.Garble != "":
		return rule.Reply(ctx, canisterd.Bytes("not Candid"))
	}
	return rule.Release(ctx)
}

// upgrade installs the next module. A canister may refuse that by a trap.
func (p *player) upgrade(ctx context.Context, s *Step) error {
	c, err := p.network.Canister(s.Upgrade)
	if err != nil {
		return err
	}
	init, err := p.bug.init(p.network, s.Upgrade)
	if err != nil {
		return err
	}
	err = c.Upgrade(ctx, filepath.Join(p.bug.Folder, s.To), init)
	var reject *canisterd.Reject
	if errors.As(err, &reject) && reject.ErrorCode == "IC0503" {
		return nil
	}
	return err
}

// relations of invariants, the longer ones first.
var relations = []string{"==", "<="}

// Holds reports whether an invariant holds in the present state: "ledger paid <= 100", "eventually: app ready == true",
// "app can stop".
func Holds(ctx context.Context, n *canisterd.Network, invariant string) (bool, error) {
	invariant = strings.TrimPrefix(invariant, "eventually: ") // by hand, time passes before it is asked
	for _, relation := range relations {
		left, right, found := strings.Cut(invariant, " "+relation+" ")
		if !found {
			continue
		}
		a, err := Ask(ctx, n, left)
		b := right
		if err == nil && strings.Contains(right, " ") {
			b, err = Ask(ctx, n, right)
		}
		if err != nil || relation == "==" {
			return a == b, err
		}
		x, errX := strconv.Atoi(strings.ReplaceAll(a, "_", ""))
		y, errY := strconv.Atoi(strings.ReplaceAll(b, "_", ""))
		return x <= y, errors.Join(errX, errY)
	}
	stops, err := Ask(ctx, n, invariant)
	return stops == "true", err
}
