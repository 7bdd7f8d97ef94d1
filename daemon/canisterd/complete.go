package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// completePatience is how long somebody waits who presses the tab key.
const completePatience = time.Second

// complete makes the shell offer names: of instances for --instance, of canisters where a command takes one.
func (c *cli) complete(root *cobra.Command) {
	// It fails only where there is no such flag.
	_ = root.RegisterFlagCompletionFunc("instance", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return c.instanceNames(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	})
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		use := strings.Fields(cmd.Use)
		if cmd.ValidArgsFunction == nil && len(use) > 1 && strings.Trim(use[1], "[]") == "CANISTER" {
			cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveDefault
				}
				return slices.Sorted(maps.Keys(c.known())), cobra.ShellCompDirectiveNoFileComp
			}
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

// instanceNames are those the daemon has; none where it does not answer in time.
func (c *cli) instanceNames(ctx context.Context) (names []string) {
	d, err := c.remote()
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }() // it was only asked
	ctx, cancel := context.WithTimeout(ctx, completePatience)
	defer cancel()
	page, err := d.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{PageSize: pageSize})
	if err != nil {
		return nil
	}
	for _, i := range page.GetInstances() {
		names = append(names, i.GetName())
	}
	return names
}
