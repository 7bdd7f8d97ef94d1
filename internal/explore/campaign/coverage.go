package campaign

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Coverage counts how much of the possible behavior the runs have shown. Each number stops at maxCovered.
type Coverage struct {
	// Distinct is the number of different runs. Two runs are the same if each canister executed the same messages in the
	// same order, and each message ended in the same way.
	Distinct int
	// Races is the number of pairs of messages of different operations that a canister executed in direct succession, and
	// Reversed how many of these pairs were executed in both orders.
	Races, Reversed int
	// Edges is the number of pairs of kinds of messages that a canister executed in direct succession. Messages of one
	// kind call the same method, or answer its calls, and end in the same way.
	Edges int
	// Faults is the number of faults that messages can have, and Tried how many of them happened in a run.
	Faults, Tried int
	// Blocks is the number of blocks of code that ran, each module by itself: 0 if they are not recorded (Config.Setup.Blocks).
	Blocks int
}

// String returns the coverage in words.
func (c *Coverage) String() string {
	text := fmt.Sprintf("%d different runs, %d of %d races in both orders, %d edges, %d of %d faults", c.Distinct, c.Reversed, c.Races, c.Edges, c.Tried, c.Faults)
	if c.Blocks > 0 {
		text += fmt.Sprintf(", %d blocks", c.Blocks)
	}
	return text
}

// coverage updates the Coverage of a report, one run after the other.
type coverage struct {
	*Coverage // of the report
	kinds     kinds
	messages  map[string]numbered
	runs      map[uint64]bool   // by hash
	races     map[[2]int32]bool // numbers of messages, in the order of their execution
	edges     map[[2]int32]bool // numbers of kinds, in the order of their execution
	faults    map[harness.Fault]bool
	blocks    blockSet
	latest    []executed // of the present run, by number of the canister
}

// numbered is a message, with its number and the number of the first message of its operation.
type numbered struct{ number, operation int32 }

// executed is what a canister has executed in the present run.
type executed struct {
	any     bool
	message numbered // the latest
	kind    int32    // of the latest
	hash    uint64   // of all
}

func newCoverage(of *Coverage) *coverage {
	return &coverage{
		Coverage: of, kinds: newKinds(), messages: make(map[string]numbered), runs: make(map[uint64]bool), races: make(map[[2]int32]bool),
		edges: make(map[[2]int32]bool), faults: make(map[harness.Fault]bool),
	}
}

// add counts a run.
func (c *coverage) add(o *outcome) {
	clear(c.latest)
	for _, s := range o.steps {
		k, m := c.kinds.of(s), c.message(s.Move)
		if int(k.canister) == len(c.latest) {
			c.latest = append(c.latest, executed{})
		}
		at := &c.latest[k.canister]
		if at.any {
			c.addEdge(at.kind, k.number)
			c.addRace(at.message, m)
		}
		*at = executed{true, m, k.number, mix(at.hash, uint64(m.number)<<32|uint64(k.number))}
	}
	c.addRun()
	c.addFaults(o)
	c.blocks.addAll(o.steps)
	c.Blocks = c.blocks.count
}

// message returns the number of a message. Beyond maxCovered, all messages share the zero value.
func (c *coverage) message(move string) numbered {
	m, known := c.messages[move]
	if known || len(c.messages) >= maxCovered {
		return m
	}
	m = numbered{int32(len(c.messages)), int32(len(c.messages))}
	operation := harness.OperationOf(move)
	if operation != move {
		m.operation = c.message(operation).number
		m.number = int32(len(c.messages))
	}
	c.messages[move] = m
	return m
}

func (c *coverage) addEdge(first, second int32) {
	if len(c.edges) < maxCovered {
		c.edges[[2]int32{first, second}] = true
		c.Edges = len(c.edges)
	}
}

// addRace counts a pair of messages, unless they belong to the same operation.
func (c *coverage) addRace(first, second numbered) {
	if first.operation == second.operation {
		return
	}
	pair, reversed := [2]int32{first.number, second.number}, [2]int32{second.number, first.number}
	if c.races[pair] || len(c.races) >= 2*maxCovered {
		return
	}
	c.races[pair] = true
	if c.races[reversed] {
		c.Reversed++
	} else {
		c.Races++
	}
}

// addRun counts the run by a hash of what each canister executed.
func (c *coverage) addRun() {
	hash := uint64(0)
	for i := range c.latest {
		hash = mix(hash, c.latest[i].hash)
	}
	if len(c.runs) < maxCovered {
		c.runs[hash] = true
		c.Distinct = len(c.runs)
	}
}

// addFaults counts the faults that happened.
func (c *coverage) addFaults(o *outcome) {
	for _, f := range o.plan {
		if len(c.faults) < maxCovered && !c.faults[f] && o.hasFault(f) {
			c.faults[f] = true
			c.Tried = len(c.faults)
		}
	}
}

// mix adds a number to a hash (the finalizer of splitmix64).
func mix(hash, next uint64) uint64 {
	hash = (hash ^ next) + 0x9e3779b97f4a7c15
	hash = (hash ^ hash>>30) * 0xbf58476d1ce4e5b9
	hash = (hash ^ hash>>27) * 0x94d049bb133111eb
	return hash ^ hash>>31
}
