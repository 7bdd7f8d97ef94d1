package deploy

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone/kept"
	"github.com/canisterd/canisterd/internal/clone/networks"
)

// Clone makes the clone that a canister of the project is, from what the folder of the project keeps.
func (f *fresh) Clone(ctx context.Context, name string) (err error) {
	controller := principal.Anonymous
	if f.Sender != "" {
		if controller, err = principal.Parse(f.Sender); err != nil {
			return err
		}
	}
	to := networks.To(networks.Instance{Daemon: f.Daemon, Name: f.Instance}, nil)
	if err := kept.Load(ctx, to, f.project, name, controller); err != nil {
		return err
	}
	f.ids[name] = f.project.Canisters[name].Clone.ID
	return nil
}
