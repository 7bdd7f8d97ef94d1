package project

import (
	"path/filepath"
	"strings"
	"testing"
)

const withNetworks = `
canisters:
  ledger:
    wasm: ledger.wasm
    init: '(1)'
    cycles: 5T
    controllers: [2vxsx-fae]
    environment: {STAGE: test, REGION: local}
    settings: {compute_allocation: 1, freezing_threshold: 30d}
  bank: {wasm: bank.wasm, after: [ledger]}
networks:
  staging:
    canisters:
      ledger:
        init_json: [2]
        cycles: 50T
        environment: {STAGE: staging, URL: "https://example.org"}
        settings: {freezing_threshold: 90d}
      bank:
  production: {canisters: {bank: {wasm: release/bank.wasm, init: '("${ledger}")'}}}
`

func TestANetworkReplacesTheKeysThatItHas(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, File), withNetworks)
	read := func(network string) map[string]*Canister {
		p, err := ReadFor(folder, Inside, network)
		if err != nil {
			t.Fatal(err)
		}
		return p.Canisters
	}
	for network, want := range map[string]Canister{
		"":           {Init: "(1)", Cycles: "5T", Environment: map[string]string{"STAGE": "test", "REGION": "local"}},
		"production": {Init: "(1)", Cycles: "5T", Environment: map[string]string{"STAGE": "test", "REGION": "local"}},
		"staging":    {InitJSON: "[2]", Cycles: "50T", Environment: map[string]string{"STAGE": "staging", "REGION": "local", "URL": "https://example.org"}},
	} {
		got := read(network)["ledger"]
		threshold := uint64(30 * 86400)
		if network == "staging" {
			threshold = 90 * 86400
		}
		if got.Init != want.Init || got.InitJSON != want.InitJSON || got.Cycles != want.Cycles || len(got.Environment) != len(want.Environment) || len(got.Controllers) != 1 ||
			*got.Settings.ComputeAllocation != 1 || uint64(*got.Settings.FreezingThreshold) != threshold {
			t.Errorf("%q: the ledger is %+v", network, got)
		}
		for name, value := range want.Environment {
			if got.Environment[name] != value {
				t.Errorf("%q: the variable %s is %q, want %q", network, name, got.Environment[name], value)
			}
		}
	}
	if bank := read("production")["bank"]; bank.Wasm != "release/bank.wasm" || bank.Init != `("${ledger}")` || len(bank.After) != 1 {
		t.Errorf("the bank is %+v", bank)
	}
}

func TestNetworksThatDoNotFitAreRefused(t *testing.T) {
	for text, c := range map[string]struct{ network, want string }{
		withNetworks:                       {"stagin", "--network stagin: "},
		"canisters: {a: {wasm: a.wasm}}\n": {"staging", "has no networks: add them under networks:"},
		"canisters: {bank: {wasm: a.wasm}}\nnetworks: {x: {canisters: {bnk: {cycles: 1T}}}}\n":           {"", `networks: x: "bnk" is not a canister of the project; did you mean bank?`},
		"canisters: {bank: {wasm: a.wasm}}\nnetworks: {x: {canisters: {bank: {cycle: 1T}}}}\n":           {"", "there is no key cycle; did you mean cycles?"},
		"canisters: {bank: {wasm: a.wasm}}\nnetworks: {x: {canister: {bank: {cycles: 1T}}}}\n":           {"", "there is no key canister; did you mean canisters?"},
		"canisters: {bank: {wasm: a.wasm}}\nnetworks: {x: {canisters: {bank: {cycles: many}}}}\n":        {"x", `canister bank: invalid amount of cycles "many"`},
		"canisters: {bank: {wasm: a.wasm}}\nnetworks: {x: {canisters: {bank: {init: '', init_hex: x}}}}": {"x", "init_hex: expected bytes in hex"},
	} {
		folder := t.TempDir()
		writeFile(t, filepath.Join(folder, File), text)
		if _, err := ReadFor(folder, Inside, c.network); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%q: %v, want %q", text, c.network, err, c.want)
		}
	}
	modules := t.TempDir()
	writeFile(t, filepath.Join(modules, "a.wasm"), "")
	if _, err := ReadFor(modules, Inside, "staging"); err == nil || !strings.Contains(err.Error(), "has no networks") {
		t.Errorf("without a file: %v", err)
	}
}

func TestAnInterfaceInAFileCounts(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, File), "canisters: {a: {wasm: a.wasm, candid: a.did, init: '(5)'}, b: {wasm: a.wasm, candid: ../b.did}, c: {wasm: a.wasm, candid: c.did}}\n")
	writeFile(t, filepath.Join(folder, "a.did"), `import "types.did"; service : (T) -> {}`)
	writeFile(t, filepath.Join(folder, "types.did"), "type T = nat8;")
	writeFile(t, filepath.Join(folder, "c.did"), "service : (")
	p, err := Read(folder, Inside)
	if err != nil {
		t.Fatal(err)
	}
	argument, err := p.Canisters["a"].Argument("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := p.EncodeInit("a", argument, moduleHeader); err != nil || string(raw) != "DIDL\x00\x01\x7b\x05" {
		t.Errorf("the argument is %q (%v)", raw, err)
	}
	for name, want := range map[string]string{"b": "../b.did is outside", "c": "candid: c.did: line 1"} {
		if _, err := p.EncodeInit(name, FromText(""), moduleHeader); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
