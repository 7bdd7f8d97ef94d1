package control_test

import (
	"encoding/binary"
	"math/big"
	"sync"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// counted numbers the messages to the instances of each registry.
type counted struct {
	mu   sync.Mutex
	sent map[*instance.Registry]uint64
}

var messages = counted{sent: make(map[*instance.Registry]uint64)}

func (c *counted) next(of *instance.Registry) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[of]++
	return c.sent[of]
}

// fixture creates a canister of a fixture, beside the API that is tested.
func (a *api) fixture(name string) principal.Principal {
	a.Helper()
	return a.installedModule(canistertest.Fixture(name), encoded(a))
}

// scripted creates a canister whose method run executes programs.
func (a *api) scripted() principal.Principal {
	a.Helper()
	return a.installedModule(canistertest.Scriptable(), nil)
}

func (a *api) installedModule(module, arg []byte) principal.Principal {
	a.Helper()
	home := a.node().View().DefaultCanister()
	var created struct {
		ID principal.Principal `ic:"canister_id"`
	}
	a.manage(home, "provisional_create_canister_with_cycles", struct {
		Amount *big.Int `ic:"amount"`
	}{big.NewInt(100_000_000_000_000)}, &created)
	a.manage(created.ID, "install_code", struct {
		Mode struct {
			Install *candid.Null `ic:"install,variant"`
		} `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{Mode: struct {
		Install *candid.Null `ic:"install,variant"`
	}{new(candid.Null)}, Canister: created.ID, Module: module, Arg: arg})
	return created.ID
}

func (a *api) manage(effective principal.Principal, method string, arg any, out ...any) {
	a.Helper()
	reply, reject := a.answer(principal.Management, effective, method, encoded(a, arg))
	if reject != "" {
		a.Fatalf("%s: %s", method, reject)
	}
	if err := candid.Unmarshal(reply, out...); err != nil {
		a.Fatalf("%s: %v", method, err)
	}
}

func encoded(a *api, args ...any) []byte {
	a.Helper()
	arg, err := candid.Marshal(args...)
	if err != nil {
		a.Fatal(err)
	}
	return arg
}

// sent hands in a user's message.
func (a *api) sent(receiver, effective principal.Principal, method string, arg []byte) replica.RequestID {
	a.Helper()
	in := &replica.Ingress{
		Sender: principal.Anonymous, Receiver: receiver, Effective: effective, Method: method, Arg: arg,
		Expiry: a.node().View().Time + 1, AnyExpiry: true,
	}
	binary.BigEndian.PutUint64(in.ID[:], messages.next(a.registry))
	in.Expiry += replica.MaxIngressTTL
	receipt, err := a.node().Submit(a.ctx, in)
	if err != nil || receipt.Reject != nil {
		a.Fatalf("%s: %v, %v", method, err, receipt.Reject)
	}
	return in.ID
}

// answer makes an update call and runs rounds until it is answered.
func (a *api) answer(receiver, effective principal.Principal, method string, arg []byte) (reply []byte, reject string) {
	a.Helper()
	id := a.sent(receiver, effective, method, arg)
	d := a.node()
	_, err := d.RunRounds(a.ctx, func(net *replica.Network) driver.Next {
		for _, s := range net.View().Subnets {
			if net.IngressStatus(s.ID, id).Terminal() && net.Shown(s.ID, id) {
				return driver.Stop
			}
		}
		return d.GoOrLinger() // how many rounds there are must not depend on how long a module is compiled
	})
	if err != nil {
		a.Fatal(err)
	}
	for _, s := range d.View().Subnets {
		tree := s.Certified().Tree()
		if reply, found := tree.Get(certify.RequestStatusPath(id, "reply")...); found {
			return reply.Value(), ""
		}
		if text, found := tree.Get(certify.RequestStatusPath(id, "reject_message")...); found {
			return nil, string(text.Value())
		}
	}
	a.Fatalf("%s has no answer", method)
	return nil, ""
}
