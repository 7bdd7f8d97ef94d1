package introspect

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// CanisterReport is everything about one canister, regardless of who may see it. It is read-only.
type CanisterReport struct {
	ID, Subnet principal.Principal
	Status     canister.Status
	Settings   canister.Settings
	Module     *canister.Module // nil: no code
	Balance    cycles.Amount    // with the credits of the running message
	Reserved   cycles.Amount
	IdlePerDay cycles.Amount // the daily price of its resources
	Usage      canister.Usage
	Version    uint64
	Certified  []byte
	Created    uint64 // ns
	Installed  uint64 // ns; 0: no code
	Timer      uint64 // ns; 0: inactive
	Heartbeat  bool
	Features   canister.Features
	Queries    canister.QueryStats
	Contexts   int // open call contexts
	Queued     int // messages that wait for it
}

// Report describes one canister; false if there is none.
func (n *Network) Report(id principal.Principal) (CanisterReport, bool) {
	m, r := n.find(id)
	if r == nil {
		return CanisterReport{}, false
	}
	return m.report(r), true
}

// Reports describes canisters of all subnets whose ids come after one, by id, up to a limit.
func (n *Network) Reports(after principal.Principal, most int) []CanisterReport {
	var page []CanisterReport
	for _, m := range n.Subnets {
		for _, r := range m.Canisters.After(after, most) {
			page = append(page, m.report(r))
		}
	}
	slices.SortFunc(page, func(a, b CanisterReport) int { return a.ID.Compare(b.ID) })
	return page[:min(len(page), most)]
}

func (m *Subnet) report(r *state.Entry) CanisterReport {
	c := r.Canister
	return CanisterReport{
		ID: c.ID, Subnet: m.ID, Status: c.Status, Settings: *c.Settings, Module: c.Module(),
		Balance: c.Balance.Add(r.DeferredCredit), Reserved: c.Reserved, IdlePerDay: m.Fees.IdlePerDay(c.Holdings()),
		Usage: c.MemoryUsage(), Version: c.Version, Certified: c.Certified,
		Created: c.Created, Installed: c.Installed, Timer: c.Timer, Heartbeat: r.Heartbeat, Features: c.Features,
		Queries: c.Queries, Contexts: int(r.Mailbox.Contexts), Queued: r.Mailbox.Len(),
	}
}
