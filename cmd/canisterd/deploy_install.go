package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// settingsChanged is the outcome for a canister that runs its module already and was given other settings.
const settingsChanged = "settings changed"

// install updates the settings of a canister and installs its module as the project describes.
func (x *deploying) install(ctx context.Context, name string) (done deployment, err error) {
	before, err := x.get(ctx, name)
	if err != nil {
		return done, err
	}
	after, err := x.updateSettings(ctx, name)
	if err != nil {
		return done, err
	}
	if len(before.GetModuleHash()) > 0 {
		done.Settings = differentSettings(before.GetSettings(), after.GetSettings())
	}
	module, err := x.project.Module(name)
	if err != nil {
		return done, fmt.Errorf("reading the module: %w", err)
	}
	argument, digest, err := x.argument(name, module)
	if err != nil {
		return done, err
	}
	head := &controlv1.InstallHead{Instance: x.cli.instance, CanisterId: x.ids[name], Features: x.project.Canisters[name].Features, Argument: argument}
	if head.Sender, err = x.cli.sender(); err != nil {
		return done, err
	}
	hash := sha256.Sum256(module)
	switch {
	case x.flags.mode == "reinstall":
		head.Mode = controlv1.InstallMode_INSTALL_MODE_REINSTALL
	case x.flags.mode == "upgrade":
		head.Mode = controlv1.InstallMode_INSTALL_MODE_UPGRADE
	case bytes.Equal(hash[:], after.GetModuleHash()):
		if done.Done = "unchanged"; len(done.Settings) > 0 {
			done.Done = settingsChanged
		}
		done.Ignored = x.ignored(name, digest)
		return done, x.addDebugInfo(ctx, name, head)
	}
	done.Done, err = x.installModule(ctx, name, head, after)
	if err != nil {
		return done, err
	}
	return done, x.pass(ctx, name, digest)
}

// reinstallYes describes --yes of the commands that reinstall.
const reinstallYes = "reinstall: do not ask before the state of a canister is erased"

// confirmReinstall asks before canisters lose their state.
func (x *deploying) confirmReinstall(ctx context.Context) error {
	if x.flags.mode != "reinstall" || x.flags.yes {
		return nil
	}
	var all []string
	for _, name := range sortedKeys(x.project.Canisters) {
		if x.ids[name] == "" || !chosen(x.flags.only, name) || x.project.Canisters[name].Clone != nil {
			continue
		}
		found, err := x.get(ctx, name)
		if err != nil {
			return err
		}
		if len(found.GetModuleHash()) > 0 {
			all = append(all, name)
		}
	}
	return x.cli.confirmed(stateOf(all), len(all) == 0)
}

// stateOf names what a reinstallation deletes.
func stateOf(names []string) string {
	return "the state of " + strings.Join(names, ", ") + ", which a reinstallation erases"
}

// installModule installs the module of a canister that was so before, and returns what was done.
func (x *deploying) installModule(ctx context.Context, name string, head *controlv1.InstallHead, before *controlv1.Canister) (string, error) {
	debug, err := x.project.DebugInfo(name)
	if err != nil {
		return "", err
	}
	installed, err := x.cli.install(ctx, x.daemon, head, x.project.Path(x.project.Canisters[name].Wasm), debug)
	if err != nil {
		x.cli.hintFeature(err, "set features: [%s] for "+name+" in "+project.File)
		return "", err
	}
	switch installed.GetMode() {
	case controlv1.InstallMode_INSTALL_MODE_UPGRADE:
		return "upgraded", x.tellTimer(ctx, name, before)
	case controlv1.InstallMode_INSTALL_MODE_REINSTALL:
		return "reinstalled", nil
	}
	return "installed", nil
}

// addDebugInfo hands in the debug information beside the module that a canister has already.
func (x *deploying) addDebugInfo(ctx context.Context, name string, head *controlv1.InstallHead) error {
	debug, err := x.project.DebugInfo(name)
	if err != nil || len(debug.SourceMap) == 0 && len(debug.DebugFile) == 0 {
		return err
	}
	_, err = x.cli.install(ctx, x.daemon, &controlv1.InstallHead{Instance: head.GetInstance(), CanisterId: head.GetCanisterId(), OnlyDebugInfo: true}, x.project.Path(x.project.Canisters[name].Wasm), debug)
	return err
}

// tellTimer notes that an upgrade made the timer of a canister inactive.
func (x *deploying) tellTimer(ctx context.Context, name string, before *controlv1.Canister) error {
	if before.GetGlobalTimer() == nil {
		return nil
	}
	after, err := x.get(ctx, name)
	if err == nil && after.GetGlobalTimer() == nil {
		x.cli.note("note: %s: the upgrade canceled its timers, as on mainnet; set them again in canister_post_upgrade", name)
	}
	return err
}

// principals returns the principals of the project's canisters that are there, and of identities, by name.
func (x *deploying) principals() names {
	all := names{identity.Anonymous: principal.Anonymous.String()}
	maps.Copy(all, identityPrincipals())
	maps.Copy(all, x.ids)
	return all
}

// get returns a canister of the project.
func (x *deploying) get(ctx context.Context, name string) (*controlv1.Canister, error) {
	got, err := x.daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: x.cli.instance, CanisterId: x.ids[name]})
	return got.GetCanister(), err
}

// updateSettings gives a canister the settings of the project, and returns it.
func (x *deploying) updateSettings(ctx context.Context, name string) (*controlv1.Canister, error) {
	given, err := x.project.Given(name, x.principals())
	if err != nil {
		return nil, err
	}
	update := &controlv1.UpdateSettingsRequest{Instance: x.cli.instance, CanisterId: x.ids[name], Settings: request.Settings(given)}
	if _, err := x.daemon.Canisters.UpdateSettings(ctx, update); err != nil {
		return nil, err
	}
	return x.get(ctx, name)
}

// differentSettings returns the names of the settings that differ, which are their keys in canisterd.yaml.
func differentSettings(before, after *controlv1.Settings) (names []string) {
	fields := after.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !before.ProtoReflect().Get(f).Equal(after.ProtoReflect().Get(f)) {
			names = append(names, string(f.Name()))
		}
	}
	return names
}

// argument returns the argument that the project has for a canister, and the digest of its bytes.
func (x *deploying) argument(name string, module []byte) (*controlv1.Value, string, error) {
	argument, err := x.project.Canisters[name].Argument(name, x.principals())
	if err != nil {
		return nil, "", err
	}
	raw, err := x.project.EncodeInit(name, argument, module)
	if err != nil {
		return nil, "", err
	}
	digest := sha256.Sum256(raw)
	if x.project.Canisters[name].Candid != "" { // the daemon knows only the interface in the module
		return bytesValue(raw), hex.EncodeToString(digest[:]), nil
	}
	return valueOf(argument), hex.EncodeToString(digest[:]), nil
}

// pass records that an argument was passed to a canister.
func (x *deploying) pass(ctx context.Context, name, digest string) error {
	x.passed = map[string]string{name: digest}
	return x.record(ctx)
}

// ignored returns the keys of a canister that its unchanged module does not get, and notes what would apply them. What was
// passed to a canister of an earlier version, or by other commands, is not known.
func (x *deploying) ignored(name, digest string) []string {
	last := x.store.Known(x.network.Network)[name]
	if last.ID != x.ids[name] || last.Arguments == "" || last.Arguments == digest {
		return nil
	}
	x.cli.note("note: %s: init has changed since the last deploy, but it was not passed because the module is the same", name)
	again := x.deployCommand(name)
	x.cli.note("  %s --mode upgrade    # pass them to canister_post_upgrade", again)
	x.cli.note("  %s --mode reinstall  # pass them to canister_init; the state is lost", again)
	return []string{"init"}
}

// deployCommand returns the command that deploys one canister of this project.
func (x *deploying) deployCommand(name string) string {
	command := x.cli.program() + " deploy"
	if folder := x.project.Folder(); folder != project.Nearest() {
		command += " " + folder
	}
	return command + " --only " + name
}
