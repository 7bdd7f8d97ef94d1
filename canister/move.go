package canister

import "github.com/canisterd/canisterd/candid/principal"

// Move gives the canister, code and memories included, an id, and leaves an empty
// canister behind. Nothing is copied: queries that run go on with what they hold.
func (c *Canister) Move(id principal.Principal) *Canister {
	moved := *c
	moved.ID = id
	*c = *New(c.ID, c.Created, Settings{})
	return &moved
}

// Rename notes that the canister took the id of another one, which had this version and this many changes: it has a
// later version than both, and its history goes on where the other's ended (interface specification, "Canister
// migration").
func (c *Canister) Rename(from, by principal.Principal, version, total uint64, now uint64, origin ChangeOrigin) {
	details := Renaming{From: from, FromTotal: c.History.Total, To: c.ID, ToVersion: version, ToTotal: total, RequestedBy: by}
	c.Version = max(c.Version, version) + 1
	c.History.Total = total
	c.History.Add(Change{Time: now, Version: c.Version, Origin: origin, Details: details})
}
