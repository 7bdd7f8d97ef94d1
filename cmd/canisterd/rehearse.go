package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/rehearse"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// exitRefused is the exit code of a rehearsal that fails: a result, as a reject is.
const exitRefused = exitReject

// rehearseFlags are the flags of canisterd rehearse.
type rehearseFlags struct {
	argumentFlags
	arg, snapshot                              string
	features                                   []string
	queries, mayDiffer, operations, invariants []string
	strict                                     bool
}

func (c *cli) rehearse() *cobra.Command {
	var f rehearseFlags
	cmd := &cobra.Command{
		Use:   "rehearse CANISTER=MODULE",
		Short: "Try an upgrade on forks of the instance, and report what would go wrong",
		Long: `Upgrade a canister to a Wasm module on forks of the instance, with its calls in flight
and its timers, and compare the canister before and after. The instance itself does not
change. docs/rehearse.md describes the checks.

All queries without arguments are compared, and those of --query. An operation (--op) is
an update call: CANISTER METHOD [ARGUMENTS] [as PRINCIPAL], as for explore. With
operations, the rehearsal measures how the upgrade grows with the state, and upgrades the
canister at every await of them.

--snapshot rehearses on a stored state: the name of a snapshot of the instance, or the
path of a file or of a directory. A temporary instance is made of a file or a directory,
in which canisters have the names that they were deployed with.

The exit code is 0 if no check fails, 2 if one does, and 1 if the upgrade could not be
rehearsed. Warnings do not change the exit code unless --strict is given.`,
		Example: `  canisterd rehearse bank=build/bank.wasm
  canisterd rehearse bank=bank.wasm --query 'bank balance_of (principal "${ada}")'
  canisterd rehearse bank=bank.wasm --op 'bank withdraw 100' --invariant 'vault paidOut <= 100'
  canisterd rehearse bank=bank.wasm --snapshot ./production.ic --may-differ version --strict`,
		Args: cobra.ExactArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			verdict, err := f.run(ctx, c, d, args[0])
			if err != nil {
				return err
			}
			if err := c.print(verdictText(verdict), verdict); err != nil {
				return err
			}
			if verdict.Result == rehearse.Failed || f.strict && verdict.Result == rehearse.Warning {
				return exitCode(exitRefused)
			}
			return nil
		}),
	}
	f.addTo(cmd)
	return sending(cmd)
}

func (f *rehearseFlags) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.arg, "arg", "", "arguments of canister_post_upgrade; - reads them from standard input")
	f.add(cmd, "--arg")
	flags.StringVar(&f.form, "form", "text", "format of --arg: text (Candid), json or hex")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "args" || name == "queries" || name == "ops" {
			name = map[string]string{"args": "arg", "queries": "query", "ops": "op"}[name]
		}
		return pflag.NormalizedName(name)
	})
	flags.StringArrayVar(&f.queries, "query", nil, "query to compare, 'CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]'; repeatable")
	flags.StringSliceVar(&f.mayDiffer, "may-differ", nil, "methods of queries whose answers may differ after the upgrade, such as version")
	flags.StringArrayVar(&f.operations, "op", nil, "operation at whose awaits to upgrade, 'CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]'; repeatable")
	flags.StringArrayVar(&f.invariants, "invariant", nil, "condition that must hold when no message of the operations is left, such as 'vault paidOut <= 100'")
	flags.StringVar(&f.snapshot, "snapshot", "", "rehearse on a stored state: a snapshot of the instance, a file of canisterd instance export, or a directory of canisterd clone, canisterd canister snapshot download or icp canister snapshot download")
	flags.StringSliceVar(&f.features, "feature", nil, "what to allow beyond the network: wasi, components (default: as at the last installation)")
	flags.BoolVar(&f.strict, "strict", false, "also exit with code 2 for a warning")
}

// run rehearses CANISTER=MODULE.
func (f *rehearseFlags) run(ctx context.Context, c *cli, d *remote.Daemon, word string) (verdict *rehearse.Verdict, err error) {
	canister, _, _ := strings.Cut(word, "=")
	end, err := f.stored(ctx, c, d, canister)
	if end != nil {
		defer func() { err = errors.Join(err, end()) }()
	}
	if err != nil {
		return nil, err
	}
	plan, err := f.plan(c, word)
	if err != nil {
		return nil, err
	}
	plan.Daemon = d
	defer c.doing("rehearsing " + word)()
	return plan.Run(ctx)
}

// plan makes the plan of a rehearsal from the flags and CANISTER=MODULE.
func (f *rehearseFlags) plan(c *cli, word string) (*rehearse.Plan, error) {
	name, file, found := strings.Cut(word, "=")
	if !found {
		return nil, fmt.Errorf("invalid upgrade %q: expected CANISTER=MODULE, such as bank=build/bank.wasm", word)
	}
	p := &rehearse.Plan{
		Instance: c.instance, Snapshot: f.snapshot, MayDiffer: f.mayDiffer, Features: f.features, Invariants: f.invariants, Names: c.known().principals(),
	}
	var err error
	if p.Canister, err = c.canisterOf(name); err != nil {
		return nil, err
	}
	if p.Module, err = os.ReadFile(file); err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	p.Linked = linkedComponent(p.Module)
	if p.Argument, err = f.ofUpgrade(c, name); err != nil {
		return nil, err
	}
	if p.Sender, err = c.sender(); err != nil {
		return nil, err
	}
	for _, text := range f.queries {
		query, err := c.operation(text)
		if err != nil {
			return nil, fmt.Errorf("--query %q: %w", text, err)
		}
		p.Queries = append(p.Queries, rehearse.Query{Title: text, Call: query.GetCall()})
	}
	for _, text := range f.operations {
		operation, err := c.operation(text)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", text, err)
		}
		p.Operations = append(p.Operations, operation)
	}
	return p, nil
}

// ofUpgrade returns the argument of canister_post_upgrade, nil for none.
func (f *rehearseFlags) ofUpgrade(c *cli, name string) (*controlv1.Value, error) {
	var words []string
	if f.arg != "" {
		words = []string{f.arg}
	}
	if len(words) == 0 && f.file+f.hex == "" {
		return nil, nil
	}
	given, err := f.argument(c, words)
	if err != nil {
		return nil, err
	}
	return f.ofInstallation(c, name, given)
}

// verdictText formats a verdict for people.
func verdictText(v *rehearse.Verdict) string {
	var text strings.Builder
	for _, check := range v.Checks {
		fmt.Fprintf(&text, "%-8s %s: %s\n", check.Result, check.Name, check.Text)
		for _, finding := range check.Findings {
			fmt.Fprintf(&text, "           %s\n", oneLine(finding))
		}
	}
	if cost := v.Cost; cost != nil {
		fmt.Fprintf(&text, "cost     %s cycles; heap %s to %s, stable memory %s to %s\n",
			cost.Cycles, size(int64(cost.HeapBefore)), size(int64(cost.HeapAfter)), size(int64(cost.StableBefore)), size(int64(cost.StableAfter)))
	}
	fmt.Fprintf(&text, "verdict  %s", verdictMeans[v.Result])
	return text.String()
}

// verdictMeans says what a verdict means for the upgrade.
var verdictMeans = map[rehearse.Result]string{
	rehearse.Passed:  "passed",
	rehearse.Warning: "passed, with warnings",
	rehearse.Failed:  "failed: do not upgrade",
}
