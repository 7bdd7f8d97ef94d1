package main

import (
	"path"
	"strings"
)

// origin is a file that is a module, or that carries one.
type origin struct {
	name, version string
	source        string // for people
	path          string // in the repository
	packed        bool   // a system canister: it is installed without gzip
	exports       string // of a program that carries modules: a method by which the module is recognized
	init          string // argument of an installation with empty state, as Candid text; "" if none is needed
}

const (
	own       = "written for canisterd; mainnet runs another module"
	system    = "internal/systemcanisters/"
	templates = "cmd/canisterd/internal/template/go/modules/"

	// icp is the program of icp-cli, as package-lock.json beside node_modules pins it.
	icp        = "test/e2e/icp/node_modules/@icp-sdk/icp-cli-linux-x64/bin/icp"
	icpVersion = "1.5.0"
	icpPackage = "npm: @icp-sdk/icp-cli-linux-x64 " + icpVersion
)

// origins are the modules of the list.
var origins = []origin{
	{name: "registry of canisterd", source: own, path: system + "registry.wasm.gz", packed: true, init: "(record { ranges = vec {} })"},
	{name: "ICP ledger of canisterd", source: own, path: system + "icp_ledger.wasm.gz", packed: true, init: "(record { funded = vec {} })"},
	{name: "cycles minting canister of canisterd", source: own, path: system + "cycles_minting.wasm.gz", packed: true, init: "(record { default_subnets = vec {}; subnet_types = vec {}; authorized_subnets = vec {} })"},
	{name: "cycles ledger of canisterd", source: own, path: system + "cycles_ledger.wasm.gz", packed: true, init: "(record { funded = vec {} })"},

	{name: "proxy canister of icp-cli", version: icpVersion, source: icpPackage, path: icp, exports: "proxy"},
	{name: "Candid UI of icp-cli", version: icpVersion, source: icpPackage, path: icp, exports: "did_to_js"},
	{name: "cycles recovery of icp-cli", version: icpVersion, source: icpPackage, path: icp, exports: "recover_cycles"},

	{name: "bank", source: "canisterd init go", path: templates + "bank.wasm.gz"},
	{name: "vault", source: "canisterd init go", path: templates + "vault.wasm.gz"},
	example("motoko/greeter.wasm"),
	example("motoko/relay.wasm"),
	example("doublewithdraw/bank.wasm"),
	example("doublewithdraw/careful.wasm"),
	example("doublewithdraw/vault.wasm"),
	example("asyncbugs/shared/ledger.wasm.gz"),
}

// example returns a module of an example, with the name of its file.
func example(file string) origin {
	name, _, _ := strings.Cut(path.Base(file), ".")
	return origin{name: name, source: "examples/" + path.Dir(file) + " of canisterd", path: "examples/" + file}
}
