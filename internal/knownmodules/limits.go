package knownmodules

// Limits on a list of modules. There is no other implementation.
const (
	// MaxBytes limits the text of a list.
	MaxBytes = 4 << 20

	// MaxModules limits the modules of a list.
	MaxModules = 10_000

	// MaxTextBytes limits each text about a module.
	MaxTextBytes = 300
)
