package management

// Declaration is a method as documentation lists it: who may call it over which road.
type Declaration struct {
	Name                              string
	Users, Admins, Canisters, ByQuery bool // Admins: of users only the subnet's admins
}

// Declarations are all methods, in the order of the table.
func Declarations() []Declaration {
	var all []Declaration
	for _, m := range table() {
		all = append(all, Declaration{m.name, m.users == mayCall && m.run != nil, m.users == onlyAdmins, m.run != nil, m.query != nil})
	}
	return all
}

// Settings are the names of all settings, in the order of canister_settings.
func Settings() []string {
	return []string{
		"controllers", "compute_allocation", "memory_allocation", "freezing_threshold", "reserved_cycles_limit",
		"minimum_incoming_canister_call_cycles", "log_visibility", "snapshot_visibility", "status_visibility",
		"wasm_memory_limit", "wasm_memory_threshold", "log_memory_limit", "environment_variables",
	}
}
