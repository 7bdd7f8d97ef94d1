package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

func (c *cli) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary (canisterd status shows that of the daemon)",
		Example: `  canisterd version
  canisterd version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.print("canisterd "+daemon.Version(), map[string]string{
				"version": daemon.Version(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
			})
		},
	}
}
