package systemcanisters

const (
	// fundedE8s is what each funded account has on the ICP ledger, in 10^-8 ICP (PocketIC: 10^9 ICP).
	fundedE8s = 1_000_000_000 * 100_000_000
	// ownCycles is the balance of a system canister to begin with. System subnets charge nothing.
	ownCycles = 100_000_000_000_000
)
