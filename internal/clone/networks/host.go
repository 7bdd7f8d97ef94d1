package networks

import (
	"bytes"
	"context"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/standin"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// host is an instance that gets clones.
type host struct {
	Instance
	caller func(sender string) clone.Caller
}

// To returns an instance as the destination of clones. caller makes the calls about a canister as a sender; nil: the instance
// does.
func To(i Instance, caller func(sender string) clone.Caller) *clone.Destination {
	if caller == nil {
		caller = func(sender string) clone.Caller { return Instance{i.Daemon, i.Name, sender} }
	}
	return &clone.Destination{Host: &host{i, caller}}
}

// As returns a caller with the rights of a sender.
func (h *host) As(sender principal.Principal) clone.Caller { return h.caller(sender.String()) }

// NetworkID tells the instance from all others.
func (h *host) NetworkID(ctx context.Context) (string, error) {
	got, err := h.Daemon.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: h.Name})
	return got.GetInstance().GetNetworkId(), err
}

// Existing returns the canister with an id, nil if there is none.
func (h *host) Existing(ctx context.Context, id principal.Principal) (*clone.Existing, error) {
	got, err := h.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: h.Name, CanisterId: id.String()})
	if remote.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := &clone.Existing{Subnet: got.GetCanister().GetSubnetId(), HasCode: len(got.GetCanister().GetModuleHash()) > 0}
	for _, text := range got.GetCanister().GetSettings().GetControllers().GetPrincipals() {
		controller, err := principal.Parse(text)
		if err != nil {
			return nil, err
		}
		found.Controllers = append(found.Controllers, controller)
	}
	return found, nil
}

// Metadata returns a section of the module of a canister, nil if it has none.
func (h *host) Metadata(ctx context.Context, id principal.Principal, name string) ([]byte, error) {
	read, err := h.Daemon.Canisters.ReadMetadata(ctx, &controlv1.ReadMetadataRequest{Instance: h.Name, CanisterId: id.String(), Name: name})
	if remote.IsNotFound(err) {
		return nil, nil
	}
	return read.GetContent(), err
}

// Create creates a canister without code, on a new subnet if no subnet has the id.
func (h *host) Create(ctx context.Context, id, controller principal.Principal, cycles string) error {
	_, err := h.Daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{
		Instance: h.Name, CanisterId: id.String(), AddSubnet: true, Cycles: cycles, Sender: controller.String(),
	})
	return err
}

// Install installs a module with an argument on an empty canister, or in place of the one that it has.
func (h *host) Install(ctx context.Context, id principal.Principal, module, argument []byte, replace bool) error {
	head := &controlv1.InstallHead{
		Instance: h.Name, CanisterId: id.String(), Mode: controlv1.InstallMode_INSTALL_MODE_INSTALL,
		Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: argument}},
	}
	if replace {
		head.Mode = controlv1.InstallMode_INSTALL_MODE_REINSTALL
	}
	_, err := h.Daemon.Install(ctx, head, bytes.NewReader(module), nil)
	if remote.IsRefused(err) {
		return &clone.AnsweredError{Err: err}
	}
	return err
}

// SetCycles sets the balance of a canister.
func (h *host) SetCycles(ctx context.Context, id principal.Principal, amount string) error {
	_, err := h.Daemon.Canisters.SetCycles(ctx, &controlv1.SetCyclesRequest{Instance: h.Name, CanisterId: id.String(), Cycles: amount})
	return err
}

// SetVersion sets the version of a canister.
func (h *host) SetVersion(ctx context.Context, id principal.Principal, version uint64) error {
	_, err := h.Daemon.Canisters.SetVersion(ctx, &controlv1.SetVersionRequest{Instance: h.Name, CanisterId: id.String(), CanisterVersion: version})
	return err
}

// SetRunning starts or stops a canister.
func (h *host) SetRunning(ctx context.Context, id principal.Principal, running bool) (err error) {
	if running {
		_, err = h.Daemon.Canisters.StartCanister(ctx, &controlv1.StartCanisterRequest{Instance: h.Name, CanisterId: id.String()})
	} else {
		_, err = h.Daemon.Canisters.StopCanister(ctx, &controlv1.StopCanisterRequest{Instance: h.Name, CanisterId: id.String()})
	}
	return err
}

// StandInAt describes the stand-in that a canister is, nil if it is none.
func (i Instance) StandInAt(ctx context.Context, canister principal.Principal) (*standin.About, error) {
	return To(i, nil).StandInAt(ctx, canister)
}
