package management

// Declaration describes a method for front ends and documentation: its permitted callers by kind of message.
type Declaration struct {
	Name                              string
	Users, Admins, Canisters, ByQuery bool // Admins: of users only the subnet's admins
	BySubnet                          bool // users may send it to the id of a subnet
	AnyHost                           bool // users may send it to no canister's id at all
	GivesCycles                       bool // creates cycles, for any caller
}

// Declarations returns all methods, in the order of the table.
func Declarations() []Declaration {
	var all []Declaration
	for _, m := range table() {
		all = append(all, m.declaration())
	}
	return all
}

func (m *method) declaration() Declaration {
	return Declaration{
		Name: m.name, Users: m.users == mayCall && m.run != nil, Admins: m.users == onlyAdmins, Canisters: m.run != nil, ByQuery: m.query != nil,
		BySubnet: m.bySubnet, AnyHost: m.anyHost, GivesCycles: m.givesCycles,
	}
}

// Declared returns the declaration of a method; the zero value if the method does not exist.
func Declared(name string) Declaration {
	if m := methods()[name]; m != nil {
		return m.declaration()
	}
	return Declaration{}
}

// BringsModule reports whether messages to a method contain a whole module.
func BringsModule(name string) bool {
	m := methods()[name]
	return m != nil && m.module != nil
}

// ModuleOf returns the module in a message to a method; false if it contains none or the argument cannot be read.
func ModuleOf(name string, arg []byte) (module []byte, ok bool) {
	if !BringsModule(name) {
		return nil, false
	}
	return methods()[name].module(arg)
}

// Settings returns the names of all settings, in the order of canister_settings.
func Settings() []string {
	return []string{
		"controllers", "compute_allocation", "memory_allocation", "freezing_threshold", "reserved_cycles_limit",
		"minimum_incoming_canister_call_cycles", "log_visibility", "snapshot_visibility", "status_visibility",
		"wasm_memory_limit", "wasm_memory_threshold", "log_memory_limit", "environment_variables",
	}
}
