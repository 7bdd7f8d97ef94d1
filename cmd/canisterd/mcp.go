package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/output"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/mcp"
)

func (c *cli) mcpCommand() *cobra.Command {
	var config, http bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools for a coding assistant on standard input and output",
		Long: `Serve tools for a coding assistant on standard input and output, over the Model Context
Protocol. Assistants start this command themselves; --config prints the configuration for
the file that your assistant reads (docs/assistants.md). It serves one assistant until
that closes standard input.

The tools deploy to instances of their own, which end with the command. They read and
write only files of the current directory, or of the Git repository that it is in, as
canisterd deploy does. They start no programs, and neither start nor stop daemons: if no
daemon answers, one runs in this process as long as the command does.

A running daemon serves the same tools over HTTP, at /mcp. The configuration for it has
the token of this user: anyone with the token controls all instances.`,
		Example: `  canisterd mcp
  canisterd mcp --config
  canisterd mcp --config --http`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case config:
				return c.printAssistantConfig(http)
			case http:
				return errors.New("--http needs --config: a running daemon serves the tools over HTTP already")
			}
			return c.serveAssistant(cmd.Context(), os.Stdin)
		},
	}
	cmd.Flags().BoolVar(&config, "config", false, "print the configuration with which an assistant finds these tools, and exit")
	cmd.Flags().BoolVar(&http, "http", false, "with --config: for the tools of the daemon at --url")
	return sending(cmd)
}

// serveAssistant serves the tools until the assistant has gone.
func (c *cli) serveAssistant(ctx context.Context, from io.ReadCloser) (err error) {
	d, end, err := c.someDaemon(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	with, err := c.assistantsConfig()
	if err != nil {
		return err
	}
	server := mcp.New(mcp.Config{
		Daemon: d, Folder: with.Folder, Names: c.namesAt, Principals: with.Principals, Sender: with.Sender, Version: daemon.Version(),
	})
	defer server.Close()
	return server.ServeStream(ctx, from, unclosed{c.out})
}

// unclosed is a writer that the protocol must not close.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// namesAt returns the names of the canisters of an instance by id, as deployed from the current folder.
func (c *cli) namesAt(instance string) map[string]string {
	of := *c
	of.instance, of.deployed = instance, nil
	all := map[string]string{}
	for name, id := range of.known().ids {
		all[id] = name
	}
	return all
}

// assistantsConfig returns the configuration of the tools of a daemon.
func (c *cli) assistantsConfig() (config daemon.Assistants, err error) {
	if config.Sender, err = c.sender(); err != nil {
		return config, err
	}
	config.Principals = assistantPrincipals()
	config.Folder, err = assistantFolder()
	return config, err
}

// assistantPrincipals returns the principals of identities by name.
func assistantPrincipals() map[string]string {
	all := identityPrincipals()
	all[identity.Anonymous] = principal.Anonymous.String()
	return all
}

// assistantFolder returns the folder out of which no tool reads or writes: the current one. The root of a file system and
// the user's home are no projects: tools then have no files.
func assistantFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the current directory: %w", err)
	}
	home, err := os.UserHomeDir()
	if folder == filepath.Dir(folder) || err == nil && folder == home {
		return "", nil
	}
	return folder, nil
}

// printAssistantConfig prints the configuration with which an assistant finds the tools: this command, or a daemon.
func (c *cli) printAssistantConfig(http bool) error {
	server := assistantServer{Command: "canisterd", Args: []string{"mcp"}}
	if http {
		if err := checkURL(c.url); err != nil {
			return err
		}
		token, err := daemon.InspectorToken()
		if err != nil {
			return err
		}
		server = assistantServer{Type: "http", URL: strings.TrimSuffix(c.url, "/") + daemon.AssistantsPath, Headers: map[string]string{"Authorization": "Bearer " + token}}
	}
	config := map[string]any{"mcpServers": map[string]assistantServer{"canisterd": server}}
	text, err := output.Indented(config)
	if err != nil {
		return err
	}
	return c.print(text, config)
}

// assistantServer is a server of tools in the configuration of an assistant.
type assistantServer struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}
