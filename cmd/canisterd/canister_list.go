package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the canisters of an instance",
		Example: `  canisterd canister list
  canisterd canister list --jq '.canisters[].canister_id'`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			all, err := allCanisters(ctx, d, c.instance)
			if err != nil {
				return err
			}
			t := c.table("CANISTER", "NAME", "STATUS", "CYCLES", "BURNS A DAY", "MEMORY", "MODULE")
			for _, s := range all {
				name := c.known().names[s.GetCanisterId()]
				t.row(s.GetCanisterId(), name, statusText(s.GetStatus()), grouped(s.GetCycles()), grouped(s.GetIdleCyclesBurnedPerDay()), size(int64(s.GetMemoryBytes())), fmt.Sprintf("%.12x", s.GetModuleHash()))
			}
			return c.print(t.String(), c.listed(all))
		}),
	}
}

// allCanisters returns the canisters of an instance in the order of their ids.
func allCanisters(ctx context.Context, d *remote.Daemon, instance string) ([]*controlv1.CanisterSummary, error) {
	return allPages((*controlv1.ListCanistersResponse).GetCanisters, func(token string) (*controlv1.ListCanistersResponse, error) {
		return d.Canisters.ListCanisters(ctx, &controlv1.ListCanistersRequest{Instance: instance, PageSize: pageSize, PageToken: token})
	})
}

// listedCanister is a canister of a list for --json.
type listedCanister struct {
	Canister   string      `json:"canister_id"`
	Name       string      `json:"name"` // "" if it was not deployed from this folder
	Subnet     string      `json:"subnet_id"`
	Status     string      `json:"status"`
	Cycles     json.Number `json:"cycles"`
	Burned     json.Number `json:"idle_cycles_burned_per_day"`
	Memory     uint64      `json:"memory_bytes"`
	ModuleHash string      `json:"module_hash"`
}

func (c *cli) listed(all []*controlv1.CanisterSummary) map[string][]listedCanister {
	list := []listedCanister{}
	for _, s := range all {
		list = append(list, listedCanister{
			s.GetCanisterId(), c.known().names[s.GetCanisterId()], s.GetSubnetId(), statusText(s.GetStatus()),
			json.Number(s.GetCycles()), json.Number(s.GetIdleCyclesBurnedPerDay()), s.GetMemoryBytes(), hex.EncodeToString(s.GetModuleHash()),
		})
	}
	return map[string][]listedCanister{"canisters": list}
}
