package driver

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestProcessorsLetNoMoreThanTheirNumberRun(t *testing.T) {
	p := NewProcessors(3, nil)
	var running, most atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		var driver usage
		for range 4 {
			all.Go(func() {
				for range 500 {
					begun := p.acquire(&driver)
					now := running.Add(1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					running.Add(-1)
					p.release(&driver, begun)
				}
			})
		}
	}
	all.Wait()
	if most.Load() > 3 {
		t.Errorf("%d messages ran at once, of at most 3", most.Load())
	}
	if p.free.Load() != 3 || p.waiting.Load() != 0 || len(p.queue) != 0 {
		t.Errorf("at the end %d are free and %d wait", p.free.Load(), p.waiting.Load())
	}
}

// Eight drivers are busy with two messages each, of which a slice takes 5 units. A driver that had
// nothing to do until then is let through when the first slice ends.
func TestAnIdleNodeGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now atomic.Int64
		now.Store(1)
		p := NewProcessors(1, now.Load)
		var busy [8]usage
		next := make(chan struct{})
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for range 3 {
					begun := p.acquire(&busy[i%8])
					<-next
					p.release(&busy[i%8], begun)
				}
			})
		}
		slice := func() {
			synctest.Wait()
			now.Add(5)
			next <- struct{}{}
		}
		for range 20 {
			slice()
		}
		synctest.Wait()
		var innocent usage
		found := false
		all.Go(func() {
			begun := p.acquire(&innocent)
			found = true
			p.release(&innocent, begun)
		})
		slice()
		synctest.Wait()
		if !found {
			t.Error("after one slice the message of an idle driver still waits")
		}
		least, most := busy[0].finish.Load(), busy[0].finish.Load()
		for i := range busy {
			least, most = min(least, busy[i].finish.Load()), max(most, busy[i].finish.Load())
		}
		if most-least > 10 {
			t.Errorf("busy drivers used from %d to %d", least, most)
		}
		for range 16*3 - 21 {
			slice()
		}
		all.Wait()
	})
}
