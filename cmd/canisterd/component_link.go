package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
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
			if isSameFile(args[0], args[1]) {
				return fmt.Errorf("OUT %s is the file of the component, which the module would replace: choose another name", args[1])
			}
			binary, err := readComponent(args[0])
			if err != nil {
				return err
			}
			out, err := daemon.LinkComponent(binary)
			if err != nil {
				return fmt.Errorf("%s: %w%s", args[0], err, linkAdvice(binary))
			}
			if err := os.WriteFile(args[1], out, 0o644); err != nil { //nolint:gosec // a module is not secret
				return err
			}
			return c.print(fmt.Sprintf("%s: %d bytes, imports only ic0", args[1], len(out)), map[string]any{"file": args[1], "bytes": len(out)})
		},
	}
}

// linkAdvice says what to do with a file that is not a component. A module may be a canister already.
func linkAdvice(binary []byte) string {
	if isCoreModule(binary) {
		return " (canisterd canister install takes the module of a canister as it is; wasm-tools component new makes a component of another core module)"
	}
	return ""
}

// isSameFile reports whether two paths lead to one file that exists.
func isSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// linkedComponent returns the module that is linked of a component; nil: the file is none, or cannot be a canister, which its
// installation says.
func linkedComponent(module []byte) []byte {
	linked, err := daemon.LinkComponent(module)
	if err != nil {
		return nil
	}
	return linked
}
