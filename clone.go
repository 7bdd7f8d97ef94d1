package canisterd

import (
	"context"
	"errors"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/kept"
	"github.com/canisterd/canisterd/replica"
)

// Clone makes the clone that a canister of the project is, from what the folder of the project keeps.
func (t *projectTarget) Clone(ctx context.Context, name string) error {
	if err := kept.Load(ctx, &clone.Destination{Host: cloneHost{t.network}}, t.project, name, principal.Anonymous); err != nil {
		return err
	}
	id, err := principal.Parse(t.project.Canisters[name].Clone.ID)
	if err != nil {
		return err
	}
	c := t.network.CanisterAt(id)
	t.network.add(c, name)
	t.made[name], t.ids[name] = c, id.String()
	return nil
}

// cloneHost is a network that gets clones.
type cloneHost struct{ *Network }

// NetworkID returns the name of the network, by which no other network of this process is called.
func (h cloneHost) NetworkID(context.Context) (string, error) { return h.Name(), nil }

// As returns a caller with the rights of a sender.
func (h cloneHost) As(sender principal.Principal) clone.Caller {
	return managementCaller{h.Management().As(sender)}
}

// managementCaller calls methods of the management canister.
type managementCaller struct{ management *Canister }

// Call calls a method about a canister.
func (m managementCaller) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	pending, err := m.management.submit(ctx, method, canister, true, Bytes(argument))
	if err != nil {
		return nil, err
	}
	var reply Bytes
	return reply, pending.await(ctx, []any{&reply})
}

// Existing returns the canister with an id, nil if there is none.
func (h cloneHost) Existing(ctx context.Context, id principal.Principal) (*clone.Existing, error) {
	return readNetwork(ctx, h.Network, func(n *replica.Network) *clone.Existing {
		r, found := n.Introspect().Report(id)
		if !found {
			return nil
		}
		return &clone.Existing{Subnet: r.Subnet.String(), HasCode: r.Module != nil, Controllers: r.Settings.Controllers}
	})
}

// Metadata returns a section of the module of a canister, nil if it has none.
func (h cloneHost) Metadata(_ context.Context, id principal.Principal, name string) ([]byte, error) {
	module := h.running.Driver().Module(id)
	if module == nil {
		return nil, nil
	}
	section, found := module.Section(name)
	if !found {
		return nil, nil
	}
	return section.Content, nil
}

// Create creates a canister without code, on a new subnet if no subnet has the id.
func (h cloneHost) Create(ctx context.Context, id, controller principal.Principal, amount string) (err error) {
	d := &deployment{id: &id, controllers: []principal.Principal{controller}}
	if amount != "" {
		if d.cycles, err = natOfDigits(amount); err != nil {
			return err
		}
	}
	if number, ok := id.CanisterNumber(); ok && h.running.Driver().View().SubnetOf(id) == nil {
		if err := h.apply(ctx, &replica.AddSubnet{Config: replica.SubnetWith(number)}); err != nil {
			return err
		}
		if _, err := h.running.Driver().Round(ctx); err != nil { // views show the subnet from its end on
			return err
		}
	}
	_, err = h.create(ctx, d)
	return err
}

// Install installs a module with an argument on an empty canister, or in place of the one that it has.
func (h cloneHost) Install(ctx context.Context, id principal.Principal, module, argument []byte, replace bool) error {
	mode := install
	if replace {
		mode = reinstall
	}
	err := h.CanisterAt(id).install(ctx, module, argument, mode)
	if _, is := errors.AsType[*Reject](err); is {
		return &clone.AnsweredError{Err: err}
	}
	return err
}

// SetCycles sets the balance of a canister, in decimal digits.
func (h cloneHost) SetCycles(ctx context.Context, id principal.Principal, digits string) error {
	var amount cycles.Amount
	if err := amount.UnmarshalText([]byte(digits)); err != nil {
		return err
	}
	return h.apply(ctx, replica.SetCycles{Canister: id, Amount: amount})
}

// SetVersion sets the version of a canister.
func (h cloneHost) SetVersion(ctx context.Context, id principal.Principal, version uint64) error {
	return h.apply(ctx, replica.SetVersion{Canister: id, Version: version})
}

// SetRunning starts or stops a canister.
func (h cloneHost) SetRunning(ctx context.Context, id principal.Principal, running bool) error {
	c := h.CanisterAt(id)
	if running {
		return c.Start(ctx)
	}
	return c.Stop(ctx)
}
