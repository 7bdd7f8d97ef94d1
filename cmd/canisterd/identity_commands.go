package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
)

func (c *cli) identityGroup() *cobra.Command {
	cmd := group("identity", "Manage the identities that sign calls")
	cmd.Long = `Manage the identities that sign calls.

Each identity is a file NAME.pem, which only its user can read, in canisterd/identities
in the user's configuration directory (~/.config on Linux). New keys are not encrypted;
imported keys are stored as they are.`
	cmd.AddCommand(c.identityNew(), c.identityList(), c.identityUse(), c.identityWhoami(), c.identityImport(), c.identityExport(), c.identityRename(), c.identityRemove())
	return cmd
}

// withIdentities is the body of a command that works on the stored identities.
func withIdentities(do func(all *identity.Store, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		all, err := identity.Read()
		if err != nil {
			return err
		}
		return do(all, args)
	}
}

func (c *cli) identityNew() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create an identity and print its principal",
		Example: `  canisterd identity new alice
  canisterd --identity alice canister call bank withdraw 100`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := identity.NewKey(kind)
			if err != nil {
				return err
			}
			key, err := identity.ParsePEM(text, nil)
			if err != nil {
				return err
			}
			return c.addIdentity(args[0], text, key)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", identity.Secp256k1, "kind of the key: "+identity.Secp256k1+", "+identity.Ed25519+" or "+identity.P256)
	return cmd
}

// identityResult is an identity for --json.
type identityResult struct {
	Name      string `json:"name"`
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	InUse     bool   `json:"in_use"`
}

func (c *cli) addIdentity(name string, text []byte, key identity.Key) error {
	all, err := identity.Read()
	if err != nil {
		return err
	}
	if err := all.Add(name, text, key); err != nil {
		return err
	}
	return c.print(key.Principal(), identityResult{name, key.Principal(), key.Kind, false})
}

func (c *cli) identityList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the identities; * marks the one in use",
		Example: `  canisterd identity list
  canisterd identity list --json`,
		Args: cobra.NoArgs,
		RunE: withIdentities(func(all *identity.Store, _ []string) error {
			results := []identityResult{{identity.Anonymous, principal.Anonymous.String(), "", all.Current == ""}}
			for _, name := range slices.Sorted(maps.Keys(all.Identities)) {
				results = append(results, identityResult{name, all.Identities[name].Principal, all.Identities[name].Kind, name == all.Current})
			}
			t := c.table("", "NAME", "KIND", "PRINCIPAL")
			for _, r := range results {
				mark := ""
				if r.InUse {
					mark = "*"
				}
				t.row(mark, r.Name, r.Kind, r.Principal)
			}
			return c.print(t.String(), results)
		}),
	}
}

func (c *cli) identityUse() *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME",
		Short: "Set the identity of commands without --identity and --as",
		Example: `  canisterd identity use alice
  canisterd identity use anonymous`,
		Args: cobra.ExactArgs(1),
		RunE: withIdentities(func(all *identity.Store, args []string) error {
			if err := all.Use(args[0]); err != nil {
				return err
			}
			return c.done(map[string]string{"in_use": args[0]}, "calls are made as %s from now on", args[0])
		}),
	}
}

func (c *cli) identityWhoami() *cobra.Command {
	return sending(&cobra.Command{
		Use:   "whoami",
		Short: "Print the principal that makes calls",
		Example: `  canisterd identity whoami
  canisterd --identity alice identity whoami`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			sender, err := c.sender()
			if err != nil {
				return err
			}
			return c.print(shown(sender), map[string]string{"principal": shown(sender)})
		},
	})
}

func (c *cli) identityImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import NAME FILE",
		Short: "Import a key from a PEM file, such as dfx identity export or icp write it",
		Long: `Import a key from a PEM file and print its principal: Ed25519, secp256k1 or P-256, in
PKCS #8 or SEC 1, optionally encrypted (PKCS #8 with PBES2). The password is read from the
terminal or from CANISTERD_PASSWORD. An encrypted key is stored encrypted.`,
		Example: `  dfx identity export alice > alice.pem
  canisterd identity import alice alice.pem`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			text, key, err := identity.ReadKey(args[1])
			if err != nil {
				return err
			}
			return c.addIdentity(args[0], text, key)
		},
	}
}

// sends marks the commands that accept --as and --identity.
const sends = "sends"

// sending marks a command whose calls have a sender.
func sending(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[sends] = "yes"
	return cmd
}

// checkSender refuses --as and --identity if they would be ignored.
func checkSender(cmd *cobra.Command) error {
	if cmd.Annotations[sends] != "" || cmd.Name() == helpName {
		return nil
	}
	for _, flag := range []string{"as", "identity"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed {
			return fmt.Errorf("--%s has no effect on %s, which acts with the rights of the daemon's owner; to call the management canister as a principal: canisterd canister call aaaaa-aa METHOD --%[1]s %[3]s", flag, cmd.CommandPath(), given.Value)
		}
	}
	return nil
}
