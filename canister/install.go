package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
)

// InstallMode is the mode of install_code.
type InstallMode uint8

// The modes.
const (
	InstallFresh InstallMode = iota
	Reinstall
	Upgrade
)

// String is the variant of canister_install_mode.
func (m InstallMode) String() string { return [...]string{"install", "reinstall", "upgrade"}[m] }

// Persistence says what an upgrade does with the heap (wasm_memory_persistence).
type Persistence uint8

// The choices; NotGiven is null.
const (
	NotGiven Persistence = iota
	Keep
	Replace
)

// Install is an installation of code (interface specification, "IC method
// install_code"), checked for permissions by its maker.
type Install struct {
	Mode           InstallMode
	SkipPreUpgrade bool        // Upgrade
	Persistence    Persistence // Upgrade
	Module         *Module
	Arg            []byte
	Caller         principal.Principal // who asks for it: ic0.msg_caller
	Origin         ChangeOrigin        // for the history
	Pause          func()              // as Message.Pause
}
