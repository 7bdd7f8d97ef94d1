package management

// Declaration is a method as the front ends and the documentation see it: who may call it
// over which road.
type Declaration struct {
	Name                              string
	Users, Admins, Canisters, ByQuery bool // Admins: of users only the subnet's admins
	BySubnet                          bool // users may send it to the id of a subnet
	AnyHost                           bool // users may send it to no canister's id at all
	GivesCycles                       bool // out of nothing, to any caller
}

// Declarations are all methods, in the order of the table.
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

// Declared is the declaration of a method; the zero value if the method does not exist.
func Declared(name string) Declaration {
	if m := methods()[name]; m != nil {
		return m.declaration()
	}
	return Declaration{}
}

// BringsModule reports whether messages to a method bring a module whole.
func BringsModule(name string) bool {
	m := methods()[name]
	return m != nil && m.module != nil
}

// ModuleOf is the module that a message to a method brings whole; false if it brings none or
// the argument cannot be read.
func ModuleOf(name string, arg []byte) (module []byte, ok bool) {
	if !BringsModule(name) {
		return nil, false
	}
	return methods()[name].module(arg)
}

// Settings are the names of all settings, in the order of canister_settings.
func Settings() []string {
	return []string{
		"controllers", "compute_allocation", "memory_allocation", "freezing_threshold", "reserved_cycles_limit",
		"minimum_incoming_canister_call_cycles", "log_visibility", "snapshot_visibility", "status_visibility",
		"wasm_memory_limit", "wasm_memory_threshold", "log_memory_limit", "environment_variables",
	}
}
