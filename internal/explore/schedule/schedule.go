package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Version is the version of the format. Files of other versions are refused.
const Version = 1

// NewCoverage is the property of the file of a run that violates none: it showed something new, such as code that did not run
// before, and is part of a corpus.
const NewCoverage = "new-coverage"

// File describes a run that violates a property: its operations, and how it differs from FIFO.
type File struct {
	Version int `yaml:"version"`
	// Property is the property that the run violates, or NewCoverage. Canister and Method are those of the violation, and Text describes
	// it.
	Property string `yaml:"property"`
	Canister string `yaml:"canister,omitempty"`
	Method   string `yaml:"method,omitempty"`
	Text     string `yaml:"text,omitempty"`
	// Modules are the hashes of the modules by canister name, and Base is the hash of the state in which the run begins.
	// If the property holds but no module has changed, nothing was fixed.
	Modules map[string]string `yaml:"modules,omitempty"`
	Base    string            `yaml:"base,omitempty"`
	Seed    uint64            `yaml:"seed"`
	Waits   int               `yaml:"waits,omitempty"` // how often the run continues at the next timer when it is at rest
	// Upgrades are the modules to which the run upgrades canisters. The file only has their hashes: a replay needs the
	// modules.
	Upgrades []Upgrade `yaml:"upgrades,omitempty"`
	// Outcalls are the answers to HTTP outcalls. Without a fault, an outcall gets the first.
	Outcalls []Outcall `yaml:"outcalls,omitempty"`
	// Observe are the queries by which serial orders are compared.
	Observe []Query `yaml:"observe,omitempty"`
	// Identities are the principals of the identities that the file names, for computers that do not have them.
	Identities map[string]string `yaml:"identities,omitempty"`
	// Before are calls that are made one after the other before the run. They have no names.
	Before []Operation `yaml:"before,omitempty"`
	// Operations are the messages of users, by name: op1, op2. Operations that the run does not need are left out.
	Operations []Operation `yaml:"operations"`
	// Probed are operations that take no part in the run; the replay checks whether they still work.
	Probed     []Operation `yaml:"probed,omitempty"`
	Deviations []Deviation `yaml:"deviations,omitempty"`
	Faults     []Fault     `yaml:"faults,omitempty"`
	// Messages are the names of the messages of the run, in order. Older files do not have them.
	Messages []string `yaml:"messages,omitempty,flow"`
}

// Upgrade is a module to which a canister is upgraded.
type Upgrade struct {
	Canister string `yaml:"canister"` // name, or id
	Module   string `yaml:"module"`   // hash
}

// Outcall is an answer to HTTP outcalls.
type Outcall struct {
	Status uint16 `yaml:"status"`
	Body   string `yaml:"body"`
}

// Query is a query of a canister.
type Query struct {
	Canister string `yaml:"canister"` // name, or id
	Method   string `yaml:"method"`
	Argument string `yaml:"argument"` // Candid text, in which ${NAME} is a canister or an identity; or hex
	Sender   string `yaml:"sender"`   // principal, or name
}

// Operation is an update call of a user.
type Operation struct {
	Name     string `yaml:"name,omitempty"` // op2
	Canister string `yaml:"canister"`       // name, or id
	Method   string `yaml:"method"`
	Argument string `yaml:"argument"`          // Candid text, in which ${NAME} is a canister or an identity; or hex
	Sender   string `yaml:"sender"`            // principal, or name
	Title    string `yaml:"title,omitempty"`   // for people
	Retried  bool   `yaml:"retried,omitempty"` // its user may send it twice
}

// Deviation says that the message Before waits until the message Run was delivered.
type Deviation struct {
	Run    string `yaml:"run"`
	Before string `yaml:"before"`
}

// Fault happens to a message.
type Fault struct {
	At     string `yaml:"at"`
	Kind   string `yaml:"kind"`
	Answer int    `yaml:"answer,omitempty"` // of other_answer: number of the answer in Outcalls, from 1
}

// Write returns the text of a file.
func Write(f *File) ([]byte, error) {
	f.Version = Version
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(f), e.Close()); err != nil {
		return nil, fmt.Errorf("writing the schedule: %w", err)
	}
	return out.Bytes(), nil
}

// Read parses the text of a file. The error says what violates the format.
func Read(text []byte) (*File, error) {
	f := new(File)
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("invalid schedule: %w", err)
	}
	switch {
	case f.Version != Version:
		return nil, fmt.Errorf("invalid schedule: its version is %d, and this program reads version %d: explore again", f.Version, Version)
	case len(f.Operations) == 0:
		return nil, errors.New("invalid schedule: it has no operations")
	case f.Property == "":
		return nil, errors.New("invalid schedule: it names no property")
	}
	return f, nil
}
