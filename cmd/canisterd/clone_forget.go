package main

import (
	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
)

func (c *cli) cloneForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget [ID...]",
		Short: "Remove the snapshots that clone keeps",
		Long: `Remove the snapshots that clone keeps in .canisterd/clones of the project: those of the
canisters, or all. Clones in instances stay.`,
		Example: `  canisterd clone forget
  canisterd clone forget rdmx6-jaaaa-aaaaa-aaadq-cai`,
		RunE: func(_ *cobra.Command, args []string) error {
			cache := clone.CacheIn(project.Nearest())
			ids, err := cloneIDs(args)
			if len(args) == 0 {
				ids, err = cache.Canisters()
			}
			if err != nil {
				return err
			}
			type forgotten struct {
				Canister string `json:"canister_id"`
				Bytes    int64  `json:"bytes"`
			}
			all := []forgotten{}
			for _, id := range ids {
				removed, err := cache.Forget(id)
				if err != nil {
					return err
				}
				all = append(all, forgotten{id.String(), removed})
				c.note("%s: removed %s", id, size(removed))
			}
			if len(all) == 0 {
				c.note("no snapshots are kept in %s", string(cache))
			}
			if c.json {
				return c.print("", all)
			}
			return nil
		},
	}
}
