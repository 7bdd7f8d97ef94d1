package project

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/quantity"
	"github.com/canisterd/canisterd/internal/regular"
)

// File says which canisters a folder has.
const File = "canisterd.yaml"

// Project is what canisterd.yaml says: the canisters of a folder by name.
type Project struct {
	Canisters map[string]*Canister `yaml:"canisters" doc:"The canisters of the directory, by the names that they are known by."`
	Networks  map[string]*Network  `yaml:"networks" doc:"What differs in networks, by the names that --network takes; see below."`
	Budgets   Budgets              `yaml:"budgets" doc:"Instructions that calls of methods may take; see below." example:"{bank.withdraw: 2_000_000 instructions}"`
	Explore   Explore              `yaml:"explore" doc:"What canisterd explore runs; see below."`
	folder    string
	reach     Reach
	ofModules bool // there is no file
}

// Folder is the folder of the project.
func (p *Project) Folder() string { return p.folder }

// Canister is one canister. Its tags are what the reference page and the schema say of it.
type Canister struct {
	Wasm        string            `yaml:"wasm" doc:"The module: a file, plain or packed by gzip. Without a build, it has to be there (default of motoko and rust: .canisterd/build/NAME.wasm)." example:"build/bank.wasm.gz"`
	Build       string            `yaml:"build" doc:"Command that makes the module, for the shell, in the directory of the project." example:"make build/bank.wasm"`
	Motoko      *Motoko           `yaml:"motoko" doc:"Recipe that makes the module from Motoko; see below." example:"{main: src/bank/main.mo}"`
	Rust        *Rust             `yaml:"rust" doc:"Recipe that makes the module from Rust; see below." example:"{package: bank}"`
	Sources     []string          `yaml:"sources" doc:"What the build reads: files, directories, and patterns with *, ? and ** (default: what the recipe reads; of build: nothing). canisterd dev builds again when they change." example:"[src/bank, lib/**/*.mo]"`
	Map         string            `yaml:"map" doc:"The source map of the module, for the source lines of backtraces and profiles (default: the file of the module's name with .map after .wasm, if it is there and of this build)." example:"build/bank.wasm.map"`
	Debug       string            `yaml:"debug" doc:"A Wasm file with the debug information that was stripped from the module." example:"build/bank.debug.wasm"`
	Init        string            `yaml:"init" doc:"Arguments of the installation and of upgrades, as Candid text." example:"(principal \"${ledger}\", 5)"`
	InitJSON    JSONText          `yaml:"init_json" doc:"The same as JSON or YAML: a list with one element for each argument." example:"[\"${ledger}\", 5]"`
	InitHex     string            `yaml:"init_hex" doc:"The same as bytes in hex." example:"4449444c0000"`
	InitFile    string            `yaml:"init_file" doc:"The same in a file: JSON where it ends in .json, bytes where it ends in .bin, else Candid text." example:"terms.json"`
	Cycles      string            `yaml:"cycles" doc:"Cycles to create it with, with k, M, G, T or P (default: 100T)." example:"5T"`
	ID          string            `yaml:"id" doc:"The id to give it (default: the next one that is free)." example:"rwlgt-iiaaa-aaaaa-aaaaa-cai"`
	Subnet      string            `yaml:"subnet" doc:"Id of the subnet to create it on, or its kind where there is one of that (default: an application subnet)." example:"application"`
	Controllers []string          `yaml:"controllers" doc:"Principals, or names of canisters of the project or of identities (default: the one who deploys)." example:"[2vxsx-fae, bank]"`
	Environment map[string]string `yaml:"environment" doc:"Environment variables, beside PUBLIC_CANISTER_ID:NAME for each canister of the project." example:"{STAGE: test}"`
	After       []string          `yaml:"after" doc:"Canisters to install before it, beside those that its arguments and environment name." example:"[ledger]"`
	Features    []string          `yaml:"features" doc:"What the module may use beyond the network, which would refuse it: wasi, components." example:"[wasi]"`
	Candid      string            `yaml:"candid" doc:"The interface: a .did file, for arguments, calls by name and canister help (default: the interface in the module)." example:"bank.did"`
	Clone       *Clone            `yaml:"clone" doc:"The canister of another network that it is a clone of, with its code and state; see below." example:"{id: ryjl3-tyaaa-aaaaa-aaaba-cai, from: ic}"`
	Frontend    string            `yaml:"frontend" doc:"Directory whose files are uploaded to the canister after its installation. It must be an asset canister; see below." example:"dist"`
	Settings    Settings          `yaml:"settings" doc:"Other settings; see below."`
	initFile    string            // that Init, InitJSON or InitHex was read from
}

type Settings struct {
	ComputeAllocation   *uint64           `yaml:"compute_allocation" doc:"Percent of a core." example:"10"`
	MemoryAllocation    *quantity.Bytes   `yaml:"memory_allocation" doc:"Bytes to reserve." example:"512MiB"`
	FreezingThreshold   *quantity.Seconds `yaml:"freezing_threshold" doc:"For how long its cycles have to last." example:"30d"`
	ReservedCyclesLimit string            `yaml:"reserved_cycles_limit" doc:"Cycles that may be reserved." example:"5T"`
	WasmMemoryLimit     *quantity.Bytes   `yaml:"wasm_memory_limit" doc:"Bytes the heap may have." example:"1GiB"`
	WasmMemoryThreshold *quantity.Bytes   `yaml:"wasm_memory_threshold" doc:"Bytes left below that limit at which canister_on_low_wasm_memory runs." example:"100MiB"`
	LogMemoryLimit      *quantity.Bytes   `yaml:"log_memory_limit" doc:"Bytes of the log." example:"64KiB"`
	LogVisibility       string            `yaml:"log_visibility" doc:"Who reads the log: public, controllers, or principals and names with commas between them." example:"public"`
}

// Has reports whether a folder has the file of a project.
func Has(folder string) bool { return exists(filepath.Join(folder, File)) }

// Nearest is the present folder, or the one above it that has a project where the present one has none.
func Nearest() string {
	dir, err := os.Getwd()
	if err != nil || exists(File) {
		return "."
	}
	for up := ".."; ; up = filepath.Join(up, "..") {
		above := filepath.Dir(dir)
		if above == dir {
			return "."
		}
		if dir = above; exists(filepath.Join(dir, File)) {
			return up
		}
	}
}

// Read reads what a folder has to deploy: its canisterd.yaml, or without one, every Wasm file in it under its
// own name. The reach is that of the files which the project names.
func Read(folder string, reach Reach) (*Project, error) { return ReadFor(folder, reach, "") }

// parse reads canisterd.yaml, or without one finds the modules of a folder.
func parse(folder string, reach Reach) (*Project, error) {
	path := filepath.Join(folder, File)
	text, err := regular.Read(path, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return projectOfModules(folder, reach)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the project: %w", err)
	}
	p := &Project{folder: folder, reach: reach}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %s", path, inYAML(err))
	}
	if len(p.Canisters) == 0 {
		return nil, fmt.Errorf("%s names no canisters: list them under canisters:, each with its wasm: file", path)
	}
	return p, nil
}

// completeAll completes and checks the canisters, and looks for the files of explorations.
func (p *Project) completeAll() error {
	path := p.Path(File)
	for _, name := range slices.Sorted(maps.Keys(p.Canisters)) {
		if err := p.complete(name); err != nil {
			return fmt.Errorf("%s: canister %s: %w", path, name, err)
		}
	}
	if err := p.checkBudgets(); err != nil {
		return fmt.Errorf("%s: budgets: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Explore.Upgrades)) {
		file, err := p.open(p.Explore.Upgrades[name])
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // the exploration needs it
			return fmt.Errorf("%s: explore: upgrades: %s: %w", path, name, err)
		}
		if err == nil {
			_ = file.Close()
		}
	}
	return nil
}

// moduleSuffixes are the names of modules, plain and compressed.
var moduleSuffixes = []string{".wasm", ".wasm.gz"}

func projectOfModules(folder string, reach Reach) (*Project, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("finding modules: %w", err)
	}
	p := &Project{folder: folder, reach: reach, ofModules: true, Canisters: map[string]*Canister{}}
	for _, e := range entries {
		for _, suffix := range moduleSuffixes {
			if name, is := strings.CutSuffix(e.Name(), suffix); is && !e.IsDir() {
				if p.Canisters[name] != nil {
					return nil, fmt.Errorf("%s has two modules named %s: select one in %s", folder, name, File)
				}
				p.Canisters[name] = &Canister{Wasm: e.Name()}
				if err := p.check(name); err != nil {
					return nil, fmt.Errorf("%s: %w", filepath.Join(folder, e.Name()), err)
				}
			}
		}
	}
	if len(p.Canisters) == 0 {
		return nil, fmt.Errorf("%s has neither a %s nor a Wasm file", folder, File)
	}
	return p, nil
}

// NameForm is what canisters may be called.
var NameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// complete reads what a canister has in files beside its module, and checks all of it.
func (p *Project) complete(name string) error {
	if spec := p.Canisters[name]; spec != nil {
		spec.completeBuild(name)
		if err := spec.oneInit(); err != nil {
			return err
		}
		if spec.InitFile != "" {
			content, err := p.read(spec.InitFile, MaxArgumentFile)
			if err != nil {
				return fmt.Errorf("init_file: %w", err)
			}
			spec.fileInit(content)
		}
		spec.initFile, spec.InitFile = spec.InitFile, ""
	}
	return p.check(name)
}

// CheckName returns why a text cannot be the name of a canister, nil if it can.
func CheckName(name string) error {
	switch {
	case !NameForm.MatchString(name):
		return fmt.Errorf("invalid name %q: expected 1 to 64 letters, digits, - and _, beginning with a letter", name)
	case reference.IsPrincipal(name):
		return errors.New("the name cannot be a principal")
	}
	return nil
}

func (p *Project) check(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	spec := p.Canisters[name]
	if spec == nil {
		spec = &Canister{}
	}
	module := spec.checkBuild
	if spec.Clone != nil {
		module = spec.checkClone
	}
	if err := cmp.Or(module(), spec.oneInit()); err != nil {
		return err
	}
	if _, err := quantity.ParseCycles(spec.Cycles); err != nil {
		return err
	}
	if _, err := quantity.ParseCycles(spec.Settings.ReservedCyclesLimit); err != nil {
		return fmt.Errorf("settings: reserved_cycles_limit: %w", err)
	}
	if _, err := principal.Parse(spec.ID); spec.ID != "" && err != nil {
		return fmt.Errorf("id: %w", err)
	}
	for _, other := range spec.After {
		if p.Canisters[other] == nil || other == name {
			return fmt.Errorf("after: %q is not another canister of the project", other)
		}
	}
	return nil
}

// oneInit refuses arguments that are given in several ways.
func (s *Canister) oneInit() error {
	var given []string
	for _, one := range []struct{ key, value string }{{"init", s.Init}, {"init_json", string(s.InitJSON)}, {"init_hex", s.InitHex}, {"init_file", s.InitFile}} {
		if one.value != "" {
			given = append(given, one.key)
		}
	}
	if len(given) > 1 {
		return fmt.Errorf("only one of %s can be given", strings.Join(given, " and "))
	}
	if _, err := hex.DecodeString(s.InitHex); err != nil {
		return fmt.Errorf("init_hex: expected bytes in hex, such as 4449444c0000")
	}
	return nil
}

// Path is the path of a file that the project names.
func (p *Project) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.folder, name)
}

// exists reports whether something has a path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
