package canister

import "github.com/canisterd/canisterd/candid/principal"

// Move returns the canister, including code and memories, with another id, and leaves an empty canister behind. Nothing
// is copied: running queries continue with what they hold.
func (c *Canister) Move(id principal.Principal) *Canister {
	moved := *c
	moved.ID = id
	*c = *New(c.ID, c.Created, Settings{})
	return &moved
}

// Rename records that the canister took the id of another one, which had this version and this many changes: its
// version becomes later than both, and its history continues where the other's ended (interface specification,
// "Canister migration").
func (c *Canister) Rename(from, by principal.Principal, version, total uint64, now uint64, origin ChangeOrigin) {
	details := Renaming{From: from, FromTotal: c.History.Total, To: c.ID, ToVersion: version, ToTotal: total, RequestedBy: by}
	c.Version = max(c.Version, version) + 1
	c.History.Total = total
	c.History.Add(Change{Time: now, Version: c.Version, Origin: origin, Details: details})
}
