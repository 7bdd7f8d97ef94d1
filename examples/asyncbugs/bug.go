package asyncbugs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"
)

// Bug is what bug.yaml says about one bug.
type Bug struct {
	Folder   string `yaml:"-"`
	Name     string `yaml:"name"`
	Language string `yaml:"language"` // Motoko or Rust
	Pattern  string `yaml:"pattern"`  // one clause

	Explore  Explore  `yaml:"explore"`
	Schedule Schedule `yaml:"schedule"`
	NoReturn NoReturn `yaml:"no_return"`
	ByHand   ByHand   `yaml:"by_hand"`

	canisters map[string]canisterSpec
}

// Explore is what is to be explored. Calls are written as a canister, a method and Candid text: "app withdraw (100)".
type Explore struct {
	Setup      []string `yaml:"setup"`      // calls before all others, one after the other
	Operations []string `yaml:"operations"` // calls at once
	Invariants []string `yaml:"invariants"` // a query, a relation, and a value or a query: "ledger paid <= 100"
	Drawn      []string `yaml:"drawn"`      // a canister and a method, whose arguments are drawn: "app withdraw"
	Any        []string `yaml:"any"`        // canisters of which calls are drawn
	Untrusted  []string `yaml:"untrusted"`  // canisters that may do what they like
	// Upgrades are files of modules, by the canisters that may be upgraded to them at any time.
	Upgrades map[string]string `yaml:"upgrades"`
}

// Schedule is the least that has to be different from FIFO, the order in which messages came.
type Schedule struct {
	Deviations []Deviation `yaml:"deviations"`
	Faults     []Fault     `yaml:"faults"`
}

// Deviation delivers one message before another that came first. Messages are named by the operation that they come
// from: op1 is the call of a user, op1/2.request the second call that its canister makes, op1/2.reply the answer;
// app:timer1 is the first time that a timer fires.
type Deviation struct {
	Run    string `yaml:"run"`
	Before string `yaml:"before"`
}

// Fault is a fault of a message.
type Fault struct {
	At   string `yaml:"at"`
	Kind string `yaml:"kind"`
}

// NoReturn is the message of the least schedule after which no order of the others avoids the harm, without further faults.
// People named it before the explorer did.
type NoReturn struct {
	Message string `yaml:"message"`
	Because string `yaml:"because"`
}

// ByHand are the steps that show the bug, and what a query shows after them.
type ByHand struct {
	Steps  []Step `yaml:"steps"`
	Result struct {
		Query string `yaml:"query"`
		Buggy string `yaml:"buggy"`
		Fixed string `yaml:"fixed"`
	} `yaml:"result"`
}

// Step is one step by hand. One of the fields with a verb is set; the others say more about it. After each step the
// network runs until nothing more happens.
type Step struct {
	Begin string `yaml:"begin"` // a call, which is not awaited

	Hold   string `yaml:"hold"`  // messages, under a name
	Stage  string `yaml:"stage"` // request or response
	Callee string `yaml:"callee"`
	Method string `yaml:"method"`
	Skip   uint64 `yaml:"skip"`  // so many messages pass first
	Times  uint64 `yaml:"times"` // 0: all

	Release string `yaml:"release"` // messages that were held
	Reject  string `yaml:"reject"`  // calls whose requests were held
	Garble  string `yaml:"garble"`  // answers that were held become bytes that no decoder accepts: the callback traps

	Advance time.Duration `yaml:"advance"`
	Upgrade string        `yaml:"upgrade"` // a canister, whether it refuses that or not
	To      string        `yaml:"to"`      // its next module
	Cycles  string        `yaml:"cycles"`  // a canister
	Amount  uint64        `yaml:"amount"`  // its balance from now on
}

// canisterSpec is a canister of canisterd.yaml.
type canisterSpec struct {
	Wasm string `yaml:"wasm"`
	Init string `yaml:"init"`
}

// Read reads the bugs of a folder, in the order of their numbers.
func Read(folder string) ([]*Bug, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "bug.yaml"))
	if err != nil {
		return nil, err
	}
	var bugs []*Bug
	for _, file := range files {
		b := &Bug{Folder: filepath.Dir(file)}
		if err := readYAML(file, b); err != nil {
			return nil, err
		}
		project := struct {
			Canisters map[string]canisterSpec `yaml:"canisters"`
		}{}
		if err := readYAML(filepath.Join(b.Folder, "canisterd.yaml"), &project); err != nil {
			return nil, err
		}
		b.canisters = project.Canisters
		bugs = append(bugs, b)
	}
	return bugs, nil
}

// readYAML reads a file that has no other keys than the type.
func readYAML(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	return nil
}
