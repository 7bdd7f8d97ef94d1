package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
)

func (c *cli) identityExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export NAME",
		Short: "Print the key of an identity as PEM",
		Long: `Print the key of an identity as PEM, as it was created or imported: an encrypted key is
printed encrypted.`,
		Example: `  canisterd identity export alice
  canisterd identity export alice > alice.pem`,
		Args: cobra.ExactArgs(1),
		RunE: withIdentities(func(all *identity.Store, args []string) error {
			one, err := all.Find(args[0])
			if err != nil {
				return err
			}
			text, err := all.ReadPEM(args[0])
			if err != nil {
				return err
			}
			return c.print(strings.TrimSuffix(string(text), "\n"), map[string]string{"name": args[0], "principal": one.Principal, "pem": string(text)})
		}),
	}
}

func (c *cli) identityRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Delete an identity and its key",
		Example: `  canisterd identity remove alice
  canisterd identity remove alice --yes`,
		Args: cobra.ExactArgs(1),
		RunE: withIdentities(func(all *identity.Store, args []string) error {
			name := args[0]
			one, err := all.Find(name)
			if err != nil {
				return err
			}
			if name == all.Current {
				return fmt.Errorf("%s is in use: choose another identity first (canisterd identity use anonymous)", name)
			}
			if err := c.confirmed(fmt.Sprintf("the identity %s (%s) and its key", name, one.Principal), yes); err != nil {
				return err
			}
			if err := all.Remove(name); err != nil {
				return err
			}
			return c.done(map[string]string{"name": name, "done": "removed"}, "%s: removed", name)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

func (c *cli) identityRename() *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW",
		Short: "Rename an identity",
		Example: `  canisterd identity rename alice bob
  canisterd identity rename alice alice-old`,
		Args: cobra.ExactArgs(2),
		RunE: withIdentities(func(all *identity.Store, args []string) error {
			if err := all.Rename(args[0], args[1]); err != nil {
				return err
			}
			return c.done(map[string]string{"name": args[1], "done": "renamed"}, "%s: renamed to %s", args[0], args[1])
		}),
	}
}
