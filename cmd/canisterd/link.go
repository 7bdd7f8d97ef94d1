package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// hook is a variable with which a tool finds the program that runs its canisters.
type hook struct {
	variable string
	link     string // name under which canisterd is that program
}

// hooks are the variables of the tools that --as names.
var hooks = map[string][]hook{
	"icp":      {{"ICP_CLI_NETWORK_LAUNCHER_PATH", launcherLink}},
	pocketName: {{"POCKET_IC_BIN", pocketName}, {"DFX_POCKET_IC_PATH", pocketName}},
}

func (c *cli) link() *cobra.Command {
	var version string
	cmd := &cobra.Command{
		Use:   "link [DIR]",
		Short: "Create links to canisterd under names that other tools look for",
		Long: `Create links to canisterd under names that other tools look for, and print the
environment variables that make the tools use them. A link named pocket-ic serves
PocketIC's REST interface, and one named canisterd-launcher is icp-cli's network
launcher. DIR defaults to canisterd/bin in the user's cache directory. Existing links are
replaced; other files are not.`,
		Example: `  eval "$(canisterd link)"
  canisterd link --version 13.0.0 ./bin   # for the Rust crate pocket-ic 13, which checks the version`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := linkFolder(args)
			if err != nil {
				return err
			}
			lines, err := linkAll(folder, version)
			if err != nil {
				return err
			}
			return c.print(strings.Join(lines, "\n")+"\n", map[string]any{"folder": folder, "variables": lines})
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "version of PocketIC to report, X.Y.Z")
	return cmd
}

// linkFolder returns the folder for links, and makes it if it is missing.
func linkFolder(args []string) (string, error) {
	if len(args) == 0 {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the user's cache directory: %w (pass canisterd link a directory)", err)
		}
		args = []string{filepath.Join(cache, "canisterd", "bin")}
	}
	folder, err := filepath.Abs(args[0])
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", args[0], err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("creating the directory for links: %w", err)
	}
	return folder, nil
}

// linkAll makes the links of all hooks, and returns the lines with which a shell sets their variables.
func linkAll(folder, version string) (lines []string, err error) {
	for _, tool := range sortedKeys(hooks) {
		variables, err := linkTool(folder, tool, version)
		if err != nil {
			return nil, err
		}
		for _, v := range variables {
			name, path, _ := strings.Cut(v, "=")
			lines = append(lines, fmt.Sprintf("export %s='%s'", name, strings.ReplaceAll(path, "'", `'\''`)))
		}
	}
	return lines, nil
}

// linkTool makes the links of a tool, and returns its variables.
func linkTool(folder, tool, version string) (variables []string, err error) {
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding canisterd itself: %w", err)
	}
	for _, h := range hooks[tool] {
		path := filepath.Join(folder, h.link)
		if version != "" && h.link == pocketName {
			path += "-" + version
		}
		if h.link == pocketName && calledPocket.FindString(filepath.Base(path)) == "" {
			return nil, fmt.Errorf("invalid --version %q: expected three numbers, such as 13.0.0", version)
		}
		if err := replaceLink(own, path); err != nil {
			return nil, err
		}
		variables = append(variables, h.variable+"="+path)
	}
	return variables, nil
}

// replaceLink makes a symbolic link, and replaces another one.
func replaceLink(target, path string) error {
	found, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("creating a link to canisterd: %w", err)
	case found.Mode()&fs.ModeSymlink == 0:
		return fmt.Errorf("%s is a file, not a link: remove it, or pass canisterd link another directory", path)
	default:
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("replacing a link to canisterd: %w", err)
		}
	}
	if err := os.Symlink(target, path); err != nil {
		return fmt.Errorf("creating a link to canisterd: %w", err)
	}
	return nil
}
