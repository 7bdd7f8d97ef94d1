package coverage

const (
	// MaxNameRunes is how much of the name of a canister, a function or a file the forms show. Ours. A replica accepts
	// names of 1 MiB.
	MaxNameRunes = 512
	// MaxPageFunctions is how many functions of a canister the page lists. Ours; a replica accepts 50,000 functions in a
	// module.
	MaxPageFunctions = 5_000
	// MaxPageSourceBytes is how many bytes of sources the page has. Ours.
	MaxPageSourceBytes = 16 << 20
)
