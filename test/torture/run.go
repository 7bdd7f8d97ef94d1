package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// run is a series of lives of a daemon with one state directory.
type run struct {
	options
	random *rand.Rand
	tally
	work
	canisters []principal.Principal // one per client, then installed and shared
	counter   counter               // in which all clients count
	slowest   time.Duration
	lives     int
}

// targetTimeout is how long a kill waits for its target, the kind of work to hit, where that is the daemon's own.
const targetTimeout = time.Second

// repeated is the work that clients begin again and again: a kill waits for it as long as it takes.
var repeated = []string{"install", "fork"}

// installed returns the canister that is installed again and again, shared the one in which all clients count.
func (r *run) installed() principal.Principal { return r.canisters[r.clients] }
func (r *run) shared() principal.Principal    { return r.canisters[r.clients+1] }

// process is a daemon.
type process struct {
	cmd    *exec.Cmd
	log    logged
	client *client.Client
	remote *remote.Daemon
}

// logged parses the log of a daemon, and keeps the last lines.
type logged struct {
	work *work
	rest []byte     // an incomplete line; only Write uses it
	mu   sync.Mutex // guards last
	last []string
}

// Write implements io.Writer. Only one goroutine may call it.
func (l *logged) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.work.logged(string(line))
		l.mu.Lock()
		l.last = append(l.last[max(0, len(l.last)-50):], string(line))
		l.mu.Unlock()
		l.rest = rest
	}
}

// String returns the last lines of the log.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, "\n")
}

// start starts a daemon from the state directory.
func (r *run) start(ctx context.Context) (*process, error) {
	begun := time.Now()
	p := &process{cmd: exec.CommandContext(ctx, r.binary, "start", "--listen", "127.0.0.1:0", "--json", "--state-dir", r.dir,
		"--log-level", "debug", "--checkpoint-bytes", "16384")}
	p.log.work = &r.work
	r.work.reset()
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	var ready struct {
		URL     string `json:"url"`
		Control string `json:"control"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err == nil {
		p.client, err = client.Dial(ctx, ready.URL)
	}
	if err == nil {
		p.remote, err = remote.Dial(ready.Control)
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("the daemon does not start: %w\n%s", err, p.log.String())
	}
	r.slowest = max(r.slowest, time.Since(begun))
	return p, nil
}

// kill ends a daemon with SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // the error is that it was killed
	if p.client != nil {
		p.client.Close()
	}
	if p.remote != nil {
		_ = p.remote.Close() // its daemon is gone
	}
}

// prepare creates the canisters in a first life.
func (r *run) prepare(ctx context.Context) error {
	p, err := r.start(ctx)
	if err != nil {
		return err
	}
	defer p.kill()
	home, err := p.client.Home(ctx)
	if err != nil {
		return err
	}
	for range r.clients + 2 {
		id, err := deploy(ctx, p.client.Call, home)
		if err != nil {
			return err
		}
		r.canisters = append(r.canisters, id)
	}
	r.counted = make([]uint64, r.clients)
	return nil
}

// life starts a daemon, checks its canisters, runs clients, and kills it.
func (r *run) life(ctx context.Context) error {
	p, err := r.start(ctx)
	if err != nil {
		return err
	}
	err = p.deleteForks(ctx)
	if err == nil {
		err = r.check(ctx, p)
	}
	if err != nil {
		p.kill()
		return err
	}
	var killed, over, answered atomic.Bool
	answered.Store(r.lives > 0) // in the first life an update is acknowledged before the kill
	target := targetOf(r.lives)
	r.lives++
	ends := time.AfterFunc(time.Duration(r.random.Int64N(int64(r.longest))), func() {
		for begun := time.Now(); !over.Load() && (!answered.Load() || !r.work.endIn(target, repeated...)); {
			if !slices.Contains(repeated, target) && time.Since(begun) >= targetTimeout {
				target = ""
			}
			time.Sleep(20 * time.Microsecond)
		}
		killed.Store(true)
		_ = p.cmd.Process.Kill()
	})
	defer ends.Stop()
	defer p.kill()
	var mu sync.Mutex // guards failed and the tally of r
	var failed error
	var clients sync.WaitGroup
	for at := range r.canisters[:r.clients] {
		clients.Go(func() {
			for {
				reply, err := p.client.Call(ctx, r.canisters[at], r.canisters[at], "count", nil)
				shared := err
				if err == nil {
					shared = r.count(ctx, p, at)
				}
				mu.Lock()
				if err == nil {
					err = errors.Join(shared, r.addReply(at, reply))
				}
				if err == nil {
					answered.Store(true)
				}
				if err != nil && !killed.Load() {
					failed = errors.Join(failed, fmt.Errorf("an update: %w\n%s", err, p.log.String()))
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	r.repeat(&clients, repeated[0], func() error { return install(ctx, p.client.Call, r.installed()) })
	r.repeat(&clients, repeated[1], func() error { return p.fork(ctx) })
	clients.Wait()
	over.Store(true)
	p.kill() // completes its log
	r.work.end("checkpoint", "compaction")
	return errors.Join(failed, ctx.Err())
}

// count makes one update and one query of a client in the canister of all clients.
func (r *run) count(ctx context.Context, p *process, client int) error {
	err := r.counter.do(client, adds, func() ([]byte, error) { return p.client.Call(ctx, r.shared(), r.shared(), "count", nil) })
	if err == nil {
		err = r.counter.do(client, reads, func() ([]byte, error) { return p.read(ctx, r.shared()) })
	}
	return err
}

// check reads all canisters after a start: no update that was acknowledged may be lost.
func (r *run) check(ctx context.Context, p *process) error {
	for at, id := range r.canisters[:r.clients] {
		reply, err := p.read(ctx, id)
		if err == nil {
			err = r.addQuery(at, reply)
		}
		if err != nil {
			return err
		}
	}
	return r.counter.check(func() ([]byte, error) { return p.read(ctx, r.shared()) })
}

// read returns the reply to a query of a canister.
func (p *process) read(ctx context.Context, id principal.Principal) ([]byte, error) {
	return p.client.Query(ctx, id, id, "read", nil)
}

// last starts a daemon after the last kill, and checks its canisters.
func (r *run) last(ctx context.Context) error {
	p, err := r.start(ctx)
	if err != nil {
		return err
	}
	defer p.kill()
	return r.check(ctx, p)
}

// repeat does work of a kind until the daemon is gone.
func (r *run) repeat(clients *sync.WaitGroup, kind string, do func() error) {
	clients.Go(func() {
		for err := error(nil); err == nil; {
			end := r.work.begin(kind)
			err = do()
			end()
		}
	})
}

// fork forks the network, and deletes the fork.
func (p *process) fork(ctx context.Context) error {
	instances := controlv1.NewInstancesClient(p.remote.Connection())
	forked, err := instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{})
	if err == nil {
		_, err = instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: forked.Instance.Name})
	}
	return err
}

// deleteForks deletes the forks that kills left: forks are kept until they are deleted, and every start opens all of
// them.
func (p *process) deleteForks(ctx context.Context) error {
	instances := controlv1.NewInstancesClient(p.remote.Connection())
	all, err := instances.ListInstances(ctx, &controlv1.ListInstancesRequest{})
	for _, i := range all.GetInstances() {
		if err == nil && i.ForkedFrom != "" {
			_, err = instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: i.Name})
		}
	}
	if err != nil {
		return fmt.Errorf("deleting the forks of the life before: %w", err)
	}
	return nil
}
