package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

func (c *cli) wasmGroup() *cobra.Command {
	all := group("wasm", "Prepare modules for the Internet Computer")
	all.AddCommand(c.wasmPolyfill())
	return all
}

func (c *cli) wasmPolyfill() *cobra.Command {
	return &cobra.Command{
		Use:   "polyfill IN OUT",
		Short: "Replace the WASI imports of a module",
		Long: `Write to OUT a module that behaves as the module IN does with --feature wasi, but imports
only ic0: the functions of WASI are compiled in. It cannot block: poll_oneoff returns
ENOTSUP.`,
		Example: `  canisterd wasm polyfill counter.wasm counter-ic.wasm
  canisterd wasm polyfill bank.wasm.gz bank-ic.wasm`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			module, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			out, err := daemon.Polyfill(module)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := os.WriteFile(args[1], out, 0o644); err != nil { //nolint:gosec // a module is not secret
				return err
			}
			return c.print(fmt.Sprintf("%s: %d bytes, imports only ic0", args[1], len(out)), map[string]any{"file": args[1], "bytes": len(out)})
		},
	}
}
