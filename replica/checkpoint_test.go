package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// pageFiles is a store of pages in memory, for the checkpoints of several networks.
type pageFiles struct {
	files map[string][]byte
	made  int
	kept  int // memories that were not written again
	open  atomic.Int64
}

// next begins a file.
func (p *pageFiles) next() { p.made++ }

func (p *pageFiles) name() string { return fmt.Sprint("pages", p.made) }

// Put implements archive.PageStore.
func (p *pageFiles) Put(b []byte) (file string, offset int64, err error) {
	if p.files == nil {
		p.files = make(map[string][]byte)
	}
	offset = int64(len(p.files[p.name()]))
	p.files[p.name()] = append(p.files[p.name()], b...)
	return p.name(), offset, nil
}

// Keep implements archive.PageStore: each third memory is copied.
func (p *pageFiles) Keep(file string, offset, size int64) (now string, at int64, err error) {
	content, found := p.files[file]
	if !found {
		return "", 0, nil
	}
	if p.kept++; p.kept%3 == 0 {
		return p.Put(content[offset:][:size])
	}
	return file, offset, nil
}

// Open implements archive.PageStore.
func (p *pageFiles) Open(file string) (archive.PageFile, error) {
	content, found := p.files[file]
	if !found {
		return nil, errors.New("it is not there")
	}
	p.open.Add(1)
	return &openPages{bytes.NewReader(content), p}, nil
}

type openPages struct {
	io.ReaderAt
	of *pageFiles
}

// Close gives the file back.
func (o *openPages) Close() error {
	o.of.open.Add(-1)
	return nil
}

// recovered is a network in the place of another, made of a checkpoint, which is closed. It has the same state. A
// network in the middle of a round stays.
func recovered(t interface{ Fatalf(string, ...any) }, n *replica.Network, config replica.Config, pages *pageFiles) *replica.Network {
	var file bytes.Buffer
	pages.next()
	state, err := n.Checkpoint(&file, pages)
	if errors.Is(err, replica.ErrBusy) {
		return n
	}
	if err != nil {
		t.Fatalf("checkpoint: %v", err)
	}
	again, err := replica.Recover(&file, pages, config)
	if err != nil {
		t.Fatalf("recover: %v", err)
	}
	for name, of := range map[string]*replica.Network{"the network": n, "the recovered one": again} {
		if hash, err := of.CheckpointHash(); err != nil || hash != state {
			t.Fatalf("%s has hash %x, and the checkpoint said %x: %v", name, hash, state, err)
		}
	}
	if one, two := n.RootHash(), again.RootHash(); one != two {
		t.Fatalf("the root hash is %x, and was %x", two, one)
	}
	n.Close()
	return again
}

func TestAScenarioGoesOnInARecoveredNetwork(t *testing.T) {
	few(t)
	th, kept := newHarness(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		every := rapid.IntRange(1, 5).Draw(rt, "every")
		saw, turn, pages := new(seen), 0, new(pageFiles)
		recoveredRun := th.runOn(d, nil, saw, func(s *real.Stage) {
			if turn++; turn%every == 0 {
				s.Network = recovered(rt, s.Network, replica.Config{Engine: th.engine, Events: saw}, pages)
			}
			s.Network.Round()
		})
		identical(rt, d, "recovered", th.run(d, nil, round), recoveredRun)
		kept += pages.kept
	})
	if kept == 0 {
		t.Error("each memory was written at each checkpoint")
	}
}

func TestRealCanistersGiveTheirTracesInRecoveredNetworks(t *testing.T) {
	occasions, every := 0, 7
	if testing.Short() {
		every = 97
	}
	var pages pageFiles
	real.ScriptsBetween(t, "testdata/real", func(t testing.TB, n *replica.Network, config replica.Config) *replica.Network {
		if occasions++; occasions%every != 0 {
			return n
		}
		return recovered(t, n, config, &pages)
	})
	if open := pages.open.Load(); open > 0 {
		t.Errorf("%d page files are still open", open)
	}
}

// Memories that are not used are not read, and the files that have them are closed with the last network that needs them.
func TestARecoveredNetworkClosesItsPageFiles(t *testing.T) {
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		pages, saw := new(pageFiles), new(seen)
		var forks []*replica.Network
		th.runOn(drawScenario(rt), nil, saw, func(s *real.Stage) {
			s.Network.Round()
			s.Network = recovered(rt, s.Network, replica.Config{Engine: th.engine, Events: saw}, pages)
			if len(forks) < 3 {
				forks = append(forks, s.Network.Fork(replica.ForkConfig{}))
			}
		})
		for _, fork := range forks {
			fork.Round()
			fork.Close()
		}
		if open := pages.open.Load(); open > 0 {
			rt.Fatalf("%d page files are open", open)
		}
	})
}
