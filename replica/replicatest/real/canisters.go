package real

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// Plenty is the initial balance of canisters: 1,000 T cycles.
const Plenty = 1_000_000_000_000_000

// Create makes an empty canister with some cycles on the subnet at a position.
func (s *Stage) Create(name string, position int, balance uint64) principal.Principal {
	s.t.Helper()
	return s.create(name, principal.Canister(replicatest.First(position)), fmt.Sprintf("amount = opt (%d : nat)", balance))
}

// CreateAt makes an empty canister with some cycles and this id.
func (s *Stage) CreateAt(name string, id principal.Principal, balance uint64) {
	s.t.Helper()
	s.create(name, id, fmt.Sprintf(`amount = opt (%d : nat); specified_id = opt principal "%s"`, balance, id))
}

func (s *Stage) create(name string, anywhere principal.Principal, fields string) principal.Principal {
	s.t.Helper()
	if _, known := s.Names[name]; known {
		s.t.Fatalf("there is a canister called %q", name)
	}
	arg := s.Args("(record { " + fields + " })")
	a := s.outcome(s.submit(s.Ingress(principal.Management, anywhere, "provisional_create_canister_with_cycles", arg)))
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	if err := candid.Unmarshal(a.Reply, &created); a.Status != "replied" || err != nil {
		s.t.Fatalf("create canister %s: %s (%v)", name, a, err)
	}
	s.Names[name] = created.Canister
	return created.Canister
}

// Mode is a mode of install_code, with the options of an upgrade.
type Mode string

// The modes. What follows "upgrade" is an option: keep or replace the heap, or skip
// canister_pre_upgrade.
const (
	Install        Mode = "install"
	Reinstall      Mode = "reinstall"
	Upgrade        Mode = "upgrade"
	UpgradeKeep    Mode = "upgrade-keep"
	UpgradeReplace Mode = "upgrade-replace"
	UpgradeSkip    Mode = "upgrade-skip"
)

var modes = map[Mode]string{
	Install:        "variant { install }",
	Reinstall:      "variant { reinstall }",
	Upgrade:        "variant { upgrade }",
	UpgradeKeep:    "variant { upgrade = opt record { wasm_memory_persistence = opt variant { keep } } }",
	UpgradeReplace: "variant { upgrade = opt record { wasm_memory_persistence = opt variant { replace } } }",
	UpgradeSkip:    "variant { upgrade = opt record { skip_pre_upgrade = opt true; wasm_memory_persistence = opt variant { keep } } }",
}

// InstallArgs returns the argument of install_code.
func (s *Stage) InstallArgs(name string, mode Mode, module, arg []byte) []byte {
	s.t.Helper()
	chosen, ok := modes[mode]
	if !ok {
		s.t.Fatalf("there is no mode %q", mode)
	}
	args := s.values(fmt.Sprintf(`(record { canister_id = principal "%s"; mode = %s; wasm_module = blob ""; arg = blob "" })`, s.ID(name), chosen))
	record := args[0].(candid.Record)
	for i := range record {
		switch record[i].Label {
		case candid.Named("wasm_module"):
			record[i].Value = candid.Blob(module)
		case candid.Named("arg"):
			record[i].Value = candid.Blob(arg)
		}
	}
	return s.encode(args)
}

// Install installs a module.
func (s *Stage) Install(name string, mode Mode, module, arg []byte) Answer {
	s.t.Helper()
	return s.Manage(name, "install_code", s.InstallArgs(name, mode, module, arg))
}

// About returns the argument of a method of the management canister about a canister: a record with its id, and more
// fields in Candid text.
func (s *Stage) About(name, fields string) []byte {
	s.t.Helper()
	return s.Args(fmt.Sprintf(`(record { canister_id = principal "%s"; %s })`, s.ID(name), fields))
}

// Args encodes arguments in Candid text.
func (s *Stage) Args(text string) []byte {
	s.t.Helper()
	return s.encode(s.values(text))
}

func (s *Stage) values(text string) []candid.Value {
	s.t.Helper()
	args, err := candid.ParseArgs(text)
	if err != nil {
		s.t.Fatalf("arguments %s: %v", text, err)
	}
	return args
}

func (s *Stage) encode(args []candid.Value) []byte {
	s.t.Helper()
	bytes, err := candid.EncodeValues(args...)
	if err != nil {
		s.t.Fatalf("encode arguments: %v", err)
	}
	return bytes
}
