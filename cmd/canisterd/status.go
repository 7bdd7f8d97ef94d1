package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// statusResult is the status with --json.
type statusResult struct {
	URL      string         `json:"url"`     // of the HTTP interface of the instance
	Control  string         `json:"control"` // address of the control API; none if HTTP was used
	Instance string         `json:"instance"`
	Network  string         `json:"network_id"`
	Health   string         `json:"health"` // healthy or failed; the replica's if HTTP was used
	Failure  string         `json:"failure"`
	Version  string         `json:"version"`
	Height   uint64         `json:"certified_height"`
	RootKey  string         `json:"root_key"`
	Subnets  []statusSubnet `json:"subnets"`
}

// statusSubnet is a subnet of the status: the control API gives its kind, the network certifies its type.
type statusSubnet struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Type string `json:"type,omitempty"`
}

func (c *cli) status() *cobra.Command {
	return c.addVerbose(&cobra.Command{
		Use:   "status",
		Short: "Show the status of the daemon",
		Long: `Show the status of the daemon.

The status is that of the instance that --instance selects, from the control API
(--control, else --url). Without a control API it comes from the HTTP interface, which
shows only the certified type of a subnet (such as application), not its kind (such as
fiduciary).`,
		Example: `  canisterd status
  canisterd --control unix:///run/canisterd.sock status
  canisterd --control https://ic.example:4944 --token-file token --json status`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := c.connected(cmd.Context(), c.controlStatus)
			if errors.Is(err, errNoControl) {
				return c.httpStatus(cmd.Context())
			}
			return err
		},
	})
}

// controlStatus prints the status from the control API.
func (c *cli) controlStatus(ctx context.Context, d *remote.Daemon) error {
	got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
	if err != nil {
		return err
	}
	i := got.GetInstance()
	result := statusResult{
		URL: first(i.GetUrls()), Control: c.controlAddress(), Instance: i.GetName(), Network: i.GetNetworkId(), Health: "healthy", Failure: i.GetFailure(),
		Version: got.GetDaemonVersion(), Height: i.GetHeight(), RootKey: hex.EncodeToString(i.GetRootKey()),
	}
	verdict := "is healthy"
	if i.GetState() == controlv1.InstanceState_INSTANCE_STATE_FAILED {
		result.Health, verdict = "failed", "answers, but its instance has "+c.paint(red, "failed")
	}
	for _, s := range i.GetSubnets() {
		result.Subnets = append(result.Subnets, statusSubnet{ID: s.GetSubnetId(), Kind: word(s.GetKind(), "SUBNET_KIND_")})
	}
	return c.print(fmt.Sprintf("%s %s\nversion   %s\ninstance  %s\n%s", result.Control, verdict, result.Version, result.Instance, c.particulars(i)), result)
}

// httpStatus prints the status from the HTTP interface if there is no control API.
func (c *cli) httpStatus(ctx context.Context) error {
	address := c.url
	if c.instance != "" {
		address = strings.TrimSuffix(address, "/") + "/instances/" + url.PathEscape(c.instance)
	}
	connection, err := c.dial(ctx, address)
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
	result := statusResult{URL: address, Health: s.Health, Version: s.Version, Height: s.CertifiedHeight, RootKey: hex.EncodeToString(s.RootKey)}
	var text strings.Builder
	fmt.Fprintf(&text, "%s is %s\ncontrol   none at this address, other commands want --control\nversion   %s\n", address, s.Health, s.Version)
	for _, s := range subnets {
		result.Subnets = append(result.Subnets, statusSubnet{ID: s.ID.String(), Type: s.Kind})
		fmt.Fprintf(&text, "subnet    %s (of type %s)\n", s.ID, s.Kind)
	}
	fmt.Fprintf(&text, "height    %d", s.CertifiedHeight)
	if c.verbose {
		fmt.Fprintf(&text, "\nroot key  %s", result.RootKey)
	}
	return c.print(text.String(), result)
}
