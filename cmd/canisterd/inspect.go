package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

func (c *cli) inspect() *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "inspect [CANISTER | REQUEST]",
		Short: "Open the inspector in a browser: what runs, what waits and why",
		Long: `Open the inspector in a browser: what runs, what waits and why. CANISTER shows one
canister, REQUEST the call with this request id.

The address contains a token that gives the browser a session. Anyone with the token
controls all instances of this user's daemons, so a browser is sent only to a daemon of
this machine that knows the token too. For others, print the address.`,
		Example: `  canisterd inspect
  canisterd -i lab inspect bank
  canisterd inspect 399fdfd5 --print`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := c.inspectorURL(cmd.Context(), args, printOnly)
			if err != nil {
				return err
			}
			if !printOnly {
				if err := openInspector(cmd.Context(), at); err != nil {
					c.note("note: no browser could be opened (%v): open this address in one", err)
				}
			}
			return c.print(at, map[string]string{"url": at})
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the address and open no browser")
	return cmd
}

// inspectorURL returns the URL of the inspector, or of what an argument names in it, with the token of this user. Unless
// it is only printed, it is that of a daemon that knows the token.
func (c *cli) inspectorURL(ctx context.Context, args []string, printOnly bool) (string, error) {
	if err := checkURL(c.url); err != nil {
		return "", err
	}
	token, failed := daemon.InspectorToken()
	ask := c.askInspector
	if !printOnly {
		ask = func(ctx context.Context) (string, error) { return c.provenInspector(ctx, token) }
	}
	root, err := ask(ctx)
	if err != nil {
		return "", err
	}
	if failed != nil {
		return "", fmt.Errorf("%w: open the address that canisterd start prints", failed)
	}
	query := url.Values{"token": {token}}
	if c.instance != "" && c.instance != daemon.DefaultInstance {
		query.Set("i", c.instance)
	}
	if len(args) > 0 {
		page, err := c.pageOf(args[0])
		if err != nil {
			return "", err
		}
		root += page
	}
	return root + "?" + query.Encode(), nil
}

// pageOf returns the page of the canister with a name or an id, or of a request.
func (c *cli) pageOf(text string) (string, error) {
	id, err := c.canisterOf(text)
	if err == nil {
		return "canister/" + id, nil
	}
	if request, failed := requestPrefix(text); failed == nil {
		return "call/" + request, nil
	}
	return "", err
}

// inspectorConfig returns the configuration of the inspector of a daemon. Without a data directory, sessions end with the
// daemon.
func (c *cli) inspectorConfig(f *startFlags, started func() *daemon.Daemon) daemon.Inspector {
	config := f.inspector
	if token, err := daemon.InspectorToken(); err == nil {
		config.Token = token
	}
	config.Names = func(instance string) map[string]string { return namesOf(f.deploy, started(), instance) }
	return config
}
