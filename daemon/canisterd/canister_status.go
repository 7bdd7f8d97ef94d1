package main

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// canisterStatusReply is the part of canister_status that is printed; Candid
// leaves the rest unread.
type canisterStatusReply struct {
	Status struct {
		Running  *candid.Null `ic:"running,variant"`
		Stopping *candid.Null `ic:"stopping,variant"`
		Stopped  *candid.Null `ic:"stopped,variant"`
	} `ic:"status"`
	Version    uint64   `ic:"version"`
	ModuleHash *[]byte  `ic:"module_hash"`
	MemorySize *big.Int `ic:"memory_size"`
	Cycles     *big.Int `ic:"cycles"`
	Burned     *big.Int `ic:"idle_cycles_burned_per_day"`
	Settings   struct {
		Controllers []principal.Principal `ic:"controllers"`
	} `ic:"settings"`
}

func (r *canisterStatusReply) state() string {
	switch {
	case r.Status.Stopping != nil:
		return "stopping"
	case r.Status.Stopped != nil:
		return "stopped"
	}
	return "running"
}

type canisterStatusResult struct {
	Canister    principal.Principal   `json:"canister_id"`
	Status      string                `json:"status"`
	Version     uint64                `json:"version"`
	ModuleHash  string                `json:"module_hash,omitempty"`
	Memory      string                `json:"memory_bytes"`
	Cycles      string                `json:"cycles"`
	Burned      string                `json:"idle_cycles_burned_per_day"`
	Controllers []principal.Principal `json:"controllers"`
}

func (c *cli) canisterStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status CANISTER",
		Short: "Show a canister's state, module, memory, cycles and controllers",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := canisterID(args[0])
			if err != nil {
				return err
			}
			connection, err := c.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer connection.Close()
			var r canisterStatusReply
			if err := manage(cmd.Context(), connection, id, "canister_status", named{id}, &r); err != nil {
				return err
			}
			result := canisterStatusResult{
				Canister: id, Status: r.state(), Version: r.Version,
				Memory: r.MemorySize.String(), Cycles: r.Cycles.String(), Burned: r.Burned.String(),
				Controllers: r.Settings.Controllers,
			}
			module := "none"
			if r.ModuleHash != nil {
				result.ModuleHash = hex.EncodeToString(*r.ModuleHash)
				module = result.ModuleHash
			}
			controllers := make([]string, len(r.Settings.Controllers))
			for i, p := range r.Settings.Controllers {
				controllers[i] = p.String()
			}
			text := fmt.Sprintf("%s is %s, version %d\nmodule      %s\nmemory      %s bytes\ncycles      %s (%s a day)\ncontrollers %s",
				id, result.Status, r.Version, module, result.Memory, result.Cycles, result.Burned, strings.Join(controllers, "\n            "))
			return c.print(text, result)
		},
	}
}
