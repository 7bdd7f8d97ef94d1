package main

import (
	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/output"
	"github.com/canisterd/canisterd/internal/project"
)

func (c *cli) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of " + project.File + ", for editors",
		Long: `Print the JSON Schema of ` + project.File + `, which lets editors complete and check the
file. Write it to a file, and name that in the first line of ` + project.File + `:

  # yaml-language-server: $schema=canisterd.schema.json`,
		Example: `  canisterd schema
  canisterd schema > canisterd.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := output.Indented(project.Schema())
			if err != nil {
				return err
			}
			return c.print(text, project.Schema())
		},
	}
}
