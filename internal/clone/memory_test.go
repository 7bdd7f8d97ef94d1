package clone_test

import (
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// A source does not keep the slices that it has sent, however large the snapshot is.
func TestASourceKeepsAtMost64MiBOfSlices(t *testing.T) {
	from := mainnet(t)
	id := from.filled(1280) // 80 MiB
	network, owner := from.source(from.url)
	instance := &clone.Source{Caller: networks.Instance{Daemon: from.Daemon, Sender: owner.String()}, From: "instance", Network: "instance"}
	for name, source := range map[string]*clone.Source{"over the HTTP interface": network, "over the control API": instance} {
		t.Run(name, func(t *testing.T) {
			e, err := source.Take(from.ctx, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
			if err != nil {
				t.Fatal(err)
			}
			if err := source.DownloadTaken(from.ctx, e, untold); err != nil {
				t.Fatal(err)
			}
			const small = 1 << 20 // all other answers
			eventually.True(t, "the end of old answers", func() bool {
				kept, err := driver.Ask(from.ctx, from.driver, func(n *replica.Network) int { return n.MessageBytes().Answers })
				if err != nil {
					t.Fatal(err)
				}
				return kept <= driver.MaxDeliveredBytes+small
			})
		})
	}
}
