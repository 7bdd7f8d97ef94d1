package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	// checkTime is how long the check of one history may take.
	checkTime = time.Minute
	// shownOperations is how many of the last operations of a wrong history are shown.
	shownOperations = 30
)

// operation is what a client asks the counter to do.
type operation uint8

const (
	adds operation = iota
	reads
)

// counter is the history of a canister in which all clients count, from the start of a daemon to the next start. After
// that it must be linearizable: there is an order of all operations in which each takes effect between its call and its
// answer, and has the answer of a counter. An update whose answer was lost with the daemon takes effect before its end
// or not at all.
type counter struct {
	mu      sync.Mutex // guards what follows
	from    uint64     // the count at the start
	history []porcupine.Operation
	checked int // operations of the histories before
}

// epoch is when times of operations begin.
var epoch = time.Now()

// do does an operation and notes it. The error is the one of ask: the operation is without an answer then.
func (c *counter) do(client int, what operation, ask func() ([]byte, error)) error {
	o := porcupine.Operation{ClientId: client, Input: what, Call: int64(time.Since(epoch))}
	reply, err := ask()
	if err == nil {
		o.Output, err = countOf(reply)
	}
	o.Return = int64(time.Since(epoch))
	if err != nil {
		if o.Output = nil; what == reads {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, o)
	return err
}

// check reads the counter after the next start, and checks the history that ends with that.
func (c *counter) check(read func() ([]byte, error)) error {
	gone := int64(time.Since(epoch))
	if err := c.do(0, reads, read); err != nil {
		return fmt.Errorf("reading the counter that all clients count in: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.history {
		if o := &c.history[i]; o.Output == nil {
			o.Return = gone
		}
	}
	switch porcupine.CheckOperationsTimeout(counterFrom(c.from), c.history, checkTime) {
	case porcupine.Illegal:
		return fmt.Errorf("a history of %d operations is not linearizable, which begins at %d and ends with\n%s", len(c.history), c.from, c.shown())
	case porcupine.Unknown:
		return fmt.Errorf("a history of %d operations could not be checked in %s", len(c.history), checkTime)
	case porcupine.Ok:
	}
	last, found := c.history[len(c.history)-1].Output.(uint64)
	if !found {
		return errors.New("the last reading of the counter has no answer")
	}
	c.checked += len(c.history)
	c.from, c.history = last, nil
	return nil
}

// shown are the last operations. c.mu is held.
func (c *counter) shown() string {
	var text strings.Builder
	for _, o := range c.history[max(0, len(c.history)-shownOperations):] {
		fmt.Fprintf(&text, "client %d, from %s to %s: %s\n", o.ClientId, time.Duration(o.Call), time.Duration(o.Return), described(o.Input, o.Output))
	}
	return text.String()
}

func described(input, output any) string {
	what := "add"
	if input == reads {
		what = "read"
	}
	if output == nil {
		return what + ", without an answer"
	}
	return fmt.Sprintf("%s: %d", what, output)
}

// counterFrom is a counter that begins at a number.
func counterFrom(from uint64) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{from} },
		Step: func(state, input, output any) []any {
			now := state.(uint64)
			next := now
			if input == adds {
				next++
			}
			switch output {
			case nil:
				return []any{now, next}
			case next:
				return []any{next}
			}
			return nil
		},
		DescribeOperation: described,
	}
	return model.ToModel()
}
