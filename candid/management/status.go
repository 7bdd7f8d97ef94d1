package management

import "github.com/canisterd/canisterd/candid"

// Status is the reply of canister_status, without what it says of queries and of kinds of memory. Memory is in bytes.
type Status struct {
	Status   RunStatus   `ic:"status"`
	Version  *uint64     `ic:"version"`
	Settings Settings    `ic:"settings"`
	Module   *[]byte     `ic:"module_hash"`
	Memory   candid.Nat  `ic:"memory_size"`
	Cycles   candid.Nat  `ic:"cycles"`
	Reserved *candid.Nat `ic:"reserved_cycles"`
}

// RunStatus says whether a canister takes calls. One field is set.
type RunStatus struct {
	Running  *candid.Null `ic:"running,variant"`
	Stopping *candid.Null `ic:"stopping,variant"`
	Stopped  *candid.Null `ic:"stopped,variant"`
}
