package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
)

const (
	// inOneMessage is the largest module sent with install_code: an ingress
	// message has at most 2 MiB, envelope and argument included.
	inOneMessage = 1 << 20
	// chunkSize is the largest chunk a canister's chunk store takes.
	chunkSize = 1 << 20
)

// installMode is the variant install_code takes.
type installMode struct {
	Install   *candid.Null    `ic:"install,variant"`
	Reinstall *candid.Null    `ic:"reinstall,variant"`
	Upgrade   **upgradeChoice `ic:"upgrade,variant"`
}

type upgradeChoice struct {
	SkipPreUpgrade *bool        `ic:"skip_pre_upgrade"`
	Memory         *persistence `ic:"wasm_memory_persistence"`
}

type persistence struct {
	Keep    *candid.Null `ic:"keep,variant"`
	Replace *candid.Null `ic:"replace,variant"`
}

type installArg struct {
	Mode     installMode         `ic:"mode"`
	Canister principal.Principal `ic:"canister_id"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
}

type chunkHash struct {
	Hash []byte `ic:"hash"`
}

type installChunkedArg struct {
	Mode   installMode         `ic:"mode"`
	Target principal.Principal `ic:"target_canister"`
	Chunks []chunkHash         `ic:"chunk_hashes_list"`
	Hash   []byte              `ic:"wasm_module_hash"`
	Arg    []byte              `ic:"arg"`
}

type uploadArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Chunk    []byte              `ic:"chunk"`
}

type installFlags struct {
	mode, arg, hex, memory string
	skipPreUpgrade         bool
}

func (c *cli) canisterInstall() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install CANISTER MODULE",
		Short: "Install or upgrade a canister from a Wasm file, plain or gzipped",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := canisterID(args[0])
			if err != nil {
				return err
			}
			module, err := os.ReadFile(args[1])
			if err != nil {
				return fmt.Errorf("reading the module: %w", err)
			}
			readable, err := plain(module)
			if err != nil {
				return fmt.Errorf("unpacking %s: %w", args[1], err)
			}
			mode, err := f.installMode(readable)
			if err != nil {
				return err
			}
			arg, err := f.argument(readable)
			if err != nil {
				return err
			}
			connection, err := c.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer connection.Close()
			if err := c.send(cmd.Context(), connection, id, mode, module, arg); err != nil {
				return err
			}
			hash := sha256.Sum256(module)
			return c.print(fmt.Sprintf("%s runs module %x", id, hash), map[string]string{"canister_id": id.String(), "module_hash": hex.EncodeToString(hash[:])})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "mode", "install", "install, reinstall or upgrade")
	flags.StringVar(&f.arg, "arg", "", "Candid arguments of canister_init or canister_post_upgrade")
	flags.StringVar(&f.hex, "hex", "", "the same as bytes in hex")
	flags.StringVar(&f.memory, "memory", "", "upgrade: keep or replace the Wasm memory (default: keep where the module asks for it)")
	flags.BoolVar(&f.skipPreUpgrade, "skip-pre-upgrade", false, "upgrade: do not run canister_pre_upgrade")
	return cmd
}

func (f *installFlags) installMode(module []byte) (installMode, error) {
	here := &candid.Null{}
	switch f.mode {
	case "install":
		return installMode{Install: here}, nil
	case "reinstall":
		return installMode{Reinstall: here}, nil
	case "upgrade":
		choice := &upgradeChoice{}
		if f.skipPreUpgrade {
			choice.SkipPreUpgrade = &f.skipPreUpgrade
		}
		switch f.memory {
		case "keep":
			choice.Memory = &persistence{Keep: here}
		case "replace":
			choice.Memory = &persistence{Replace: here}
		case "":
			if _, keeps := section(module, keepsMemory); keeps {
				choice.Memory = &persistence{Keep: here}
			}
		default:
			return installMode{}, fmt.Errorf("--memory %q: say keep or replace", f.memory)
		}
		return installMode{Upgrade: &choice}, nil
	}
	return installMode{}, fmt.Errorf("--mode %q: say install, reinstall or upgrade", f.mode)
}

// argument is the message for canister_init: typed by the module's own
// description of its arguments where it carries one.
func (f *installFlags) argument(module []byte) ([]byte, error) {
	if f.hex == "" && f.arg != "" {
		if text, ok := section(module, serviceSection); ok {
			if file, err := did.Parse(text); err == nil {
				if _, takes := file.Init(); takes {
					return file.EncodeInit(parenthesised(f.arg))
				}
			}
		}
		return argument([]string{f.arg}, "", did.Method{}, false)
	}
	return argument(nil, f.hex, did.Method{}, false)
}

// send installs in one message where the module fits one, else chunk by chunk
// through the canister's chunk store.
func (c *cli) send(ctx context.Context, connection *client.Client, id principal.Principal, mode installMode, module, arg []byte) error {
	if len(module)+len(arg) <= inOneMessage {
		return manage(ctx, connection, id, "install_code", installArg{mode, id, module, arg}, nil)
	}
	if err := manage(ctx, connection, id, "clear_chunk_store", named{id}, nil); err != nil {
		return err
	}
	var chunks []chunkHash
	for rest := module; len(rest) > 0; {
		size := min(chunkSize, len(rest))
		var stored chunkHash
		if err := manage(ctx, connection, id, "upload_chunk", uploadArg{id, rest[:size]}, &stored); err != nil {
			return fmt.Errorf("sending chunk %d: %w", len(chunks), err)
		}
		chunks = append(chunks, stored)
		rest = rest[size:]
		c.note("sent %d of %d bytes", len(module)-len(rest), len(module))
	}
	hash := sha256.Sum256(module)
	if err := manage(ctx, connection, id, "install_chunked_code", installChunkedArg{mode, id, chunks, hash[:], arg}, nil); err != nil {
		return err
	}
	return manage(ctx, connection, id, "clear_chunk_store", named{id}, nil)
}
