package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// state is the Wasm state of a canister: what exists while code is installed.
type state struct {
	module *Module
	guest  *wasm.Guest
	stable ic0.Stable
}

func (s *state) measure(u *Usage) {
	u.Heap = s.guest.MemorySize()
	u.Stable = s.stable.Pages() << 16
	u.Globals = 8 * uint64(len(s.module.m.Globals))
	u.Binary = uint64(s.module.UploadedSize())
	u.Custom = s.module.customBytes()
}

func (s *state) close() {
	s.guest.Close()
	s.stable.Close()
}
