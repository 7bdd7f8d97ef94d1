package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/standin"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterStatus() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "status CANISTER",
		Short: "Show the status, module, memory, cycles, methods and open calls of a canister",
		Example: `  canisterd canister status bank
  canisterd canister status bank --jq .cycles`,
		Args: cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
			if err != nil {
				return err
			}
			about, err := c.standInOf(ctx, d, got.GetCanister())
			if err != nil {
				return err
			}
			result := canisterResult(got.GetCanister())
			result.StandIn = about
			return c.print(canisterText(got.GetCanister(), about, all), result)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "include methods that compilers add")
	return cmd
}

// canisterStatusResult is a canister for --json.
type canisterStatusResult struct {
	Canister    string      `json:"canister_id"`
	Subnet      string      `json:"subnet_id"`
	Status      string      `json:"status"`
	Version     uint64      `json:"version"`
	ModuleHash  string      `json:"module_hash"`
	KnownModule string      `json:"known_module,omitempty"`
	Memory      uint64      `json:"memory_bytes"`
	Heap        uint64      `json:"heap_bytes"`
	Stable      uint64      `json:"stable_bytes"`
	Cycles      json.Number `json:"cycles"`
	Burned      json.Number `json:"idle_cycles_burned_per_day"`
	Controllers []string    `json:"controllers"`
	Timer       string      `json:"global_timer,omitempty"`
	Heartbeat   bool        `json:"heartbeat"`
	Methods     []string    `json:"methods"`
	// StandIn describes a stand-in; nil: the canister is none.
	StandIn *standin.About `json:"stand_in,omitempty"`
}

// standInOf describes the stand-in that a canister is, nil if it is none.
func (c *cli) standInOf(ctx context.Context, d *remote.Daemon, found *controlv1.Canister) (*standin.About, error) {
	if !slices.Contains(found.GetMetadata(), standin.Section) {
		return nil, nil
	}
	id, err := principal.Parse(found.GetCanisterId())
	if err != nil {
		return nil, err
	}
	return networks.Instance{Daemon: d, Name: c.instance}.StandInAt(ctx, id)
}

func canisterResult(s *controlv1.Canister) canisterStatusResult {
	result := canisterStatusResult{
		Canister: s.GetCanisterId(), Subnet: s.GetSubnetId(), Status: statusText(s.GetStatus()), Version: s.GetCanisterVersion(),
		ModuleHash: hex.EncodeToString(s.GetModuleHash()), KnownModule: moduleText(s.GetKnownModule()), Memory: s.GetMemoryBytes(), Heap: s.GetHeapBytes(), Stable: s.GetStableBytes(),
		Cycles: json.Number(s.GetCycles()), Burned: json.Number(s.GetIdleCyclesBurnedPerDay()), Controllers: append([]string{}, s.GetSettings().GetControllers().GetPrincipals()...),
		Timer: stamp(s.GetGlobalTimer()), Heartbeat: s.GetHeartbeat(), Methods: []string{},
	}
	for _, m := range s.GetMethods() {
		result.Methods = append(result.Methods, m.GetName())
	}
	return result
}

// canisterText formats a canister for people, with all methods or without those that its compiler added. about describes a
// stand-in.
func canisterText(s *controlv1.Canister, about *standin.About, all bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is %s, version %d\n", s.GetCanisterId(), statusText(s.GetStatus()), s.GetCanisterVersion())
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&text, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	module := "none"
	if len(s.GetModuleHash()) > 0 {
		module = hex.EncodeToString(s.GetModuleHash())
	}
	line("module", "%s", module)
	if name := moduleText(s.GetKnownModule()); name != "" {
		line("", "%s", name)
	}
	if about != nil {
		line("stand-in", "%s", about)
	}
	line("memory", "%s (heap %s, stable %s)", size(int64(s.GetMemoryBytes())), size(int64(s.GetHeapBytes())), size(int64(s.GetStableBytes())))
	line("cycles", "%s (%s a day)", grouped(s.GetCycles()), grouped(s.GetIdleCyclesBurnedPerDay()))
	line("controllers", "%s", strings.Join(s.GetSettings().GetControllers().GetPrincipals(), "\n            "))
	line("subnet", "%s", s.GetSubnetId())
	if s.GetGlobalTimer() != nil {
		line("timer", "%s", stamp(s.GetGlobalTimer()))
	}
	if s.GetHeartbeat() {
		line("heartbeat", "every round")
	}
	if s.GetCallContexts() > 0 || s.GetQueuedMessages() > 0 {
		line("in flight", "%d call contexts, %d queued messages", s.GetCallContexts(), s.GetQueuedMessages())
	}
	if methods := methodLines(s, all); len(methods) > 0 {
		line("methods", "%s", strings.Join(methods, "\n            "))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// methodLines returns the methods of a canister, and how many are left out.
func methodLines(s *controlv1.Canister, all bool) (lines []string) {
	folded := 0
	for _, m := range s.GetMethods() {
		if !all && generated.Method(m.GetName()) {
			folded++
			continue
		}
		lines = append(lines, oneLine(m.GetName())+" ("+m.GetKind()+")")
	}
	if folded > 0 {
		lines = append(lines, fmt.Sprintf("and %d of the compiler (--all)", folded))
	}
	return lines
}

func statusText(s controlv1.CanisterStatus) string {
	return word(s, "CANISTER_STATUS_")
}
