package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// settingsFlags are the settings of a canister as flags; settings without a flag stay unchanged.
type settingsFlags struct {
	controllers, environment                                               []string
	compute                                                                uint64
	memory, wasmLimit, wasmThreshold, logLimit                             quantity.Bytes
	freezing                                                               quantity.Seconds
	reserved, minimumIncoming, logVisibility, snapshotVisibility, statusOf string
}

func (s *settingsFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&s.controllers, "controller", nil, "replace the controllers: principals, or names of canisters or identities; repeatable or comma-separated")
	flags.Uint64Var(&s.compute, "compute-allocation", 0, "share of a core to reserve, in percent")
	flags.Var(&s.memory, "memory-allocation", "memory to reserve, such as 512MiB")
	flags.Var(&s.freezing, "freezing-threshold", "freeze the canister when its cycles would last for less than this time, such as 30d")
	flags.StringVar(&s.reserved, "reserved-cycles-limit", "", "maximum number of reserved cycles, such as 5T")
	flags.Var(&s.wasmLimit, "wasm-memory-limit", "maximum size of the heap, such as 1GiB")
	flags.Var(&s.wasmThreshold, "wasm-memory-threshold", "run canister_on_low_wasm_memory when less than this is left below --wasm-memory-limit, such as 100MiB")
	flags.Var(&s.logLimit, "log-memory-limit", "maximum size of the log, such as 64KiB")
	flags.StringVar(&s.minimumIncoming, "minimum-incoming-cycles", "", "cycles that calls from other canisters must attach, such as 1M")
	for _, v := range []struct {
		name, what string
		to         *string
	}{{"log", "log", &s.logVisibility}, {"snapshot", "snapshots", &s.snapshotVisibility}, {"status", "status", &s.statusOf}} {
		flags.StringVar(v.to, v.name+"-visibility", "", "who can read the "+v.what+": public, controllers, or a comma-separated list of principals")
	}
	flags.StringArrayVar(&s.environment, "env", nil, "replace all environment variables: NAME=VALUE; repeatable")
}

// settings returns the settings with flags, nil if there are none.
func (s *settingsFlags) settings(c *cli, cmd *cobra.Command) (*controlv1.Settings, error) {
	given := &controlv1.Settings{}
	any := false
	set := func(name string) bool {
		changed := cmd.Flags().Changed(name)
		any = any || changed
		return changed
	}
	if set("controller") {
		controllers, err := c.principals("--controller", s.controllers)
		if err != nil {
			return nil, err
		}
		given.Controllers = &controlv1.Controllers{Principals: controllers}
	}
	for _, n := range []struct {
		name string
		from *uint64
		to   **uint64
	}{
		{"compute-allocation", &s.compute, &given.ComputeAllocation},
		{"memory-allocation", (*uint64)(&s.memory), &given.MemoryAllocation},
		{"freezing-threshold", (*uint64)(&s.freezing), &given.FreezingThreshold},
		{"wasm-memory-limit", (*uint64)(&s.wasmLimit), &given.WasmMemoryLimit},
		{"wasm-memory-threshold", (*uint64)(&s.wasmThreshold), &given.WasmMemoryThreshold},
		{"log-memory-limit", (*uint64)(&s.logLimit), &given.LogMemoryLimit},
	} {
		if set(n.name) {
			*n.to = n.from
		}
	}
	for _, n := range []struct {
		name, from string
		to         **string
	}{
		{"reserved-cycles-limit", s.reserved, &given.ReservedCyclesLimit},
		{"minimum-incoming-cycles", s.minimumIncoming, &given.MinimumIncomingCanisterCallCycles},
	} {
		if set(n.name) {
			amount, err := quantity.ParseCycles(n.from)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", n.name, err)
			}
			*n.to = &amount
		}
	}
	for _, n := range []struct {
		name, from string
		to         **controlv1.Visibility
	}{
		{"log-visibility", s.logVisibility, &given.LogVisibility},
		{"snapshot-visibility", s.snapshotVisibility, &given.SnapshotVisibility},
		{"status-visibility", s.statusOf, &given.StatusVisibility},
	} {
		if set(n.name) {
			*n.to = request.Visibility(project.ReadVisibility(n.from))
		}
	}
	if set("env") {
		given.Environment = &controlv1.Environment{}
		for _, pair := range s.environment {
			name, value, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, fmt.Errorf("invalid --env %q: expected NAME=VALUE", pair)
			}
			given.Environment.Variables = append(given.Environment.Variables, &controlv1.EnvironmentVariable{Name: name, Value: value})
		}
	}
	if !any {
		return nil, nil
	}
	return given, nil
}

// principals returns those that a flag names.
func (c *cli) principals(flag string, texts []string) (all []string, err error) {
	for _, text := range texts {
		p, err := c.principalOf(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (c *cli) canisterSettings() *cobra.Command {
	var s settingsFlags
	cmd := &cobra.Command{
		Use:   "settings CANISTER",
		Short: "Show or change the settings of a canister",
		Example: `  canisterd canister settings bank
  canisterd canister settings bank --freezing-threshold 30d --log-visibility public
  canisterd canister settings bank --controller 2vxsx-fae,aaaaa-aa`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.canisterOf(args[0])
			if err != nil {
				return err
			}
			given, err := s.settings(c, cmd)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if given != nil {
					if _, err := d.Canisters.UpdateSettings(ctx, &controlv1.UpdateSettingsRequest{Instance: c.instance, CanisterId: id, Settings: given}); err != nil {
						return err
					}
				}
				got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
				if err != nil {
					return err
				}
				return c.print(settingsText(got.GetCanister().GetSettings()), got.GetCanister().GetSettings())
			})
		},
	}
	s.add(cmd)
	return cmd
}

// settingsText formats one setting on a line.
func settingsText(s *controlv1.Settings) string {
	var text strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&text, "%-24s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("controllers", "%s", strings.Join(s.GetControllers().GetPrincipals(), "\n                         "))
	line("compute allocation", "%d %%", s.GetComputeAllocation())
	line("memory allocation", "%s", bytesOf(s.GetMemoryAllocation()))
	line("freezing threshold", "%s s", grouped(fmt.Sprint(s.GetFreezingThreshold())))
	line("reserved cycles limit", "%s", grouped(s.GetReservedCyclesLimit()))
	line("wasm memory limit", "%s", bytesOf(s.GetWasmMemoryLimit()))
	line("wasm memory threshold", "%s", bytesOf(s.GetWasmMemoryThreshold()))
	line("log memory limit", "%s", bytesOf(s.GetLogMemoryLimit()))
	line("minimum incoming cycles", "%s", grouped(s.GetMinimumIncomingCanisterCallCycles()))
	line("log visibility", "%s", visibilityText(s.GetLogVisibility()))
	line("snapshot visibility", "%s", visibilityText(s.GetSnapshotVisibility()))
	line("status visibility", "%s", visibilityText(s.GetStatusVisibility()))
	for _, v := range s.GetEnvironment().GetVariables() {
		line("environment", "%s=%s", v.GetName(), oneLine(v.GetValue()))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func visibilityText(v *controlv1.Visibility) string {
	switch {
	case v.GetPublic():
		return "public"
	case len(v.GetViewers()) > 0:
		return strings.Join(v.GetViewers(), ", ")
	}
	return "controllers"
}

// bytesOf formats a number of bytes in full.
func bytesOf(n uint64) string { return grouped(fmt.Sprint(n)) + " bytes" }
