package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/regular"
)

func (c *cli) componentLink() *cobra.Command {
	return &cobra.Command{
		Use:   "link IN OUT",
		Short: "Link a component into a module",
		Long: `Write a module to OUT that does what the component IN does as a canister with --feature
components. It imports only ic0, so it also runs on the Internet Computer.`,
		Example: `  canisterd component link till.wasm till-ic.wasm
  canisterd component link bank.component.wasm bank.wasm`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			binary, err := regular.Read(args[0], component.MaxBytes)
			if err != nil {
				return err
			}
			out, err := daemon.LinkComponent(binary)
			if err != nil {
				return fmt.Errorf("%s: %w%s", args[0], err, componentAdvice(binary))
			}
			if err := os.WriteFile(args[1], out, 0o644); err != nil { //nolint:gosec // a module is not secret
				return err
			}
			return c.print(fmt.Sprintf("%s: %d bytes, imports only ic0", args[1], len(out)), map[string]any{"file": args[1], "bytes": len(out)})
		},
	}
}
