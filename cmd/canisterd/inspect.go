package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

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
controls all instances of this user's daemons.`,
		Example: `  canisterd inspect
  canisterd -i lab inspect bank
  canisterd inspect 399fdfd5 --print`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := c.inspectorURL(cmd.Context(), args)
			if err != nil {
				return err
			}
			if !printOnly {
				if err := openBrowser(cmd.Context(), at); err != nil {
					c.note("note: no browser could be opened (%v): open this address in one", err)
				}
			}
			return c.print(at, map[string]string{"url": at})
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the address and open no browser")
	return cmd
}

// inspectorURL returns the URL of the inspector, or of what an argument names in it, with the token of this user.
func (c *cli) inspectorURL(ctx context.Context, args []string) (string, error) {
	if err := checkURL(c.url); err != nil {
		return "", err
	}
	base := strings.TrimSuffix(c.url, "/") + daemon.InspectorPath
	if err := c.servesInspector(ctx, base); err != nil {
		return "", err
	}
	token, err := daemon.InspectorToken()
	if err != nil {
		return "", fmt.Errorf("%w: open the address that canisterd start prints", err)
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
		base += page
	}
	return base + "?" + query.Encode(), nil
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

// servesInspector returns an error unless the daemon serves the inspector.
func (c *cli) servesInspector(ctx context.Context, base string) error {
	ctx, cancel := patient(ctx, healthPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, base, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultTransport.RoundTrip(r) // a redirect would lead the token elsewhere
	if err != nil {
		return fmt.Errorf("no daemon answers at %s: %w (start one with canisterd start, or set --url)", c.url, innermost(err))
	}
	defer http.DefaultClient.CloseIdleConnections()
	if err := answer.Body.Close(); err != nil {
		return fmt.Errorf("reading from %s: %w", c.url, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the daemon at %s does not serve the inspector: it needs a control API and an address that only this machine reaches, or canisterd start --inspect", c.url)
	}
	return nil
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

// errNoBrowser is for a system on which no program to open a page is known.
var errNoBrowser = errors.New("no program to open pages is known here")

// openBrowser opens an address in the user's browser.
func openBrowser(ctx context.Context, at string) error {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", at}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", at}
	default:
		command = []string{"xdg-open", at}
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return errNoBrowser
	}
	return exec.CommandContext(ctx, program, command[1:]...).Run()
}
