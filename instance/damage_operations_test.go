package instance_test

import (
	"errors"
	"io"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// operations are what is done with a damaged directory. Those that run is set for begin with a running daemon, whose
// files are then damaged.
var operations = map[string]struct {
	run  func(t *testing.T, s *damageStage, r *instance.Registry, c *damageCase) error
	rest func(t *testing.T, s *damageStage, fs vfs.FS, c *damageCase) error
}{
	"start":   {},
	"fork":    {run: forkPast},
	"bisect":  {run: bisectPast},
	"export":  {run: exportBoth},
	"explore": {run: exploreOnce},
	"replay": {rest: func(t *testing.T, s *damageStage, fs vfs.FS, c *damageCase) error {
		_, err := instance.Replay(t.Context(), c.dir, s.config(fs), instance.Traces{Newest: 3})
		return err
	}},
	"compact": {rest: func(_ *testing.T, s *damageStage, fs vfs.FS, c *damageCase) error {
		return instance.Compact(c.dir, s.config(fs))
	}},
}

// forkPast forks the instance at its last round.
func forkPast(t *testing.T, s *damageStage, r *instance.Registry, c *damageCase) error {
	return s.forkAt(t, r, c, s.heights[1])
}

// bisectPast asks forks at several rounds.
func bisectPast(t *testing.T, s *damageStage, r *instance.Registry, c *damageCase) (err error) {
	for height := s.heights[0]; height <= s.heights[1]; height += 2 {
		err = errors.Join(err, s.forkAt(t, r, c, height))
	}
	return err
}

// forkAt forks the instance at a round, asks the fork, and deletes it.
func (s *damageStage) forkAt(t *testing.T, r *instance.Registry, c *damageCase, height uint64) error {
	fork, err := r.Fork(t.Context(), &instance.ForkSpec{Source: c.instance, At: &instance.Moment{Height: height}, Placement: instance.Placement{Name: "past", Ephemeral: true}})
	if err != nil {
		return err
	}
	_, err = fork.Backend().Query(t.Context(), &replica.Query{Sender: principal.Anonymous, Receiver: s.other, Effective: s.other, Method: "recall"})
	return errors.Join(err, r.Delete("past"))
}

// exportBoth exports the journal of the instance, its present and its snapshot.
func exportBoth(t *testing.T, _ *damageStage, r *instance.Registry, c *damageCase) error {
	i, err := r.Instance(c.instance)
	if err != nil {
		return err
	}
	err = i.ExportJournal(t.Context(), io.Discard)
	for _, snapshot := range []string{"", "begun"} {
		network, failed := i.Frozen(t.Context(), snapshot)
		if failed == nil {
			failed = contain.Run(func() error { return network.Export(io.Discard) }) // as an RPC does
			network.Close()
		}
		err = errors.Join(err, failed)
	}
	return err
}

// exploreOnce explores two updates on forks of the present.
func exploreOnce(t *testing.T, s *damageStage, r *instance.Registry, c *damageCase) error {
	i, err := r.Instance(c.instance)
	if err != nil {
		return err
	}
	base, err := i.Frozen(t.Context(), "")
	if err != nil {
		return err
	}
	defer base.Close()
	message := func(id principal.Principal, method, arg string) harness.Operation {
		return harness.Operation{Title: method, Message: replica.Ingress{Sender: principal.Anonymous, Receiver: id, Effective: id, Method: method, Arg: []byte(arg)}}
	}
	return contain.Run(func() error { // as an RPC does
		_, err := campaign.Run(&campaign.Config{Setup: harness.Setup{Base: base, Operations: []harness.Operation{
			message(s.other, "recollect", ""), message(s.counter, "inc", "DIDL\x00\x00"),
		}}, Runs: 2, Workers: 2})
		return err
	})
}
