package control_test

import (
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestADaemonKeepsSoManyInstancesOnDiskAndOthersBesideThem(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, KeptInstances: 3, StateDir: filepath.Join(t.TempDir(), "state")})
	for range 2 {
		must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Pacing: manual})
	}
	call(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "more"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "more"})
	a.note("one that ends with the daemon has no store")
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "short", Pacing: manual, Ephemeral: true})
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "instance-1"})
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "short", Name: "more"})
	a.compare("instances_kept")
}
