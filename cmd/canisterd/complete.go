package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/template"
	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// completePatience is how long a user waits after pressing the tab key.
const completePatience = time.Second

// offer returns the words for a place. before are the arguments before it.
type offer func(ctx context.Context, c *cli, before []string) []string

func words(all ...string) offer { return func(context.Context, *cli, []string) []string { return all } }

// places maps the words of usage lines, after the name of a command, to offers.
var places = map[string]offer{
	"CANISTER":    canisters,
	"METHOD":      methods,
	"NAME":        instances,
	"SNAPSHOT":    snapshots,
	"BEFORE":      states,
	"AFTER":       states,
	"heap|stable": words("heap", "stable"),
}

// firstWords are the possible first words of commands whose usage lines list them.
var firstWords = map[string]offer{
	"canisterd rule add":     words("hold", "drop", "unknown", "reply", "reject", "delay"),
	"canisterd settle":       words("unknown", "reply", "reject"),
	"canisterd pacing":       words(pacingModes()...),
	"canisterd run":          words("idle", "next-timer"),
	"canisterd time":         words("+1h", "+1d", "+1w", "next-timer"),
	"canisterd identity use": identityNames, "canisterd identity export": identityNames, "canisterd identity rename": identityNames, "canisterd identity remove": identityNames,
	"canisterd init": words(template.Languages()...),
	// A new name has no completions.
	"canisterd identity new":    words(),
	"canisterd instance create": words(), "canisterd instance fork": words(), "canisterd instance snapshot": words(), "canisterd instance mark": words(),
}

// flagWords are the values of flags, of all commands with such a flag or of the named one.
var flagWords = map[string]offer{
	"--instance": instances, "--snapshot": snapshots, "--fork": states,
	"--as": canisters, "--controller": canisters,
	"--canister": canisters, "--caller": canisters, "--callee": canisters,
	"--outcalls": words("allow", "hold", "deny", "strict", "replicated"), "--pacing": words(pacingModes()...), "--memory": words("keep", "replace"),
	"--log-visibility": words("public", "controllers"), "--snapshot-visibility": words("public", "controllers"), "--status-visibility": words("public", "controllers"),
	"--subnet": words(request.SubnetKinds()...), "canisterd canister create --subnet": words(), "canisterd settle --subnet": words(), "canisterd clone --snapshot": words(), "--into": instances, "canisterd trace --subnet": words(),
	"--form": words("text", "json", "hex"), "canisterd trace --form": words("text", "mermaid", "json"),
	"canisterd canister install --mode": words("install", "reinstall", "upgrade", "auto"), "canisterd deploy --mode": words("auto", "reinstall", "upgrade"),
	"canisterd rule add --kind": words("request", "response", "ingress"), "canisterd events --kind": words(request.EnumNames(controlv1.EventKind_name, "EVENT_KIND_")...),
}

// Flags that name files and folders, which the shell completes.
var (
	fileFlags   = []string{"argument-file", "candid", "token-file", "tls-roots", "control-tls-cert", "control-tls-key", "control-token-file"}
	folderFlags = []string{"deploy", "state-dir", "memory-dir", "cache-dir"}
)

// isCompletion tells whether a shell asks for the words of a place. Only then are the functions needed that complete
// them: one for each flag of each command, which together take most of the time of a command that does little.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete makes the shell complete each place of each command, with files only for the name of a file.
func (c *cli) complete(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && cmd.Name() != "completion" {
		cmd.ValidArgsFunction = c.argumentsOf(cmd)
	}
	flags := func(f *pflag.Flag) {
		var err error
		switch {
		case f.Value.Type() == "bool":
		case slices.Contains(fileFlags, f.Name):
		case f.Name == "identity":
			err = cmd.RegisterFlagCompletionFunc(f.Name, identityOrFile)
		case slices.Contains(folderFlags, f.Name):
			err = cmd.MarkFlagDirname(f.Name)
		default:
			err = cmd.RegisterFlagCompletionFunc(f.Name, c.offered(flagWords[cmd.CommandPath()+" --"+f.Name], flagWords["--"+f.Name]))
		}
		if err != nil { // the flag exists, and this runs once
			panic(err)
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(flags)
	cmd.PersistentFlags().VisitAll(flags)
	for _, child := range cmd.Commands() {
		c.complete(child)
	}
}

// completion is the function that cobra calls to complete a place.
type completion = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// offered returns the words of the first offer that is not nil.
func (c *cli) offered(offers ...offer) completion {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		for _, words := range offers {
			if words != nil {
				return words(cmd.Context(), c, args), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// argumentsOf completes the arguments of a command by its usage line.
func (c *cli) argumentsOf(cmd *cobra.Command) completion {
	path, use := cmd.CommandPath(), strings.Fields(cmd.Use)[1:]
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 && firstWords[path] != nil {
			return c.offered(firstWords[path])(cmd, args, typed)
		}
		place := ""
		if len(use) > 0 && strings.HasSuffix(use[len(use)-1], "...") {
			place = use[min(len(args), len(use)-1)]
		} else if len(args) < len(use) {
			place = use[len(args)]
		}
		switch place = strings.Trim(place, "[]."); place {
		case "FILE", "MODULE":
			return nil, cobra.ShellCompDirectiveDefault
		case "DIR":
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return c.offered(places[place])(cmd, args, typed)
	}
}

// identityNames returns the names of the stored identities.
func identityNames(context.Context, *cli, []string) []string { return storedNames() }

func storedNames() []string {
	all, err := identity.Read()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(all.Identities))
}

// identityOrFile offers the identities with the typed prefix, or files if there are none.
func identityOrFile(_ *cobra.Command, _ []string, typed string) (names []string, _ cobra.ShellCompDirective) {
	for _, name := range storedNames() {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

func canisters(_ context.Context, c *cli, _ []string) []string {
	return slices.Sorted(maps.Keys(c.known().ids))
}

// methods returns the methods of the canister in the previous argument, without those that people do not call by hand.
func methods(ctx context.Context, c *cli, before []string) (names []string) {
	id, err := c.canisterOf(before[len(before)-1])
	if err != nil {
		return nil
	}
	c.asked(ctx, func(ctx context.Context, d *remote.Daemon) error {
		got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
		for _, m := range got.GetCanister().GetMethods() {
			if !strings.HasPrefix(m.GetName(), "__") && !strings.HasPrefix(m.GetName(), "@") && oneLine(m.GetName()) == m.GetName() {
				names = append(names, m.GetName())
			}
		}
		return err
	})
	return names
}

func instances(ctx context.Context, c *cli, before []string) (names []string) {
	c.asked(ctx, func(ctx context.Context, d *remote.Daemon) error {
		page, err := d.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{PageSize: pageSize})
		for _, i := range page.GetInstances() {
			if !slices.Contains(before, i.GetName()) {
				names = append(names, i.GetName())
			}
		}
		return err
	})
	return names
}

func snapshots(ctx context.Context, c *cli, before []string) (names []string) {
	c.asked(ctx, func(ctx context.Context, d *remote.Daemon) error {
		page, err := d.Instances.ListSnapshots(ctx, &controlv1.ListSnapshotsRequest{Instance: c.instance, PageSize: pageSize})
		for _, s := range page.GetSnapshots() {
			if !slices.Contains(before, s.GetName()) {
				names = append(names, s.GetName())
			}
		}
		return err
	})
	return names
}

// states returns the present of all instances and the snapshots of the instance of the command.
func states(ctx context.Context, c *cli, _ []string) []string {
	names := instances(ctx, c, nil)
	for _, snapshot := range snapshots(ctx, c, nil) {
		names = append(names, c.instance+"@"+snapshot)
	}
	return names
}

// asked asks the daemon if it answers in time; a user who types gets no errors.
func (c *cli) asked(ctx context.Context, ask func(context.Context, *remote.Daemon) error) {
	ctx, cancel := patient(ctx, completePatience)
	defer cancel()
	_ = c.connected(ctx, ask)
}
