package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// load is what clients do. Each phase has connections of its own.
type load struct {
	process   *process
	module    []byte
	canisters []principal.Principal // one for each worker that needs one of its own, and one that is called by others
	counted   []uint64              // by the canister of each worker, which alone uses its entry

	client *client.Client
	daemon *remote.Daemon

	mu       sync.Mutex // guards what follows
	answered []answered // updates, by the second; the last answersKept of them
	done     map[string]int
}

// answered is how many updates were answered in a second.
type answered struct {
	second int64 // of Unix time
	count  int64
}

// worker does one thing again and again.
type worker struct {
	name  string
	pause time.Duration // after each time
	do    func(l *load, ctx context.Context, own int) error
}

// workers are the load: about 250 requests a second.
var workers = []worker{
	{"update", 50 * time.Millisecond, (*load).count},
	{"update", 50 * time.Millisecond, (*load).count},
	{"update", 50 * time.Millisecond, (*load).count},
	{"query", 20 * time.Millisecond, (*load).read},
	{"query", 20 * time.Millisecond, (*load).read},
	{"call between canisters", 50 * time.Millisecond, (*load).ask},
	{"call between canisters", 50 * time.Millisecond, (*load).ask},
	{"trap after an await", 100 * time.Millisecond, (*load).askTrap},
	{"trap", 100 * time.Millisecond, (*load).trap},
	{"dirty pages", 100 * time.Millisecond, (*load).dirty},
	{"reinstallation", 2 * time.Second, (*load).reinstall},
	{"fork", 5 * time.Second, (*load).fork},
	{"snapshot", 5 * time.Second, (*load).snapshot},
	{"instance", 10 * time.Second, (*load).instance},
	{"connection", time.Second, (*load).connect},
	{"watch of events", time.Second, (*load).watch},
}

// prepare makes the canisters. One has a timer that fires every second from then on.
func (l *load) prepare(ctx context.Context) (err error) {
	l.counted, l.done = make([]uint64, len(workers)), make(map[string]int)
	if l.module, err = wat.Assemble(loaded); err != nil {
		return err
	}
	if err := l.connectAll(ctx); err != nil {
		return err
	}
	defer l.disconnect()
	for range len(workers) + 1 {
		made, err := l.daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{})
		if err != nil {
			return fmt.Errorf("making a canister: %w", err)
		}
		id, err := principal.Parse(made.CanisterId)
		if err == nil {
			err = l.install(ctx, "", id)
		}
		if err != nil {
			return err
		}
		l.canisters = append(l.canisters, id)
	}
	return l.update(ctx, l.shared(), "tick", nil, nil)
}

// shared is the canister that others call.
func (l *load) shared() principal.Principal { return l.canisters[len(l.canisters)-1] }

func (l *load) connectAll(ctx context.Context) (err error) {
	if l.daemon, err = remote.Dial("unix://" + l.process.socket); err != nil {
		return err
	}
	l.client, err = client.Dial(ctx, l.process.url)
	return err
}

func (l *load) disconnect() {
	l.client.Close()
	_ = l.daemon.Close() // nothing is under way
}

// run has all workers work for a time. The first failure ends it.
func (l *load) run(ctx context.Context, length time.Duration) error {
	if err := l.connectAll(ctx); err != nil {
		return err
	}
	defer l.disconnect()
	phase, end := context.WithTimeout(ctx, length)
	defer end()
	var all sync.WaitGroup
	failures := make([]error, len(workers))
	for own, w := range workers {
		all.Go(func() {
			for phase.Err() == nil {
				if err := w.do(l, ctx, own); err != nil {
					failures[own] = fmt.Errorf("%s: %w", w.name, err)
					end()
				}
				l.note(w.name)
				select {
				case <-phase.Done():
				case <-time.After(w.pause):
				}
			}
		})
	}
	all.Wait()
	return errors.Join(append(failures, ctx.Err())...)
}

func (l *load) note(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done[name]++
}

// noteAnswer counts an update that was answered, and forgets the old ones.
func (l *load) noteAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now().Unix()
	if n := len(l.answered); n == 0 || l.answered[n-1].second != now {
		l.answered = append(l.answered, answered{second: now})
	}
	l.answered[len(l.answered)-1].count++
	for l.answered[0].second < now-int64(answersKept/time.Second) {
		l.answered = l.answered[1:]
	}
}

// answers is how many updates were answered within answersKept.
func (l *load) answers() (count int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now().Add(-answersKept).Unix()
	for _, a := range l.answered {
		if a.second >= since {
			count += a.count
		}
	}
	return count
}

// update makes an update, and gives a reply of eight bytes to number, if it is not nil.
func (l *load) update(ctx context.Context, id principal.Principal, method string, arg []byte, number *uint64) error {
	reply, err := l.client.Call(ctx, id, id, method, arg)
	var reject *client.Reject
	if err == nil || errors.As(err, &reject) {
		l.noteAnswer()
	}
	if err != nil || number == nil {
		return err
	}
	return decode(reply, number)
}

func decode(reply []byte, number *uint64) error {
	if len(reply) != 8 {
		return fmt.Errorf("a reply of %d bytes, want 8", len(reply))
	}
	*number = binary.LittleEndian.Uint64(reply)
	return nil
}

func (l *load) count(ctx context.Context, own int) error {
	var now uint64
	if err := l.update(ctx, l.canisters[own], "count", nil, &now); err != nil {
		return err
	}
	if want := l.counted[own] + 1; now != want {
		return fmt.Errorf("the canister has counted to %d, want %d", now, want)
	}
	l.counted[own] = now
	return nil
}

func (l *load) read(ctx context.Context, own int) error {
	var number uint64
	reply, err := l.client.Query(ctx, l.canisters[own], l.canisters[own], "read", nil)
	if err != nil {
		return err
	}
	return decode(reply, &number)
}

func (l *load) ask(ctx context.Context, own int) error {
	var number uint64
	return l.update(ctx, l.canisters[own], "ask", l.shared().Bytes(), &number)
}

// rejected expects a trap.
func rejected(err error) error {
	var reject *client.Reject
	if errors.As(err, &reject) && reject.Code == 5 {
		return nil
	}
	return fmt.Errorf("%w, want reject code 5 of a trap", err)
}

func (l *load) askTrap(ctx context.Context, own int) error {
	return rejected(l.update(ctx, l.canisters[own], "ask_trap", l.shared().Bytes(), nil))
}

func (l *load) trap(ctx context.Context, own int) error {
	return rejected(l.update(ctx, l.canisters[own], "trap", nil, nil))
}

func (l *load) dirty(ctx context.Context, own int) error {
	return l.update(ctx, l.canisters[own], "dirty", nil, nil)
}

func (l *load) reinstall(ctx context.Context, own int) error {
	return l.install(ctx, "", l.canisters[own])
}

func (l *load) install(ctx context.Context, instance string, id principal.Principal) error {
	head := &controlv1.InstallHead{Instance: instance, CanisterId: id.String(), Mode: controlv1.InstallMode_INSTALL_MODE_REINSTALL}
	if _, err := l.daemon.Install(ctx, head, bytes.NewReader(l.module), nil); err != nil {
		return fmt.Errorf("installing a canister: %w", err)
	}
	return nil
}

func (l *load) fork(ctx context.Context, _ int) error {
	forked, err := l.daemon.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{})
	if err != nil {
		return err
	}
	return l.deleteInstance(ctx, forked.Instance.Name)
}

func (l *load) deleteInstance(ctx context.Context, name string) error {
	_, err := l.daemon.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name})
	return err
}

func (l *load) snapshot(ctx context.Context, _ int) error {
	const name = "soak"
	if _, err := l.daemon.Instances.TakeSnapshot(ctx, &controlv1.TakeSnapshotRequest{Snapshot: name, Replace: true}); err != nil {
		return err
	}
	_, err := l.daemon.Instances.DeleteSnapshot(ctx, &controlv1.DeleteSnapshotRequest{Snapshot: name})
	return err
}

// instance makes an instance with a canister, and deletes it.
func (l *load) instance(ctx context.Context, _ int) error {
	made, err := l.daemon.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{})
	if err != nil {
		return err
	}
	name := made.Instance.Name
	created, err := l.daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{Instance: name})
	if err != nil {
		return err
	}
	id, err := principal.Parse(created.CanisterId)
	if err == nil {
		err = l.install(ctx, name, id)
	}
	return errors.Join(err, l.deleteInstance(ctx, name))
}

// connect reads over a connection of its own.
func (l *load) connect(ctx context.Context, own int) error {
	c, err := client.Dial(ctx, l.process.url)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Query(ctx, l.canisters[own], l.canisters[own], "read", nil)
	return err
}

// watch watches events for a second.
func (l *load) watch(ctx context.Context, _ int) error {
	ctx, end := context.WithCancel(ctx)
	defer time.AfterFunc(time.Second, end).Stop()
	defer end()
	err := l.daemon.Watch(ctx, &controlv1.WatchRequest{}, func(*controlv1.Event) error { return nil })
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("the events ended: %w", err)
}
