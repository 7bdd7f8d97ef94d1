package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/knownmodules"
	"github.com/canisterd/canisterd/internal/regular"
)

// listPatience is how long the download of a list of modules may take, and modulePatience that of a module.
const (
	listPatience   = time.Minute
	modulePatience = 10 * time.Minute
)

// listRedirects is how many redirects a download follows.
const listRedirects = 5

// modulesUpdated is the result of an update for --json.
type modulesUpdated struct {
	Added    int    `json:"added"`
	Replaced int    `json:"replaced"`
	Modules  int    `json:"modules"` // whose bytes were kept
	File     string `json:"file"`
}

func (c *cli) modulesUpdate() *cobra.Command {
	return &cobra.Command{
		Use:   "update URL|FILE",
		Short: "Add the modules of a list to those that canisterd knows",
		Long: `Add the modules of a list to those that canisterd knows. A list is JSON, as
docs/modules.md describes it. URL begins with https://, or with http:// and an address of
this computer. Nothing else downloads a list.

A module of a list may have file: a file beside the list, or a URL. Its bytes are kept then,
and canisterd clone --with-dependencies installs it for a canister that cannot be cloned.

Modules of the same hash are replaced. Those that are part of canisterd stay as they are.`,
		Example: `  canisterd modules update our-modules.json
  canisterd modules update https://example.org/modules.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := readFrom(cmd.Context(), args[0], knownmodules.MaxBytes, listPatience)
			if err != nil {
				return err
			}
			list, err := knownmodules.Parse(content)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			file := daemon.KnownModulesFile()
			if file == "" {
				return errors.New("there is no directory for the data of this user: set HOME or XDG_DATA_HOME")
			}
			done := modulesUpdated{File: file}
			if done.Modules, err = keepModules(cmd.Context(), knownmodules.File(file), list, args[0]); err != nil {
				return err
			}
			if done.Added, done.Replaced, err = knownmodules.File(file).Update(list); err != nil {
				return err
			}
			text := fmt.Sprintf("%s added, %d replaced in %s", count(uint64(done.Added), "module"), done.Replaced, file)
			if done.Modules > 0 {
				text += fmt.Sprintf(", with the bytes of %d", done.Modules)
			}
			return c.print(text, done)
		},
	}
}

// keepModules keeps the bytes of the modules of a list that has their files, and returns how many they are.
func keepModules(ctx context.Context, file knownmodules.File, list *knownmodules.List, at string) (kept int, err error) {
	for i := range list.Modules {
		m := &list.Modules[i]
		if m.File == "" {
			continue
		}
		from, err := besideList(at, m.File)
		if err != nil {
			return kept, err
		}
		content, err := readFrom(ctx, from, knownmodules.MaxModuleBytes, modulePatience)
		if err != nil {
			return kept, fmt.Errorf("the module %s: %w", m.Name, err)
		}
		if err := file.KeepModule(m, content); err != nil {
			return kept, fmt.Errorf("the module %s: %w", m.Name, err)
		}
		kept++
	}
	return kept, nil
}

// besideList returns the place of a file that a list names: a URL, or relative to the list.
func besideList(list, file string) (string, error) {
	switch {
	case strings.Contains(file, "://"):
		return file, nil
	case !strings.Contains(list, "://"):
		if filepath.IsAbs(file) {
			return file, nil
		}
		return filepath.Join(filepath.Dir(list), filepath.FromSlash(file)), nil
	}
	base, err := url.Parse(list)
	if err != nil {
		return "", err
	}
	at, err := base.Parse(file)
	if err != nil {
		return "", err
	}
	return at.String(), nil
}

// readFrom reads a file or a URL.
func readFrom(ctx context.Context, from string, most int64, patience time.Duration) ([]byte, error) {
	if !strings.Contains(from, "://") {
		return regular.Read(from, most)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
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
		return nil, fmt.Errorf("downloading %s: %w", from, err)
	}
	defer func() { _ = response.Body.Close() }() // only for reading
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("downloading %s: the server answers %s", from, response.Status)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("downloading %s: %w", from, err)
	case int64(len(content)) > most:
		return nil, fmt.Errorf("%s is larger than %d bytes, the most that are read", from, most)
	}
	return content, nil
}

// permitted refuses URLs from which others could change what is downloaded.
func permitted(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("invalid URL %q: expected https://, or http:// and an address of this computer", u)
}
