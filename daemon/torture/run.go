package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest/wat"
)

// counting is a canister that adds one to a number in its stable memory with each update, and gives it.
const counting = `(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory (export "memory") 1)
	(func (export "canister_update count")
		(i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
		(call $append (i32.const 0) (i32.const 8)) (call $reply)))`

// run is some lives of a daemon with one state directory.
type run struct {
	options
	random       *rand.Rand
	canisters    []principal.Principal
	counted      []uint64 // by each canister, as its client was told last
	acknowledged int
	lost         int
	slowest      time.Duration
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
	module, err := wat.Assemble(counting)
	if err != nil {
		return err
	}
	for range r.clients {
		id, err := deploy(ctx, p.client, home, module)
		if err != nil {
			return err
		}
		r.canisters = append(r.canisters, id)
	}
	r.counted = make([]uint64, r.clients)
	return nil
}

func deploy(ctx context.Context, c *client.Client, home principal.Principal, module []byte) (principal.Principal, error) {
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	type mode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	arg, err := candid.Marshal(struct{}{})
	if err != nil {
		return principal.Principal{}, err
	}
	reply, err := c.Call(ctx, principal.Management, home, "provisional_create_canister_with_cycles", arg)
	if err == nil {
		err = candid.Unmarshal(reply, &created)
	}
	if err != nil {
		return principal.Principal{}, err
	}
	arg, err = candid.Marshal(struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, created.Canister, module, nil})
	if err == nil {
		_, err = c.Call(ctx, principal.Management, created.Canister, "install_code", arg)
	}
	return created.Canister, err
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
				if err == nil && len(reply) == 8 {
					r.told(at, binary.LittleEndian.Uint64(reply))
				} else if !killed.Load() {
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

// told notes what a canister answers: it has counted on from what its client was told before, or further, where the
// answer to an update was lost with the process that made it.
func (r *run) told(at int, now uint64) {
	if before := r.counted[at]; now <= before {
		r.lost += int(before - now + 1)
	}
	r.counted[at] = now
	r.acknowledged++
}
