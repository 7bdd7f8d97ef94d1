package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/knownmodules"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/rehearse"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) modulesGroup() *cobra.Command {
	all := group("modules", "List the modules that canisterd knows by their hashes")
	all.Long = `List the modules that canisterd knows by their hashes (SHA-256): name, version, interface
and source.

canisterd canister status, clone, doctor, the inspector and rejects of calls name them.
The modules that update added are in the file known-modules.json in the user's data
directory (~/.local/share/canisterd on Linux), which only its user can read.`
	all.AddCommand(c.modulesList(), c.modulesShow(), c.modulesUpdate())
	return all
}

// knownModule is a known module for --json.
type knownModule struct {
	knownmodules.Module
	Added bool `json:"added"` // by canisterd modules update
	// AtHand is where the bytes of the module are, for canisterd modules show; "" if they are not on this computer.
	AtHand string `json:"at_hand,omitempty"`
}

// knownModules returns the modules that the program knows, and those that the user added.
func knownModules() ([]knownModule, error) {
	var all []knownModule
	for _, m := range knownmodules.BuiltIn().Modules {
		all = append(all, knownModule{Module: m})
	}
	added, err := knownmodules.File(daemon.KnownModulesFile()).Read()
	if err != nil {
		return nil, err
	}
	for _, m := range added.Modules {
		if knownmodules.BuiltIn().Find(m.Hash[:]) == nil {
			all = append(all, knownModule{Module: m, Added: true})
		}
	}
	return all, nil
}

func (c *cli) modulesList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the known modules",
		Example: `  canisterd modules list
  canisterd modules list --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := knownModules()
			if err != nil {
				return err
			}
			t := c.table("NAME", "VERSION", "SHA-256", "SOURCE")
			for i := range all {
				t.row(all[i].Name, all[i].Version, all[i].Hash.String()[:12], all[i].Source)
			}
			return c.print(t.String(), all)
		},
	}
}

func (c *cli) modulesShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show HASH|MODULE",
		Short: "Show what is known of a module, by its hash or its file",
		Long: `Show what is known of a module, by its hash or its file. HASH is its SHA-256 as canisters
show it, or the beginning of it.`,
		Example: `  canisterd modules show 359e217aed87
  canisterd modules show build/bank.wasm`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := knownModules()
			if err != nil {
				return err
			}
			digits, err := moduleDigits(args[0])
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(all, func(m knownModule) bool { return !strings.HasPrefix(m.Hash.String(), digits) })
			if len(found) != 1 {
				return fmt.Errorf("%s are known whose hash begins with %s (canisterd modules list)", count(uint64(len(found)), "module"), digits)
			}
			m := &found[0]
			if _, m.AtHand, err = moduleAtHand(m.Hash); err != nil {
				return err
			}
			return c.print(m.text(), m)
		},
	}
}

// text describes the module for people.
func (m *knownModule) text() string {
	text := fmt.Sprintf("name       %s\nversion    %s\ninterface  %s\nsource     %s\n", m.Name, m.Version, m.Interface, m.Source)
	if m.Init != "" {
		text += fmt.Sprintf("init       %s\n", m.Init)
	}
	return text + fmt.Sprintf("module     %s\nsha-256    %s", cmp.Or(m.AtHand, "not on this computer"), m.Hash)
}

// moduleDigits returns the digits of a hash, or the hash of a file.
func moduleDigits(word string) (string, error) {
	digits := strings.ToLower(word)
	if len(digits) <= 2*sha256.Size && strings.Trim(digits, "0123456789abcdef") == "" {
		return digits, nil
	}
	content, err := regular.Read(word, rehearse.MaxModuleBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%q is neither a hash nor a file: expected hexadecimal digits, or the file of a module", word)
	}
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:]), nil
}

// moduleText describes what the daemon knows of a module, "" if it does not know it.
func moduleText(m *controlv1.KnownModule) string {
	if m == nil {
		return ""
	}
	as := knownmodules.Module{Name: m.GetName(), Version: m.GetVersion(), Source: m.GetSource()}
	return as.String()
}
