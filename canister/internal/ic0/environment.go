package ic0

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// environmentFunctions return the canister's identity and environment.
func environmentFunctions() []function {
	return append(variableFunctions(), []function{
		// canister_self_size() is the length of the canister's own id, in bytes.
		{name: "canister_self_size", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.ID.Len())
		}},
		// canister_self_copy(dst, offset, size) copies bytes of it.
		{name: "canister_self_copy", params: "ppp", where: anywhere, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			var id [32]byte
			x.copyOut("ic0.canister_self_copy", "id", s[0], s[1], s[2], x.ID.Append(id[:0]))
		}},
		// subnet_self_size() is the length of the id of the canister's subnet, in bytes.
		{name: "subnet_self_size", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.Subnet.ID.Len())
		}},
		// subnet_self_copy(dst, offset, size) copies bytes of it.
		{name: "subnet_self_copy", params: "ppp", where: anywhere, cost: bytesOf(2), alias: "ic0.subnet_self_copy", body: func(x *Execution, s []uint64) {
			var id [32]byte
			x.copyOut("ic0.subnet_self_copy", "id", s[0], s[1], s[2], x.Subnet.ID.Append(id[:0]))
		}},
		// subnet_self_node_count() is the number of nodes by which the subnet's prices are scaled.
		{name: "subnet_self_node_count", results: "i", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Subnet.Fees.Nodes
		}},
		// canister_status() is 1 for running, 2 for stopping, 3 for stopped.
		{name: "canister_status", results: "i", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.Status)
		}},
		// canister_version() counts the changes of code, settings, status and state. canister_pre_upgrade sees the old
		// one, canister_post_upgrade the new one.
		{name: "canister_version", results: "l", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Version
		}},
		// root_key_size() is the length of the network's public key in DER, in bytes.
		{name: "root_key_size", results: "p", where: rooted, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Subnet.RootKey))
		}},
		// root_key_copy(dst, offset, size) copies bytes of it.
		{name: "root_key_copy", params: "ppp", where: rooted, cost: bytesOf(2), alias: "ic0.root_key_copy", body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.root_key_copy", "bytes", s[0], s[1], s[2], x.Subnet.RootKey)
		}},
		// is_controller(src, size) is 1 if the principal is a controller, else 0. It traps for bytes that are not a
		// principal: "Canister provided invalid principal id".
		{name: "is_controller", params: "pp", results: "i", where: everywhere, cost: cost{1000, 1, 1, nil}, body: func(x *Execution, s []uint64) {
			p, err := principal.FromBytes(x.heap("ic0.is_controller", s[0], s[1]))
			if err != nil {
				x.fail(invalidPrincipal())
			}
			s[0] = 0
			if slices.Contains(x.Controllers, p) {
				s[0] = 1
			}
		}},
		// in_replicated_execution() is 1 if every node of the subnet runs the message, else 0.
		{name: "in_replicated_execution", results: "i", where: everywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = 0
			if x.Context.Replicated() {
				s[0] = 1
			}
		}},
	}...)
}

func variableFunctions() []function {
	return []function{
		// env_var_count() is the number of environment variables.
		{name: "env_var_count", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Variables))
		}},
		// env_var_name_size(index) is the length of a name, in bytes; names are sorted. It traps from env_var_count on:
		// "Environment variable index … is out of bounds".
		{name: "env_var_name_size", params: "p", results: "p", tables: true, where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.variableAt(s[0]).Name))
		}},
		// env_var_name_copy(index, dst, offset, size) copies bytes of a name; traps as of env_var_name_size.
		{name: "env_var_name_copy", params: "pppp", where: anywhere, cost: bytesOf(3), body: func(x *Execution, s []uint64) {
			x.copyText("ic0.env_var_name_copy", "name", s[1], s[2], s[3], x.variableAt(s[0]).Name)
		}},
		// env_var_name_exists(src, size) is 1 if the canister has the variable, else 0. It traps for a name of more
		// than maxVariableName bytes, or one that is not UTF-8.
		{name: "env_var_name_exists", params: "pp", results: "i", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			_, found := x.find(x.variableName("ic0.env_var_name_exists", "heap", s[0], s[1]))
			s[0] = 0
			if found {
				s[0] = 1
			}
		}},
		// env_var_value_size(src, size) is the length of the value of the variable named, in bytes. It traps as
		// env_var_name_exists does, and without the variable: "Environment variable … not found."
		{name: "env_var_value_size", params: "pp", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.value(x.variableName("ic0.env_var_value_size", "heap", s[0], s[1]))))
		}},
		// env_var_value_copy(name src, name size, dst, offset, size) copies bytes of the value; traps as of
		// env_var_value_size.
		{name: "env_var_value_copy", params: "ppppp", where: anywhere, cost: bytesOf(4), body: func(x *Execution, s []uint64) {
			value := x.value(x.variableName("ic0.env_var_value_copy", "name", s[0], s[1]))
			x.copyText("ic0.env_var_value_copy", "value", s[2], s[3], s[4], value)
		}},
	}
}

func (x *Execution) variableAt(i uint64) Variable {
	if i >= uint64(len(x.Variables)) {
		x.fail(&Failure{
			Code: intercanister.CanisterContractViolation,
			Text: fmt.Sprintf("Environment variable index %d is out of bounds. The number of environment variables is %d.", i, len(x.Variables)),
		})
	}
	return x.Variables[i]
}

func (x *Execution) variableName(function, part string, src, size uint64) string {
	if size > maxVariableName {
		x.refuse("", "%s: Variable name is too large.", function)
	}
	name := x.heap(function+" "+part, src, size)
	if !utf8.Valid(name) {
		x.refuse("Provide a valid UTF-8 string for the environment variable name. See documentation: ", "%s: Variable name is not a valid UTF-8 string.", function)
	}
	return string(name)
}

func (x *Execution) find(name string) (int, bool) {
	return slices.BinarySearchFunc(x.Variables, name, func(v Variable, name string) int { return cmp.Compare(v.Name, name) })
}

func (x *Execution) value(name string) string {
	i, found := x.find(name)
	if !found {
		x.fail(&Failure{Code: intercanister.CanisterContractViolation, Text: "Environment variable " + name + " not found."})
	}
	return x.Variables[i].Value
}
