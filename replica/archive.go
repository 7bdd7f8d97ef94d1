package replica

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
)

// A file of a network (package archive) holds everything that a network has between two rounds. A message that was
// parked in the middle of its code begins again after Import, as in a fork. What follows from the seed and the
// configuration is computed again, and caches are dropped: delegations, freezing limits, compiled code.
//
// The sections, in order: the network (configuration), modules (a list), module HASH (of each), canisters of subnet N
// (a list), canister ID (of each), subnet N (queues, calls, deadlines, answers, streams), rounds (time and height of
// the network), tree of subnet N (what the last view shows and the state no longer contains), roots (hashes for
// comparison).

// ErrBusy means that a network cannot be exported in the middle of something.
var ErrBusy = errors.New("the network cannot be exported now")

// Export writes the network to a file, from which Import makes one at the same point: the same inputs have the same
// effects there. It never has the whole file in memory. It returns ErrBusy while a round is open, which happens only if
// Step or Ahead has begun one and not ended it; Round ends it. The network does not change.
func (n *Network) Export(w io.Writer) error {
	_, err := n.export(archive.NewWriter(w), nil)
	return err
}

// export writes the network, and its pages to a store unless the store is nil. It returns the hash
// of everything but the roots, if the Coder has one.
func (n *Network) export(c *archive.Coder, pages archive.PageStore) (state [32]byte, err error) {
	if n.open {
		return state, fmt.Errorf("%w: round %d was begun by single steps, and is not over", ErrBusy, n.height)
	}
	if n.inside() {
		n = n.Fork(ForkConfig{}) // its canisters are as before the messages that are parked
		defer n.Close()
	}
	c.StorePages(pages)
	config := n.config
	config.archive(c)
	state = n.archive(c)
	if err := c.Close(); err != nil {
		return state, fmt.Errorf("export the network: %w", err)
	}
	return state, nil
}

// Import makes a network from a file of Export. It uses only the parts of the configuration that are not state: Engine,
// Keys, Runner, Compiler, Events, Signed, Printed; everything else comes from the file. It compiles modules that the
// engine lacks. The file may hold arbitrary bytes: a fault in it is reported as an *archive.Fault with its position.
func Import(r io.Reader, config Config) (*Network, error) { return importFrom(r, nil, config) }

// importFrom reads a network, with its pages from a store unless the store is nil.
func importFrom(r io.Reader, pages archive.PageStore, config Config) (*Network, error) {
	c := archive.NewReader(bufio.NewReaderSize(r, importBuffer))
	c.StorePages(pages)
	config.archive(c)
	if c.Failed() {
		return nil, fmt.Errorf("import a network: %w", c.Err())
	}
	n, err := New(config)
	if err != nil { // the subnets belong to no network
		c.Fail("%v", err)
		return nil, fmt.Errorf("import a network: %w", c.Err())
	}
	n.archive(c)
	if err := c.Close(); err != nil {
		n.Close()
		return nil, fmt.Errorf("import a network: %w", err)
	}
	for _, m := range n.subnets {
		m.recompile()
	}
	return n, nil
}

// archive writes or reads what is not in the configuration. It returns what export does.
func (n *Network) archive(c *archive.Coder) (state [32]byte) {
	n.archiveState(c)
	state = c.Hash()
	c.Places()
	c.Section("roots", func() {
		if c.Reading() && !c.Failed() {
			n.resume(c)
		}
		n.archiveRoots(c)
	})
	return state
}

// archiveState writes or reads everything except the roots.
func (n *Network) archiveState(c *archive.Coder) {
	modules := canister.NewModules(n.config.Engine)
	if c.Reading() {
		defer modules.Close()
	} else {
		for _, m := range n.subnets {
			for r := range m.Canisters.All() {
				modules.Add(r.Canister)
			}
			for _, j := range m.paused {
				if j.Install != nil {
					modules.AddInstalled(j.Install.In)
				}
			}
		}
	}
	modules.Archive(c)
	for i, m := range n.subnets {
		m.ArchiveCanisters(c, fmt.Sprintf("canisters of subnet %d", i), modules)
	}
	for i, m := range n.subnets {
		c.Section(fmt.Sprintf("subnet %d", i), func() { m.archive(c, modules) })
	}
	c.Section("rounds", func() {
		if n.archiveRounds(c); c.Reading() && !c.Failed() {
			n.restore(c)
		}
	})
	for i, m := range n.subnets {
		c.Section(fmt.Sprintf("tree of subnet %d", i), func() { m.archiveTree(c) })
	}
	if c.Reading() && !c.Failed() {
		n.views.mu.Lock()
		n.show()
		n.views.mu.Unlock()
	}
}

// archive writes or reads the configuration of a network.
func (config *Config) archive(c *archive.Coder) {
	c.Section("network", func() {
		c.Fixed(config.Seed[:])
		archive.Number(c, &config.Start)
		archive.String(c, &config.Version, archive.MaxBytes)
		archive.Number(c, &config.SliceInstructions)
		archive.Number(c, &config.RoundInstructions)
		archive.Number(c, &config.RoundMessages)
		archive.Number(c, &config.GuaranteedMessageBytes)
		archive.Number(c, &config.BestEffortMessageBytes)
		archive.Number(c, &config.SubnetCallbacks)
		archive.Number(c, &config.StreamMessages)
		archive.Number(c, &config.IngressMessages)
		archive.Number(c, &config.SubnetCanisters)
		archive.Number(c, &config.HeldBytes)
		archive.Slice(c, &config.Subnets, MaxSubnets, func(s *SubnetConfig) { s.archive(c) })
		original := func(s SubnetConfig) bool { return !s.Added }
		c.Check(slices.ContainsFunc(config.Subnets, original), "no subnet was there at the start")
		if c.Since(archive.VersionMarks) {
			config.archiveDeleted(c)
		}
	})
	if c.Reading() {
		config.overrides.Limits = nil // their result is in the file
	}
}

// archiveDeleted writes or reads the remains of deleted subnets.
func (config *Config) archiveDeleted(c *archive.Coder) {
	archive.AtMost(c, &config.made, MaxSubnets)
	last := -1
	for i := range config.Subnets {
		number := &config.Subnets[i].number
		archive.AtMost(c, number, MaxSubnets)
		c.Check(*number > last && *number < config.made && (i > 0 || *number == 0), "subnet %d has the number %d of %d", i, *number, config.made)
		last = *number
	}
	archiveRanges(c, &config.deleted)
}

func archiveRanges(c *archive.Coder, ranges *[]Range) {
	archive.Slice(c, ranges, archive.MaxItems, func(r *Range) {
		archive.Number(c, &r.First)
		archive.Number(c, &r.Last)
	})
}

func (c *SubnetConfig) archive(a *archive.Coder) {
	archive.AtMost(a, &c.Kind, CloudEngine)
	archive.AtMost(a, &c.Nodes, maxArchivedNodes)
	a.Principal(&c.ID)
	archiveRanges(a, &c.Ranges)
	a.Bool(&c.Free)
	archive.Number(a, &c.Occupied)
	a.Bool(&c.NoRateLimits)
	archive.Slice(a, &c.Admins, archive.MaxItems, a.Principal)
	if a.Since(archive.VersionAddedSubnets) {
		a.Bool(&c.Benchmarking)
		a.Bool(&c.Added)
	}
}

// archiveRounds writes or reads the time and height of the network.
func (n *Network) archiveRounds(c *archive.Coder) {
	archive.Number(c, &n.clock)
	archive.Number(c, &n.time)
	archive.Number(c, &n.height)
	archive.Number(c, &n.generation)
	n.rules.Archive(c)
	if c.Since(archive.VersionMarks) {
		n.deleted.Archive(c)
	}
	archive.Slice(c, &n.answered, archive.MaxItems, func(id *RequestID) { archive.Hash(c, id) })
}

// archiveRoots writes the hash of the certified state of each subnet, and of the network with its uncertified state; or
// checks them against the file.
func (n *Network) archiveRoots(c *archive.Coder) {
	same := func(what string, now [32]byte) {
		written := now
		archive.Hash(c, &written)
		c.Check(written == now, "%s comes to %x, and was %x when the file was written", what, now, written)
	}
	for _, m := range n.subnets {
		same("the state of subnet "+m.ID.String(), m.staged().height().Root())
	}
	same("the network", n.RootHash())
}
