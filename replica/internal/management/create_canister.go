package management

import (
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// readCreateCanister reads the argument of create_canister. For compatibility, a message without a matching argument
// means no settings.
func readCreateCanister(arg []byte) (*createArg, error) {
	a := new(createArg)
	if err := candid.Unmarshal(arg, a); err != nil {
		if candid.Unmarshal(arg) != nil {
			return nil, &payloadError{"Payload deserialization error."}
		}
		return new(createArg), nil
	}
	if err := a.Settings.bounds(); err != nil {
		return nil, &payloadError{"Payload deserialization error: " + err.Error()}
	}
	return a, nil
}

// createCanister implements create_canister: all cycles of the call, minus the fee, are the new canister's balance. If
// it fails, all are refunded. Settings that cannot be parsed are rejected before anything else.
func createCanister(c *state.ManagementCall, a *createArg) state.Answer {
	settings, reject := a.Settings.parse(canister.DefaultSettings(c.Caller))
	if reject != nil {
		return state.Fail(reject)
	}
	if reject := mayCreate(c); reject != nil {
		return state.Fail(reject)
	}
	fees := &c.State.Environment.Fees
	fee := fees.Scale(cycles.Of(fees.CanisterCreation))
	balance, ok := c.Attached.Take(fee)
	if !ok {
		return state.Fail(rejectCreationFee(fee, c.Attached))
	}
	r, reject := create(c, &newCanister{given: a.Settings, settings: settings, balance: balance, version: a.Version})
	if reject != nil {
		return state.Fail(reject)
	}
	c.Accept(c.Attached)
	r.Canister.Consumed.Creation = r.Canister.Consumed.Creation.Add(fee)
	return reply(idArg{r.ID()})
}

// mayCreate admits canisters of this subnet and of the root subnet, and subnet admins.
func mayCreate(c *state.ManagementCall) *intercanister.Reject {
	switch {
	case !c.FromUser() && checkNear(c) == nil:
		return nil
	case c.State.Administered:
		return mustAdmin(c)
	}
	return rejectFarCreation()
}

// newCanister is a canister to be created.
type newCanister struct {
	id       *principal.Principal // nil: the subnet's next one
	given    *settingsArg         // nil if there are none
	settings canister.Settings    // given, parsed
	balance  cycles.Amount
	version  *uint64 // of the sender
}

// create makes a canister with settings, pays for its allocations from its balance, and adds its creation to its
// history.
func create(c *state.ManagementCall, b *newCanister) (*state.Entry, *intercanister.Reject) {
	if reject := b.given.checkEnvironment(); reject != nil {
		return nil, reject
	}
	h := holder{settings: canister.DefaultSettings(c.Caller), balance: b.balance}
	p, reject := h.plan(c, b.settings)
	if reject != nil {
		return nil, reject
	}
	if b.id != nil && c.State.Ids.Allocates(*b.id) {
		return nil, rejectSpecifiedID(*b.id)
	}
	r, reject := c.Host.Create(b.id, p.settings, b.balance)
	if reject != nil {
		return nil, reject
	}
	reserve(r.Canister, p.reservation)
	born := canister.Creation{Controllers: slices.Clone(r.Canister.Settings.Controllers)}
	if b.given != nil && b.given.Environment != nil {
		hash := environmentHash(r.Canister.Settings.Environment)
		born.EnvironmentHash = &hash
	}
	record(c, r, b.version, born)
	c.State.Touch(r)
	return r, nil
}
