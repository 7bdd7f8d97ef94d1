package replica

import "github.com/canisterd/canisterd/replica/internal/management"

// ManagementMethod is a method of the management canister and its permitted callers: users by ingress messages,
// canisters, and both by queries.
type ManagementMethod = management.Declaration

// ManagementMethods returns all methods of the management canister.
func ManagementMethods() []ManagementMethod { return management.Declarations() }

// FindManagementMethod returns the method of the management canister with a name; the zero value if there is none.
func FindManagementMethod(name string) ManagementMethod { return management.Declared(name) }

// Settings returns the names of all settings of a canister.
func Settings() []string { return management.Settings() }

// ManagementInterface returns the Candid interface of the management canister, as text.
func ManagementInterface() string { return management.Interface() }
