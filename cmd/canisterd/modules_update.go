package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/knownmodules"
	"github.com/canisterd/canisterd/internal/regular"
)

// listPatience is how long the download of a list of modules may take.
const listPatience = time.Minute

// listRedirects is how many redirects the download of a list follows.
const listRedirects = 5

// modulesUpdated is the result of an update for --json.
type modulesUpdated struct {
	Added    int    `json:"added"`
	Replaced int    `json:"replaced"`
	File     string `json:"file"`
}

func (c *cli) modulesUpdate() *cobra.Command {
	return &cobra.Command{
		Use:   "update URL|FILE",
		Short: "Add the modules of a list to those that canisterd knows",
		Long: `Add the modules of a list to those that canisterd knows. A list is JSON, as
docs/modules.md describes it. URL begins with https://, or with http:// and an address of
this computer. Nothing else downloads a list.

Modules of the same hash are replaced. Those that are part of canisterd stay as they are.`,
		Example: `  canisterd modules update our-modules.json
  canisterd modules update https://example.org/modules.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readModules(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			list, err := knownmodules.Parse(text)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			file := daemon.KnownModulesFile()
			if file == "" {
				return errors.New("there is no directory for the data of this user: set HOME or XDG_DATA_HOME")
			}
			added, replaced, err := knownmodules.File(file).Update(list)
			if err != nil {
				return err
			}
			return c.print(fmt.Sprintf("%s added, %d replaced in %s", count(uint64(added), "module"), replaced, file), modulesUpdated{added, replaced, file})
		},
	}
}

// readModules reads a list of modules from a file or a URL.
func readModules(ctx context.Context, from string) ([]byte, error) {
	if !strings.Contains(from, "://") {
		return regular.Read(from, knownmodules.MaxBytes)
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err == nil {
		err = permitted(request.URL)
	}
	if err != nil {
		return nil, err
	}
	client := http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) > listRedirects {
			return fmt.Errorf("more than %d redirects", listRedirects)
		}
		return permitted(to.URL)
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("downloading the list of modules: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only for reading
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("downloading %s: the server answers %s", from, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, knownmodules.MaxBytes+1)) // Parse refuses what is longer
	if err != nil {
		return nil, fmt.Errorf("downloading %s: %w", from, err)
	}
	return text, nil
}

// permitted refuses URLs from which others could change what is downloaded.
func permitted(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("invalid URL %q: expected https://, or http:// and an address of this computer", u)
}
