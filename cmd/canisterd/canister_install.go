package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type installFlags struct {
	argumentFlags
	mode, arg, memory    string
	sourceMap, debugFile string
	skipPreUpgrade, yes  bool
	features             []string
}

func (c *cli) canisterInstall() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install CANISTER MODULE",
		Short: "Install or upgrade a canister from a Wasm file, plain or gzipped",
		Example: `  canisterd canister install $id bank.wasm
  canisterd canister install bank build/bank.wasm.gz --mode upgrade
  canisterd canister install bank bank.wasm --mode reinstall --yes --arg '("Ada", 3)'
  canisterd canister install counter counter.wasm --feature wasi`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			head, err := f.head(c, args[0], id)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if err := f.confirm(ctx, c, d, head, args[0]); err != nil {
					return err
				}
				debug, err := f.debugInfo(args[1])
				if err != nil {
					return err
				}
				installed, err := c.install(ctx, d, head, args[1], debug)
				if err != nil {
					c.hintFeature(err, "install it with --feature %s")
					return err
				}
				hash := hex.EncodeToString(installed.GetModuleHash())
				return c.print(fmt.Sprintf("%s runs module %s", id, hash), map[string]string{"canister_id": id, "module_hash": hash})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "mode", "install", "install, reinstall, upgrade or auto (install if the canister is empty, else upgrade)")
	flags.StringVar(&f.arg, "arg", "", "arguments of canister_init or canister_post_upgrade; - reads them from standard input")
	f.add(cmd, "--arg")
	flags.StringVar(&f.form, "form", "text", "format of --arg: text (Candid), json or hex")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "arg-file" { // its name in earlier versions
			name = "argument-file"
		}
		return pflag.NormalizedName(name)
	})
	flags.StringVar(&f.memory, "memory", "", "on upgrade, keep or replace the heap (default: keep if the old and the new module ask for it, else replace)")
	flags.BoolVar(&f.skipPreUpgrade, "skip-pre-upgrade", false, "on upgrade, do not run canister_pre_upgrade")
	flags.BoolVar(&f.yes, "yes", false, reinstallYes)
	flags.StringVar(&f.sourceMap, "map", "", "source map of the module, for the lines of backtraces and profiles (default: MODULE.map, if it is there and of this build)")
	flags.StringVar(&f.debugFile, "debug", "", "Wasm file with the debug information that was stripped from the module")
	flags.StringSliceVar(&f.features, "feature", nil, "what to allow beyond the network: wasi, components (default: as at the last installation)")
	return sending(cmd)
}

// confirm asks before a reinstallation forgets the state of a canister.
func (f *installFlags) confirm(ctx context.Context, c *cli, d *remote.Daemon, head *controlv1.InstallHead, name string) error {
	if head.GetMode() != controlv1.InstallMode_INSTALL_MODE_REINSTALL || f.yes {
		return nil
	}
	got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: head.GetCanisterId()})
	if err != nil {
		return err
	}
	return c.confirmed(stateOf([]string{name}), len(got.GetCanister().GetModuleHash()) == 0)
}

func (f *installFlags) head(c *cli, name, id string) (*controlv1.InstallHead, error) {
	head := &controlv1.InstallHead{Instance: c.instance, CanisterId: id, SkipPreUpgrade: f.skipPreUpgrade, Features: f.features}
	mode, ok := controlv1.InstallMode_value["INSTALL_MODE_"+strings.ToUpper(f.mode)]
	if !ok && f.mode != "auto" {
		return nil, fmt.Errorf("invalid --mode %q: expected install, reinstall, upgrade or auto", f.mode)
	}
	head.Mode = controlv1.InstallMode(mode)
	switch f.memory {
	case "":
	case "keep", "replace":
		keep := f.memory == "keep"
		head.KeepMainMemory = &keep
	default:
		return nil, fmt.Errorf("invalid --memory %q: expected keep or replace", f.memory)
	}
	var words []string
	if f.arg != "" {
		words = []string{f.arg}
	}
	given, err := f.argument(c, words)
	if err != nil {
		return nil, err
	}
	if head.Argument, err = f.ofInstallation(c, name, given); err != nil {
		return nil, err
	}
	head.Sender, err = c.sender()
	return head, err
}

// debugInfo returns the debug information beside a module.
func (f *installFlags) debugInfo(module string) (debug project.DebugInfo, err error) {
	if f.sourceMap == "" {
		debug.Beside = project.SourceMapBeside(module)
	}
	if path := cmp.Or(f.sourceMap, debug.Beside); path != "" {
		if debug.SourceMap, err = os.ReadFile(path); err != nil {
			return debug, fmt.Errorf("reading the source map: %w", err)
		}
	}
	if f.debugFile != "" {
		if debug.DebugFile, err = os.ReadFile(f.debugFile); err != nil {
			return debug, fmt.Errorf("reading the debug file: %w", err)
		}
	}
	return debug, nil
}

// install sends a module from a file. It leaves out a source map that was found beside the module and is of another
// build, with a note: no flag or key names that map.
func (c *cli) install(
	ctx context.Context, d *remote.Daemon, head *controlv1.InstallHead, path string, debug project.DebugInfo,
) (*controlv1.InstallCodeResponse, error) {
	installed, err := c.sendModule(ctx, d, head, path, debug)
	if reason, _ := remote.Reason(err); reason != remote.DebugInfoInvalid || debug.Beside == "" {
		return installed, err
	}
	c.note("note: %s is not used: %s", debug.Beside, remote.Text(err))
	debug.SourceMap = nil
	return c.sendModule(ctx, d, head, path, debug)
}

// sendModule sends a module from a file with its debug information.
func (c *cli) sendModule(
	ctx context.Context, d *remote.Daemon, head *controlv1.InstallHead, path string, debug project.DebugInfo,
) (*controlv1.InstallCodeResponse, error) {
	module, total, err := source(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = module.Close() }() // only for reading
	tell, done := c.progress("sending "+path, total)
	defer done()
	return d.InstallWithDebugInfo(ctx, head, module, remote.DebugInfo{SourceMap: debug.SourceMap, DebugFile: debug.DebugFile}, tell)
}
