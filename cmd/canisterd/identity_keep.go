package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/internal/spelling"
)

// pem returns the path of the key of an identity.
func (i *identities) pem(name string) string { return filepath.Join(i.folder, name+".pem") }

// stored returns the identity of a name.
func (i *identities) stored(name string) (*storedIdentity, error) {
	if one := i.Identities[name]; one != nil {
		return one, nil
	}
	if name == anonymous {
		return nil, errors.New("anonymous is no stored identity: it has no key")
	}
	return nil, fmt.Errorf("there is no identity %q%s (canisterd identity list)", name, spelling.Meant(name, slices.Sorted(maps.Keys(i.Identities))))
}

func (c *cli) identityExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export NAME",
		Short: "Print the key of an identity as PEM",
		Long: `Print the key of an identity as PEM, as it was made or imported: a key that was
imported encrypted is printed so.`,
		Example: `  canisterd identity export alice
  canisterd identity export alice > alice.pem`,
		Args: cobra.ExactArgs(1),
		RunE: withIdentities(func(all *identities, args []string) error {
			one, err := all.stored(args[0])
			if err != nil {
				return err
			}
			text, err := os.ReadFile(all.pem(args[0]))
			if err != nil {
				return fmt.Errorf("reading the key: %w", err)
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
		RunE: withIdentities(func(all *identities, args []string) error {
			name := args[0]
			one, err := all.stored(name)
			if err != nil {
				return err
			}
			if name == all.Current {
				return fmt.Errorf("%s is in use: choose another identity first (canisterd identity use anonymous)", name)
			}
			if err := c.confirmed(fmt.Sprintf("the identity %s (%s) and its key", name, one.Principal), yes); err != nil {
				return err
			}
			delete(all.Identities, name)
			if err := all.write(); err != nil { // before the file: an identity without its key could not be exported
				return err
			}
			if err := os.Remove(all.pem(name)); err != nil {
				return fmt.Errorf("deleting the key: %w", err)
			}
			return c.done(map[string]string{"name": name, "done": "removed"}, "%s: removed", name)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (c *cli) identityRename() *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW",
		Short: "Give an identity another name",
		Example: `  canisterd identity rename alice bob
  canisterd identity rename alice alice-old`,
		Args: cobra.ExactArgs(2),
		RunE: withIdentities(func(all *identities, args []string) error {
			if err := all.rename(args[0], args[1]); err != nil {
				return err
			}
			return c.done(map[string]string{"name": args[1], "done": "renamed"}, "%s: renamed to %s", args[0], args[1])
		}),
	}
}

// rename gives an identity another name, also where it is in use.
func (i *identities) rename(name, to string) error {
	one, err := i.stored(name)
	if err != nil {
		return err
	}
	if err := i.checkNew(to); err != nil {
		return err
	}
	if err := os.Rename(i.pem(name), i.pem(to)); err != nil {
		return fmt.Errorf("renaming the key: %w", err)
	}
	delete(i.Identities, name)
	i.Identities[to] = one
	if i.Current == name {
		i.Current = to
	}
	if err := i.write(); err != nil {
		return errors.Join(err, os.Rename(i.pem(to), i.pem(name)))
	}
	return nil
}
