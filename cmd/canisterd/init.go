package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/template"
	"github.com/canisterd/canisterd/daemon"
)

// initialized is a new project for --json.
type initialized struct {
	Directory string   `json:"directory"`
	Files     []string `json:"files"`
	Next      []string `json:"next"` // commands
}

// released is the version of a release.
var released = regexp.MustCompile(`^v(\d+\.\d+\.\d+)$`)

// release returns the number of a release for the GitHub action, or the first one for another version.
func release(version string) (number string, is bool) {
	if found := released.FindStringSubmatch(version); found != nil {
		return found[1], true
	}
	return "1.0.0", false
}

func (c *cli) init() *cobra.Command {
	return &cobra.Command{
		Use:   "init [" + strings.Join(template.Languages(), "|") + "] [DIR]",
		Short: "Write a project with two canisters, a test, an exploration and a CI file",
		Long: `Write a project to begin with: a bank and its vault, two canisters that call each other,
with a test, an exploration of every order of their messages, and a GitHub workflow that
runs both. The language defaults to motoko, DIR to the current directory. The project in
Go is a test in Go, of compiled canisters. Existing files are never overwritten:
package.json and .gitignore get what they lack, others are refused.`,
		Example: `  canisterd init
  canisterd init rust bank
  canisterd init go ./bank --json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			language, folder := "motoko", "."
			if len(args) > 0 {
				language = args[0]
			}
			if len(args) > 1 {
				folder = args[1]
			}
			project := template.Named(language)
			if project == nil {
				hint := ""
				if len(args) == 1 {
					hint = fmt.Sprintf("; canisterd init motoko %s writes into that directory", shellWord(language))
				}
				return fmt.Errorf("invalid language %q: expected one of %s%s", language, strings.Join(template.Languages(), ", "), hint)
			}
			version, isRelease := release(daemon.Version())
			files, err := project.Write(folder, version)
			if exists, is := errors.AsType[*template.ExistsError](err); is {
				return fmt.Errorf("%s already has %s: name a new directory (canisterd init %s DIR)", directoryName(folder), strings.Join(exists.Files, ", "), language)
			}
			if err != nil {
				return fmt.Errorf("writing the project: %w", err)
			}
			if !isRelease && language != "go" {
				c.note("note: this canisterd is not a release: set the version to install in .github/workflows/test.yml")
			}
			next := slices.Clone(project.Next)
			if folder != "." {
				next = append([]string{"cd " + shellWord(folder)}, next...)
			}
			text := strings.Join(files, "\n") + "\n\nNext:\n\n  " + strings.Join(next, "\n  ")
			return c.print(text, initialized{folder, files, next})
		},
	}
}

// directoryName returns a directory as a sentence names it.
func directoryName(folder string) string {
	if folder == "." {
		return "the current directory"
	}
	return folder
}
