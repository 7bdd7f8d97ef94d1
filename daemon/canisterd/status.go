package main

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/client"
)

type statusResult struct {
	URL     string          `json:"url"`
	Health  string          `json:"health"`
	Version string          `json:"version"`
	Height  uint64          `json:"certified_height"`
	RootKey string          `json:"root_key"`
	Subnets []client.Subnet `json:"subnets"`
}

func (c *cli) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say whether the daemon is there, and what it is",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			connection, err := c.dial(ctx)
			if err != nil {
				return err
			}
			defer connection.Close()
			s, err := connection.Status(ctx)
			if err != nil {
				return err
			}
			subnets, err := connection.Subnets(ctx)
			if err != nil {
				return err
			}
			names := make([]string, len(subnets))
			for i, s := range subnets {
				names[i] = fmt.Sprintf("%s (%s)", s.ID, s.Kind)
			}
			text := fmt.Sprintf("%s is %s\nversion  %s\nheight   %d\nsubnets  %s\nroot key %x",
				c.url, s.Health, s.Version, s.CertifiedHeight, strings.Join(names, "\n         "), s.RootKey)
			return c.print(text, statusResult{c.url, s.Health, s.Version, s.CertifiedHeight, hex.EncodeToString(s.RootKey), subnets})
		},
	}
}
