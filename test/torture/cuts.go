package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

const (
	cutDir      = "/state"
	cutClients  = 4
	cutRecords  = 24 << 10 // bytes after which a checkpoint is made
	cutMemTable = 32 << 10 // bytes after which the store flushes
	cutAfter    = 250      // largest number of changes of the disk before a cut
	maxExtra    = 2000     // further changes before a cut that waits for its target
)

// cutHistory is so small that each checkpoint drops some of it.
var cutHistory = journal.Retention{Age: time.Minute, RecordBytes: 3 * cutRecords, CheckpointBytes: 64 << 10}

// cuts is a series of lives of a durable instance on a disk in memory. A life ends when the power fails at a change of
// the disk: a random part of the unsynced data is lost.
type cuts struct {
	tally
	work
	random    *rand.Rand
	engine    *canister.Engine
	cacheDir  string // of compiled modules, for all lives
	disk      *vfs.MemFS
	canisters []principal.Principal // one per client, one that is installed again and again, and one of all clients
	counter   counter               // in which all clients count
	replayed  int                   // lives whose state was compared with a replay
	lives     int
}

// cutPower makes the power of an instance fail many times, and counts lost updates.
func cutPower(ctx context.Context, times int, seed uint64) (c *cuts, err error) {
	c = &cuts{random: rand.New(rand.NewPCG(seed, 1)), disk: vfs.NewCrashableMem()}
	if c.cacheDir, err = os.MkdirTemp("", "canisterd-torture-"); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.cacheDir)) }()
	if c.engine, err = canister.NewEngine(canister.EngineConfig{CacheDir: c.cacheDir}); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, c.engine.Close()) }()
	if err := c.prepare(ctx); err != nil {
		return c, err
	}
	for range times {
		if err := c.life(ctx, 1+c.random.Int64N(cutAfter)); err != nil {
			return c, err
		}
	}
	if err = c.life(ctx, 0); err == nil && c.lost > 0 {
		err = fmt.Errorf("%d acknowledged updates are lost", c.lost)
	}
	return c, err
}

// String formats the outcome for output.
func (c *cuts) String() string {
	return fmt.Sprintf("%d updates acknowledged, %d lost; %d operations on a counter are linearizable; %s; the state after %d cuts is that of a replay",
		c.acknowledged, c.lost, c.counter.checked, &c.work, c.replayed)
}

// prepare creates the instance and its canisters.
func (c *cuts) prepare(ctx context.Context) error {
	r := c.registry(c.disk)
	i, err := r.Create(ctx, &instance.Spec{Placement: instance.Placement{Name: instance.Default}, Journal: cutDir})
	for err == nil && len(c.canisters) < cutClients+2 {
		var id principal.Principal
		id, err = deploy(ctx, caller(i), i.Driver().View().DefaultCanister())
		c.canisters = append(c.canisters, id)
	}
	c.counted = make([]uint64, cutClients)
	return errors.Join(err, r.Close())
}

func (c *cuts) registry(fs vfs.FS) *instance.Registry {
	return instance.NewRegistry(instance.Config{
		Wall: time.Now, CacheDir: c.cacheDir, Engine: c.engine, Log: slog.New(&c.work), CheckpointBytes: cutRecords,
		Journal: journal.Options{FS: fs, MemTableBytes: cutMemTable, Retention: cutHistory},
	})
}

// cut is the end of a life.
type cut struct {
	mu       sync.Mutex   // guards happened and left, and the tally of the cuts
	happened bool         // clients stop counting
	left     *vfs.MemFS   // the disk after the cut
	after    atomic.Int64 // changes of the disk until the cut
	armed    atomic.Bool  // after is set
}

// arm sets the number of changes of the disk until the cut, 0 for no cut.
func (c *cut) arm(after int64) {
	c.after.Store(after)
	c.armed.Store(after > 0)
}

// isDue reports whether the cut is due when so many changes are left. It waits for the target, the kind of work to hit,
// for at most maxExtra changes.
func (c *cut) isDue(left int64, onTarget bool) bool {
	return c.armed.Load() && (left <= 0 && onTarget || left <= -maxExtra)
}

// life starts the instance from the disk, and ends after some changes of the disk; 0: after one update of each client.
func (c *cuts) life(ctx context.Context, after int64) error {
	hash, err := c.replay(ctx)
	if err != nil {
		return fmt.Errorf("replaying: %w", err)
	}
	c.work.reset()
	end := &cut{}
	early := c.random.IntN(8) == 0 // the cut may come during Open
	if early {
		end.arm(after)
	}
	unsynced, random := c.random.IntN(101), rand.New(rand.NewPCG(c.random.Uint64(), 2))
	under, target := c.disk, targetOf(c.lives)
	c.lives++
	if early {
		target = ""
	}
	fs := errorfs.Wrap(under, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || !end.isDue(end.after.Add(-1), target == "" || c.work.isIn(target)) {
			return nil
		}
		end.mu.Lock()
		defer end.mu.Unlock()
		if !end.happened {
			end.happened = true
			c.work.end(workKinds...)
			end.left = under.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: random})
		}
		return nil
	}))
	r := c.registry(fs)
	err = c.live(ctx, r, hash, func(i *instance.Instance) error {
		if !early {
			end.arm(after)
		}
		return c.write(ctx, r, i, end)
	})
	err = errors.Join(err, r.Close())
	if c.disk = end.left; c.disk == nil {
		c.disk = under
	}
	return err
}

// replay replays the directory and returns the hash of its state.
func (c *cuts) replay(ctx context.Context) ([32]byte, error) {
	done, err := instance.Replay(ctx, cutDir, instance.Config{Wall: time.Now, CacheDir: c.cacheDir, Engine: c.engine, Journal: journal.Options{FS: c.disk}}, instance.Traces{})
	return done.StateHash, err
}

// live opens the instance, compares its state with the replay's, and runs the clients.
func (c *cuts) live(ctx context.Context, r *instance.Registry, hash [32]byte, write func(*instance.Instance) error) error {
	i, err := r.Create(ctx, &instance.Spec{
		Placement: instance.Placement{Name: instance.Default}, Journal: cutDir, Pacing: instance.Pacing{Mode: instance.Manual},
	})
	if err != nil {
		return err
	}
	var now [32]byte
	looked, err := driver.Ask(ctx, i.Driver(), func(n *replica.Network) (err error) {
		now, err = n.StateHash()
		return err
	})
	if err = errors.Join(looked, err); err != nil {
		return err
	}
	if now != hash {
		return fmt.Errorf("the state hash is %x, and that of a replay is %x", now, hash)
	}
	c.replayed++
	if err := i.SetPacing(ctx, instance.Pacing{Mode: instance.Auto}); err != nil {
		return err
	}
	if err := c.counter.check(func() ([]byte, error) { return c.ask(ctx, i, "read") }); err != nil {
		return err
	}
	return write(i)
}

// ask calls the canister in which all clients count.
func (c *cuts) ask(ctx context.Context, i *instance.Instance, method string) ([]byte, error) {
	id := c.canisters[cutClients+1]
	return caller(i)(ctx, id, id, method, nil)
}

// errCut is the error of answers after the cut.
var errCut = errors.New("the power has failed")

// count makes one update of a client in the canister of all clients. Answers after the cut are dropped.
func (c *cuts) count(ctx context.Context, i *instance.Instance, client int, end *cut) error {
	err := c.counter.do(client, adds, func() ([]byte, error) {
		reply, err := c.ask(ctx, i, "count")
		end.mu.Lock()
		defer end.mu.Unlock()
		if err == nil && end.happened {
			err = errCut
		}
		return reply, err
	})
	if errors.Is(err, errCut) {
		return nil
	}
	return err
}

// write runs clients that count, an installation and a fork in loops until the cut.
func (c *cuts) write(ctx context.Context, r *instance.Registry, i *instance.Instance, end *cut) error {
	var all sync.WaitGroup
	failures := make(chan error, cutClients+2)
	repeat := func(do func() (bool, error)) {
		all.Go(func() {
			for {
				if over, err := do(); over || err != nil {
					failures <- err
					return
				}
			}
		})
	}
	once := !end.armed.Load()
	over := func() bool {
		end.mu.Lock()
		defer end.mu.Unlock()
		return end.happened
	}
	for at, id := range slices.All(c.canisters[:cutClients]) {
		repeat(func() (bool, error) {
			reply, err := caller(i)(ctx, id, id, "count", nil)
			end.mu.Lock()
			if err == nil && !end.happened {
				err = c.addReply(at, reply)
			}
			over := once || end.happened
			end.mu.Unlock()
			if err == nil && !over {
				err = c.count(ctx, i, at, end)
			}
			return over, err
		})
	}
	repeat(func() (bool, error) {
		defer c.begin("install")()
		return once || over(), install(ctx, caller(i), c.canisters[cutClients])
	})
	repeat(func() (bool, error) {
		defer c.begin("fork")()
		_, err := r.Fork(ctx, &instance.ForkSpec{Source: instance.Default, Placement: instance.Placement{Name: "fork"}, Pacing: &instance.Pacing{Mode: instance.Manual}})
		if err == nil {
			err = r.Delete("fork")
		}
		return once || over(), err
	})
	all.Wait()
	close(failures)
	var err error
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// caller returns a function that calls canisters of an instance.
func caller(i *instance.Instance) call {
	return func(ctx context.Context, callee, effective principal.Principal, method string, arg []byte) ([]byte, error) {
		now, err := i.Now(ctx)
		if err != nil {
			return nil, err
		}
		in := &replica.Ingress{
			Sender: principal.Anonymous, Receiver: callee, Effective: effective, Method: method, Arg: arg, Expiry: now + replica.MaxIngressTTL/2,
		}
		_, _ = crand.Read(in.ID[:]) // it never fails
		receipt, err := i.Backend().SubmitAhead(ctx, in)
		if err == nil && receipt.Reject != nil {
			err = fmt.Errorf("%s: %s", method, receipt.Reject.Message())
		}
		if err != nil {
			return nil, err
		}
		subnet := i.Driver().View().SubnetOf(effective).ID
		if err := i.AwaitAnswer(ctx, subnet, in.ID); err != nil {
			return nil, err
		}
		answer, err := driver.Ask(ctx, i.Driver(), func(n *replica.Network) replica.IngressAnswer {
			answer, _ := n.IngressAnswer(subnet, in.ID)
			return answer
		})
		if err == nil && answer.Reject != nil {
			err = fmt.Errorf("%s: %s", method, answer.Reject.Message())
		}
		return answer.Reply, err
	}
}
