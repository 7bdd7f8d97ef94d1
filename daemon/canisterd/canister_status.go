package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status CANISTER",
		Short: "Show a canister's state, module, memory, cycles, methods and what waits",
		Args:  cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
			if err != nil {
				return err
			}
			return c.print(canisterText(got.GetCanister()), canisterResult(got.GetCanister()))
		}),
	}
}

// canisterStatusResult is a canister as --json prints it.
type canisterStatusResult struct {
	Canister    string   `json:"canister_id"`
	Subnet      string   `json:"subnet_id"`
	Status      string   `json:"status"`
	Version     uint64   `json:"version"`
	ModuleHash  string   `json:"module_hash,omitempty"`
	Memory      uint64   `json:"memory_bytes"`
	Heap        uint64   `json:"heap_bytes"`
	Stable      uint64   `json:"stable_bytes"`
	Cycles      string   `json:"cycles"`
	Burned      string   `json:"idle_cycles_burned_per_day"`
	Controllers []string `json:"controllers"`
	Timer       string   `json:"global_timer,omitempty"`
	Heartbeat   bool     `json:"heartbeat,omitempty"`
	Methods     []string `json:"methods,omitempty"`
}

func canisterResult(s *controlv1.Canister) canisterStatusResult {
	result := canisterStatusResult{
		Canister: s.GetCanisterId(), Subnet: s.GetSubnetId(), Status: statusText(s.GetStatus()), Version: s.GetCanisterVersion(),
		ModuleHash: hex.EncodeToString(s.GetModuleHash()), Memory: s.GetMemoryBytes(), Heap: s.GetHeapBytes(), Stable: s.GetStableBytes(),
		Cycles: s.GetCycles(), Burned: s.GetIdleCyclesBurnedPerDay(), Controllers: s.GetSettings().GetControllers().GetPrincipals(),
		Timer: stamp(s.GetGlobalTimer()), Heartbeat: s.GetHeartbeat(),
	}
	for _, m := range s.GetMethods() {
		result.Methods = append(result.Methods, m.GetName())
	}
	return result
}

// canisterText is a canister for people.
func canisterText(s *controlv1.Canister) string {
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
	line("memory", "%d bytes (heap %s, stable %s)", s.GetMemoryBytes(), size(int64(s.GetHeapBytes())), size(int64(s.GetStableBytes())))
	line("cycles", "%s (%s a day)", s.GetCycles(), s.GetIdleCyclesBurnedPerDay())
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
	var methods []string
	for _, m := range s.GetMethods() {
		methods = append(methods, oneLine(m.GetName())+" ("+m.GetKind()+")")
	}
	if len(methods) > 0 {
		line("methods", "%s", strings.Join(methods, "\n            "))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func (c *cli) canisterMetadata() *cobra.Command {
	return &cobra.Command{
		Use:   "metadata CANISTER [NAME]",
		Short: "List the metadata sections of a canister's module, or print one",
		Example: `  canisterd canister metadata bank
  canisterd canister metadata bank candid:service`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			if len(args) == 1 {
				got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
				if err != nil {
					return err
				}
				return c.print(strings.Join(got.GetCanister().GetMetadata(), "\n"), got.GetCanister().GetMetadata())
			}
			read, err := d.Canisters.ReadMetadata(ctx, &controlv1.ReadMetadataRequest{Instance: c.instance, CanisterId: id, Name: args[1]})
			if err != nil {
				return err
			}
			return c.print(string(read.GetContent()), read)
		}),
	}
}

func (c *cli) canisterInterface() *cobra.Command {
	return &cobra.Command{
		Use:   "interface CANISTER",
		Short: "Print the Candid interface of a canister",
		Args:  cobra.ExactArgs(1),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			got, err := d.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: c.instance, CanisterId: id})
			if err != nil {
				return err
			}
			return c.print(strings.TrimRight(got.GetCandid(), "\n"), got)
		}),
	}
}

func (c *cli) canisterRead() *cobra.Command {
	var offset, length uint64
	cmd := &cobra.Command{
		Use:   "read CANISTER heap|stable",
		Short: "Write bytes of a canister's memory to standard output; a dump in hex on a terminal",
		Example: `  canisterd canister read bank stable > bank.stable
  canisterd canister read bank heap --offset 65536 --length 256`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			kind, ok := controlv1.MemoryKind_value["MEMORY_KIND_"+strings.ToUpper(args[1])]
			if !ok || kind == 0 {
				return fmt.Errorf("%q is no memory: say heap or stable", args[1])
			}
			to := c.out
			if terminal(c.out) {
				dump := hex.Dumper(c.out)
				defer func() { _ = dump.Close() }() // it writes to a terminal
				to = dump
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				stream, err := d.Canisters.ReadMemory(ctx, &controlv1.ReadMemoryRequest{
					Instance: c.instance, CanisterId: id, Memory: controlv1.MemoryKind(kind), Offset: offset, Length: length,
				})
				if err != nil {
					return err
				}
				for {
					part, err := stream.Recv()
					if errors.Is(err, io.EOF) {
						return nil
					}
					if err != nil {
						return err
					}
					if _, err := to.Write(part.GetChunk()); err != nil {
						return fmt.Errorf("writing the bytes: %w", err)
					}
				}
			})
		},
	}
	cmd.Flags().Uint64Var(&offset, "offset", 0, "first byte")
	cmd.Flags().Uint64Var(&length, "length", 0, "how many bytes (default: all there are)")
	return cmd
}

func (c *cli) canisterCycles() *cobra.Command {
	return &cobra.Command{
		Use:   "cycles CANISTER [AMOUNT | +AMOUNT]",
		Short: "Show, set or add to the balance of a canister; the cycles come from nowhere",
		Example: `  canisterd canister cycles bank
  canisterd canister cycles bank +5T
  canisterd canister cycles bank 0`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			more, add := strings.CutPrefix(first(args[1:]), "+")
			amount, err := parseCycles(more)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				var balance string
				switch {
				case amount == "":
					got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
					if err != nil {
						return err
					}
					balance = got.GetCanister().GetCycles()
				case add:
					added, err := d.Canisters.AddCycles(ctx, &controlv1.AddCyclesRequest{Instance: c.instance, CanisterId: id, Cycles: amount})
					if err != nil {
						return err
					}
					balance = added.GetCycles()
				default:
					set, err := d.Canisters.SetCycles(ctx, &controlv1.SetCyclesRequest{Instance: c.instance, CanisterId: id, Cycles: amount})
					if err != nil {
						return err
					}
					balance = set.GetCycles()
				}
				return c.print(balance, map[string]string{"cycles": balance})
			})
		},
	}
}

func (c *cli) canisterMove() *cobra.Command {
	return &cobra.Command{
		Use:   "move CANISTER SUBNET",
		Short: "Move a stopped canister, with its id, to another subnet",
		Args:  cobra.ExactArgs(2),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			_, err := d.Canisters.MoveCanister(ctx, &controlv1.MoveCanisterRequest{Instance: c.instance, CanisterId: id, SubnetId: args[1]})
			if err == nil {
				c.note("%s is on %s", args[0], args[1])
			}
			return err
		}),
	}
}
