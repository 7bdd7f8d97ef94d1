package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// canisterMetadata implements canister_metadata: a custom section of the module. Private sections exist for controllers
// only.
func canisterMetadata(c *state.ManagementCall, a *metadataArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	m := r.Canister.Module()
	if m == nil {
		return state.Fail(rejectNoMetadata(a.Canister))
	}
	section, ok := m.Section(a.Name)
	if !ok || !section.Public && !r.Controls(c.Caller) {
		return state.Fail(rejectNoSection(a.Canister, a.Name))
	}
	return reply(metadataResult{section.Content})
}
