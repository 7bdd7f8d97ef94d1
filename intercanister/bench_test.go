package intercanister

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// line is the least-squares line through points (x, y): its slope and the
// correlation of the two.
func line(xs, ys []float64) (slope, correlation float64) {
	var sx, sy, sxx, sxy, syy float64
	n := float64(len(xs))
	for i, x := range xs {
		y := ys[i]
		sx, sy, sxx, sxy, syy = sx+x, sy+y, sxx+x*x, sxy+x*y, syy+y*y
	}
	slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return slope, (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

// BenchmarkRatioBytesOfARegisteredFuture is the memory of one call that waits for its
// answer, by least squares over up to a million of them; the floor is its record
// alone. The limit is 204 bytes. The metric r is the coefficient of correlation.
func BenchmarkRatioBytesOfARegisteredFuture(b *testing.B) {
	var slope, r float64
	for b.Loop() {
		var xs, ys []float64
		for _, count := range []int{1, 10, 100, 1000, 2000, 5000, 10_000, 20_000, 50_000, 1_000_000} {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			l, m := register(count)
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(l)
			runtime.KeepAlive(m)
			xs, ys = append(xs, float64(count)), append(ys, float64(after.HeapAlloc)-float64(before.HeapAlloc))
		}
		slope, r = line(xs, ys)
	}
	record := float64(unsafe.Sizeof(Future{}))
	ratio.ReportBytes(b, maxFutureBytes/record, slope, record)
	b.ReportMetric(r, "r")
}

// BenchmarkRatioCallAndAnswerInTheCallTable is all that call table and mailboxes do for one call
// and its answer; the floor is copying the records that move.
func BenchmarkRatioCallAndAnswerInTheCallTable(b *testing.B) {
	var l CallTable
	caller, callee := Mailbox{Owner: principal.Canister(1)}, Mailbox{Owner: principal.Canister(2)}
	c := l.Open(&caller, Origin{Kind: FromIngress}, cycles.Amount{}, 0)
	var in, out Input
	ratio.Compare(b, 18, ratio.Each(func() { callAndAnswer(&l, c.ID, &caller, &callee, &in) }), ratio.Each(func() { out, in = in, out }))
}
