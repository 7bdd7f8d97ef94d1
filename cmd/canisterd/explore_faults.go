package main

import (
	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func (c *cli) exploreFaults() *cobra.Command {
	return &cobra.Command{
		Use:   "faults",
		Short: "List the kinds of faults, and what happens in each",
		Example: `  canisterd explore faults
  canisterd explore faults --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type kind struct {
				Kind    string `json:"kind"`
				Happens string `json:"happens"`
			}
			t, all := c.table("KIND", "WHAT HAPPENS"), []kind(nil)
			for _, k := range harness.FaultKinds() {
				t.row(k.String(), k.Explanation())
				all = append(all, kind{k.String(), k.Explanation()})
			}
			return c.print(t.String(), all)
		},
	}
}
