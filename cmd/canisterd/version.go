package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

// addVersion adds the flag --version. Cobra's own prints another text, unless a template says which.
func (c *cli) addVersion(root *cobra.Command) {
	given := root.Flags().BoolP("version", "v", false, "version for canisterd")
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !*given {
			return run(cmd, args)
		}
		_, err := fmt.Fprintf(c.out, "canisterd %s\n", daemon.Version())
		return err
	}
}

func (c *cli) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary (canisterd status shows that of the daemon)",
		Example: `  canisterd version
  canisterd version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b, platform := daemon.Build(), runtime.GOOS+"/"+runtime.GOARCH
			origin := []string{b.Go, platform}
			if b.Commit != "" {
				origin = append([]string{"commit " + b.Commit, b.Time}, origin...)
			}
			return c.print(fmt.Sprintf("canisterd %s (%s)", b.Version, strings.Join(origin, ", ")), map[string]string{
				"version": b.Version, "commit": b.Commit, "time": b.Time, "go": b.Go, "platform": platform,
			})
		},
	}
}
