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
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid/principal"
)

// run is some lives of a daemon with one state directory.
type run struct {
	options
	random *rand.Rand
	tally
	canisters []principal.Principal
	slowest   time.Duration
}

// process is a daemon.
type process struct {
	cmd    *exec.Cmd
	log    bytes.Buffer
	client *client.Client
}

// start starts a daemon, which goes on from the state directory.
func (r *run) start(ctx context.Context) (*process, error) {
	begun := time.Now()
	p := &process{cmd: exec.CommandContext(ctx, r.binary, "start", "--listen", "127.0.0.1:0", "--json", "--state-dir", r.dir)}
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	var ready struct {
		URL string `json:"url"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err == nil {
		p.client, err = client.Dial(ctx, ready.URL)
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
	_ = p.cmd.Wait() // it says that it was killed
	if p.client != nil {
		p.client.Close()
	}
}

// prepare makes the canisters, in a first life.
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
	for range r.clients {
		id, err := deploy(ctx, p.client.Call, home)
		if err != nil {
			return err
		}
		r.canisters = append(r.canisters, id)
	}
	r.counted = make([]uint64, r.clients)
	return nil
}

// life starts a daemon, checks what it knows, has clients write, and kills it.
func (r *run) life(ctx context.Context) error {
	p, err := r.start(ctx)
	if err != nil {
		return err
	}
	var killed atomic.Bool
	ends := time.AfterFunc(time.Duration(r.random.Int64N(int64(r.longest))), func() {
		killed.Store(true)
		_ = p.cmd.Process.Kill()
	})
	defer ends.Stop()
	defer p.kill()
	var mu sync.Mutex // guards failed and the numbers of r
	var failed error
	var clients sync.WaitGroup
	for at := range r.canisters {
		clients.Go(func() {
			for {
				reply, err := p.client.Call(ctx, r.canisters[at], r.canisters[at], "count", nil)
				mu.Lock()
				if err == nil {
					err = r.told(at, reply)
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
	clients.Wait()
	return errors.Join(failed, ctx.Err())
}
