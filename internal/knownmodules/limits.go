package knownmodules

// Limits on a list of modules. There is no other implementation.
const (
	// MaxBytes limits the text of a list.
	MaxBytes = 4 << 20

	// MaxModules limits the modules of a list.
	MaxModules = 10_000

	// MaxTextBytes limits each text about a module.
	MaxTextBytes = 300

	// MaxInitBytes limits the default argument of an installation.
	MaxInitBytes = 4096

	// MaxModuleBytes limits the file of a module (specification: 100 MiB).
	MaxModuleBytes = 100 << 20
)
