package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
)

const (
	// budget is how many runs an exploration has.
	budget = 2_000
	// shown is how many bytes of the text of a finding the table shows.
	shown = 240
)

// bug is what bugs.yaml says about one bug.
type bug struct {
	Folder   string `yaml:"folder"`
	Reported string `yaml:"reported"` // repository and number of the issue or of the change
	Pinned   string `yaml:"pinned"`   // the compiler or library that has the bug
	Says     string `yaml:"says"`     // what the report says
	Init     string `yaml:"init"`     // Candid text, with ${ledger} and ${second}
	Upgrade  bool   `yaml:"upgrade"`  // the canister may be upgraded to its own module
	Found    string `yaml:"found"`    // the property that finds it; "" for a miss
	Fault    string `yaml:"fault"`    // the fault of the finding: with another, the bug is another one; "" for none
}

// result is what an exploration found.
type result struct {
	finding *explore.Finding // of the property of the bug; nil for none
	others  []string         // other properties with findings
	took    time.Duration
}

// read reads bugs.yaml of a folder.
func read(folder string) ([]*bug, error) {
	text, err := os.ReadFile(filepath.Join(folder, "bugs.yaml"))
	if err != nil {
		return nil, err
	}
	var list struct {
		Bugs []*bug `yaml:"bugs"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("reading bugs.yaml: %w", err)
	}
	return list.Bugs, nil
}

// ledgers are the canisters that those with the bugs call.
var ledgers = []string{"ledger", "second"}

// deployLedgers deploys the canisters without bugs.
func deployLedgers(ctx context.Context, n *canisterd.Network, folder string) error {
	for _, name := range ledgers {
		file := filepath.Join(folder, "../asyncbugs/shared/ledger.wasm.gz")
		if _, err := n.Deploy(ctx, file, canisterd.Named(name), canisterd.Init(canisterd.Text("(10_000)"))); err != nil {
			return err
		}
	}
	return nil
}

// explore explores the canister of a bug in a fork of the base. It gets no hint about the bug.
func (b *bug) explore(ctx context.Context, base *canisterd.Network, folder string, runs int) (r result, err error) {
	n, err := base.Fork(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	options, err := b.deploy(ctx, n, filepath.Join(folder, b.Folder, "canister.wasm.gz"))
	if err != nil {
		return r, err
	}
	began := time.Now()
	report, err := explore.Explore(ctx, n, append(options, explore.KeepGoing(), explore.Budget(runs))...)
	if err != nil {
		return r, err
	}
	r.took = time.Since(began)
	for _, f := range report.Findings {
		if f.Property == b.Found && faultOf(f) == b.Fault {
			r.finding = f
		} else {
			r.others = append(r.others, fmt.Sprintf("`%s` (%s)", f.Property, cmp.Or(faultOf(f), "no fault")))
		}
	}
	return r, nil
}

// faultOf returns the fault of a finding that has one, "" for others.
func faultOf(f *explore.Finding) string {
	if len(f.Schedule.Plan) != 1 {
		return ""
	}
	return f.Schedule.Plan[0].Kind.String()
}

// deploy deploys the canister, and returns the options for its exploration: calls of its update methods with drawn
// arguments.
func (b *bug) deploy(ctx context.Context, n *canisterd.Network, file string) ([]explore.Option, error) {
	init := cmp.Or(b.Init, "()")
	for _, name := range ledgers {
		c, err := n.Canister(name)
		if err != nil {
			return nil, err
		}
		init = strings.ReplaceAll(init, "${"+name+"}", c.ID().String())
	}
	c, err := n.Deploy(ctx, file, canisterd.Named("app"), canisterd.Init(canisterd.Text(init)))
	if err != nil {
		return nil, err
	}
	options := []explore.Option{explore.Any(c)}
	if b.Upgrade {
		module, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		options = append(options, explore.Upgrade(c, module, nil))
	}
	return options, nil
}

// row returns the row of the table.
func (b *bug) row(r result) string {
	found, run, text := "no", "", strings.Join(r.others, ", ")
	if text != "" {
		text = "others: " + text
	}
	if f := r.finding; f != nil {
		found, run = "yes", fmt.Sprint(f.Run)
		text = fmt.Sprintf("`%s` (%s): %s", f.Property, cmp.Or(b.Fault, "no fault"), short(f.Text))
		if f.Suspicion {
			found = "as a suspicion"
		}
	}
	return fmt.Sprintf("| %s (%s): %s | %s | %s | %s | %.1f s | %s |", b.Folder, b.Pinned, b.Says, b.Reported, found, run, r.took.Seconds(), text)
}

// short returns the text of a finding without the words of the network around the message of a trap.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if what, message, found := strings.Cut(text, "with message: "); found {
		what, _, _ = strings.Cut(what, ": CANISTER_ERROR")
		message, _, _ = strings.Cut(message, " Canister Backtrace")
		message, _, _ = strings.Cut(message, ". Consider")
		text = what + ": " + strings.Trim(message, "' ")
	}
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	return text
}
