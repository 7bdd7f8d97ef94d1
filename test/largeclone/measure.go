package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/test/resources"
)

// cost is what something took: its duration, and how much more memory each process had at most.
type cost struct {
	took   time.Duration
	growth map[string]int64
}

func (c cost) String() string {
	var all []string
	for _, name := range []string{"source", "destination", "command"} {
		all = append(all, fmt.Sprintf("%s +%d MiB", name, c.growth[name]>>20))
	}
	return fmt.Sprintf("%.1f s, %s", c.took.Seconds(), strings.Join(all, ", "))
}

// check compares the cost of a clone with that of an export and import.
func (c cost) check(floor cost) (err error) {
	if c.took > maxRatio*floor.took {
		err = fmt.Errorf("the clone takes %.1f s, and may take %d times %.1f s", c.took.Seconds(), maxRatio, floor.took.Seconds())
	}
	for name, bytes := range c.growth {
		if bytes > maxGrowth {
			err = errors.Join(err, fmt.Errorf("the %s takes %d MiB more than before, and may take %d MiB", name, bytes>>20, maxGrowth>>20))
		}
	}
	return err
}

// timed measures something.
func (r *run) timed(ctx context.Context, do func(r *run, ctx context.Context) error) (c cost, err error) {
	c.growth = map[string]int64{}
	before := map[string]int64{}
	pids := func() map[string]int {
		return map[string]int{"source": r.from.cmd.Process.Pid, "destination": r.to.cmd.Process.Pid, "command": int(r.running.Load())}
	}
	for name, pid := range pids() {
		if pid != 0 {
			before[name] = resources.Memory(pid)
		}
	}
	over := make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() {
		for tick := time.NewTicker(sampleEvery); ; {
			select {
			case <-over:
				tick.Stop()
				return
			case <-tick.C:
			}
			for name, pid := range pids() {
				if pid != 0 {
					c.growth[name] = max(c.growth[name], resources.Memory(pid)-before[name])
				}
			}
		}
	})
	began := time.Now()
	err = do(r, ctx)
	c.took = time.Since(began)
	close(over)
	sampling.Wait()
	return c, err
}
