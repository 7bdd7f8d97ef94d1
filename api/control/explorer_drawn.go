package control

import (
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// readDrawn reads which arguments and calls are drawn. Principals in arguments are the senders and the canisters of the
// exploration.
func readDrawn(c *campaign.Config, in *controlv1.ExploreRequest, names *property.Names) error {
	for _, o := range in.GetBefore() {
		if o.GetDrawn() {
			return BadField.Refuse("before", o.GetTitle(), "arguments of calls before the operations cannot be drawn: give them, or use any")
		}
	}
	for i, o := range in.GetOperations() {
		if !o.GetDrawn() {
			continue
		}
		if err := c.DrawArguments(i); err != nil {
			return BadField.Refuse("operations", o.GetTitle(), err)
		}
	}
	for _, any := range in.GetAny() {
		id, err := names.Find(any.GetCanister())
		if err != nil {
			return BadField.Refuse("any.canister", any.GetCanister(), err)
		}
		sender, err := senderOf("any.sender", any.GetSender())
		if err != nil {
			return err
		}
		err = c.DrawCalls(id, func(method string) harness.Operation {
			message := replica.Ingress{Sender: sender, Receiver: id, Effective: id, Method: method, Arg: noArguments}
			return operationOf(&controlv1.ExploreOperation{Title: c.Setup.NameOf(id) + " " + method + " ?"}, message)
		})
		if err != nil {
			return BadField.Refuse("any.canister", any.GetCanister(), err)
		}
	}
	for _, a := range in.GetArguments() {
		if err := readArguments(c, a, names); err != nil {
			return err
		}
	}
	if c.Drawn == nil {
		return nil
	}
	c.Drawn.Principals = principalsOf(c)
	return nil
}

// readArguments reads from which values the arguments of a method are drawn.
func readArguments(c *campaign.Config, in *controlv1.ExploreArguments, names *property.Names) error {
	id, err := names.Find(in.GetCanister())
	if err != nil {
		return BadField.Refuse("arguments.canister", in.GetCanister(), err)
	}
	within, err := readRange(in)
	if err == nil {
		err = c.RestrictArguments(id, in.GetMethod(), within, in.GetExamples())
	}
	if err != nil {
		return BadField.Refuse("arguments.method", in.GetMethod(), err)
	}
	return nil
}

// readRange reads a range, nil for none. A missing end is far beyond all types.
func readRange(in *controlv1.ExploreArguments) (*argument.Range, error) {
	if in.GetLow() == "" && in.GetHigh() == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	far := new(big.Int).Lsh(big.NewInt(1), 256)
	r := &argument.Range{Low: new(big.Int).Neg(far), High: far}
	for _, end := range []struct {
		text string
		into **big.Int
	}{{in.GetLow(), &r.Low}, {in.GetHigh(), &r.High}} {
		if end.text == "" {
			continue
		}
		n, ok := new(big.Int).SetString(end.text, 10)
		if !ok {
			return nil, fmt.Errorf("invalid end of a range %q: expected an integer", end.text)
		}
		*end.into = n
	}
	return r, nil
}

// principalsOf returns the senders and the receivers of the operations.
func principalsOf(c *campaign.Config) (all []principal.Principal) {
	seen := make(map[principal.Principal]bool)
	add := func(o *harness.Operation) {
		for _, id := range []principal.Principal{o.Message.Sender, o.Message.Receiver} {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	for i := range c.Setup.Operations {
		add(&c.Setup.Operations[i])
	}
	for i := range c.Drawn.Any {
		add(&c.Drawn.Any[i].Operation)
	}
	return all
}
