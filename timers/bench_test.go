package timers

import (
	"container/heap"
	"testing"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// turnover lets one deadline fire and adds another, n times, in a table that always
// holds count of them.
func turnover(count int) ratio.Work {
	var table Table
	for i := range count {
		table.Add(Deadline{At: scattered(i)})
	}
	i := 0
	return func(n int) {
		for range n {
			at, _ := table.Next()
			table.Pop(at)
			table.Add(Deadline{At: at + scattered(i)})
			i++
		}
	}
}

// scattered is a time that has nothing to do with the order of insertion.
func scattered(i int) uint64 { return uint64(i) * 2654435761 % 1_000_003 }

// ordered is a queue of deadlines as the standard library makes them.
type ordered []Deadline

func (o ordered) Len() int           { return len(o) }
func (o ordered) Less(i, j int) bool { return o[i].At < o[j].At }
func (o ordered) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }
func (o *ordered) Push(d any)        { *o = append(*o, d.(Deadline)) }
func (o *ordered) Pop() any {
	last := len(*o) - 1
	d := (*o)[last]
	*o = (*o)[:last]
	return d
}

func peer(count int) ratio.Work {
	var queue ordered
	for i := range count {
		heap.Push(&queue, Deadline{At: scattered(i)})
	}
	i := 0
	return func(n int) {
		for range n {
			d := heap.Pop(&queue).(Deadline)
			heap.Push(&queue, Deadline{At: d.At + scattered(i)})
			i++
		}
	}
}

// BenchmarkRatioAMillionTimers is to let one deadline of a million fire and add another;
// the floor is the same with container/heap, which can remove none before its time, and can only be forked by a copy.
// Only the first page of keys is sorted; the miss of the cache that is left is that of the deadline.
func BenchmarkRatioAMillionTimers(b *testing.B) {
	ratio.Compare(b, 0.84, turnover(1_000_000), peer(1_000_000))
}

// BenchmarkRatioAMillionTimersAgainstAThousand shows that the cost grows with the logarithm of
// their number, which doubles; the rest of the ratio is memory that a thousand find
// in the cache.
func BenchmarkRatioAMillionTimersAgainstAThousand(b *testing.B) {
	ratio.Compare(b, 9, turnover(1_000_000), turnover(1000))
}
