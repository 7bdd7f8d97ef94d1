// Package ratio measures something against its floor, for benchmarks named
// BenchmarkRatio…, whose table test/bench prints.
//
// A limit without a reason of its own is about half above the ratio of an idle machine of two cores: quiet runs differ by
// less, and mistakes cost more.
//
// It owns how the two are measured together: in turns, in chunks that take about
// as long, and as the lower quartile or the least of the chunks, so that whatever
// else the machine does falls on both alike, or on neither. It must not know what is
// measured. Only tests import it.
package ratio

import (
	"math"
	"slices"
	"testing"
	"time"
)

// chunk is the least time of one turn: long against the clock, short against what
// disturbs a machine.
const chunk = time.Millisecond

// confirmations is how often a chunk must be full before its size is taken.
const confirmations = 3

// A run takes at least this many turns of each side, or fewer of those that take long: several runs follow.
const (
	turns     = 7
	slowTurns = 3               // once they have taken slow
	slow      = 3 * time.Second // all turns of a run
)

// Work is an operation done n times.
type Work func(n int)

// Each makes work of an operation.
func Each(do func()) Work {
	return func(n int) {
		for range n {
			do()
		}
	}
}

// Sample is what one operation of each side took, in nanoseconds, turn by turn. The CPU times are those of this process,
// all of its goroutines included; there are none if the sides time themselves, or the system does not tell.
type Sample struct {
	Measured, Floor       []float64
	MeasuredCPU, FloorCPU []float64
}

// Take lets both sides work in turns until the benchmark's time is over.
func Take(b *testing.B, measured, floor Work) Sample {
	b.Helper()
	return take(b, cpuTime, measured, floor)
}

// take is Take with a clock of the processor time that counts, in nanoseconds; it is 0 where the system does not tell.
func take(b *testing.B, cpuTime func() int64, measured, floor Work) Sample {
	b.Helper()
	m, f := fill(measured), fill(floor)
	var s Sample
	side := func(work Work, n int, cpu *[]float64) func() float64 {
		return func() float64 {
			before := cpuTime()
			took := per(work, n)
			if before > 0 {
				*cpu = append(*cpu, float64(cpuTime()-before)/float64(n))
			}
			return took
		}
	}
	s.take(b, 0, side(measured, m, &s.MeasuredCPU), side(floor, f, &s.FloorCPU))
	return s
}

// TakeTimed is Take for sides that time one operation themselves, since something
// must be prepared that does not count.
func TakeTimed(b *testing.B, measured, floor func() time.Duration) Sample {
	b.Helper()
	var s Sample
	s.take(b, 0, func() float64 { return float64(measured()) }, func() float64 { return float64(floor()) })
	return s
}

func (s *Sample) take(b *testing.B, least int, measured, floor func() float64) {
	b.Helper()
	for b.Loop() {
		s.turn(measured, floor)
	}
	more(least, func() int { return len(s.Measured) }, func() { s.turn(measured, floor) })
}

func (s *Sample) turn(measured, floor func() float64) {
	s.Measured = append(s.Measured, measured())
	s.Floor = append(s.Floor, floor())
}

// more takes the turns that a run still lacks: at least a number of them, however long they take.
func more(least int, taken func() int, turn func()) {
	for begin := time.Now(); taken() < least || taken() < turns && (taken() < slowTurns || time.Since(begin) < slow); {
		turn()
	}
}

// fill is how many operations fill a chunk; it warms the work up. The work must take as long
// several times: a chunk that was disturbed once would be far too small, and then the clock and
// cold caches are measured.
func fill(work Work) int {
	for n := 1; ; n *= 2 {
		full := 0
		for full < confirmations && per(work, n)*float64(n) >= float64(chunk) {
			full++
		}
		if full == confirmations || n >= 1<<24 {
			return n
		}
	}
}

// per is the time of one of n operations.
func per(work Work, n int) float64 {
	start := time.Now()
	work(n)
	return float64(time.Since(start)) / float64(n)
}

// Quartile is the time that a quarter of the turns stay below: the sample of work
// with a life of its own (goroutines, memory, files), on a machine that does other
// things most of the time.
func (s Sample) Quartile() (measured, floor float64) {
	return quartile(s.Measured), quartile(s.Floor)
}

// Least is the fastest of the turns: the sample of computation that takes long.
func (s Sample) Least() (measured, floor float64) {
	return slices.Min(s.Measured), slices.Min(s.Floor)
}

// Mean is the mean of the turns. It is the sample of work whose bursts are to count.
func (s Sample) Mean() (measured, floor float64) { return mean(s.Measured), mean(s.Floor) }

// spread reports what the quartile hides of the measured side.
func (s Sample) spread(b *testing.B) {
	b.Helper()
	b.ReportMetric(mean(s.Measured), "mean-ns")
	sorted := slices.Sorted(slices.Values(s.Measured))
	b.ReportMetric(sorted[len(sorted)*99/100], "p99-ns")
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func quartile(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/4]
}

// Compare takes a sample and reports its quartiles. It returns what it reports as measured.
func Compare(b *testing.B, limit float64, measured, floor Work) (reported float64) {
	b.Helper()
	return row(b, limit, Take(b, measured, floor), Sample.Quartile)
}

// CompareServed is Compare of work that another process does part of: the processor time that it has used counts as well.
func CompareServed(b *testing.B, limit float64, used func() time.Duration, measured, floor Work) (reported float64) {
	b.Helper()
	both := func() int64 {
		own := cpuTime()
		if own > 0 {
			own += int64(used())
		}
		return own
	}
	return row(b, limit, take(b, both, measured, floor), Sample.Quartile)
}

// CompareTaken reports the quartiles of a sample that was taken.
func CompareTaken(b *testing.B, limit float64, s Sample) {
	b.Helper()
	row(b, limit, s, Sample.Quartile)
}

// CompareMean takes a sample, and reports and returns its means: the limit holds for bursts too.
func CompareMean(b *testing.B, limit float64, measured, floor Work) (reported float64) {
	b.Helper()
	return row(b, limit, Take(b, measured, floor), Sample.Mean)
}

// CompareTimed is Compare of sides that time themselves. It returns what it reports as measured.
func CompareTimed(b *testing.B, limit float64, measured, floor func() time.Duration) (reported float64) {
	b.Helper()
	return row(b, limit, TakeTimed(b, measured, floor), Sample.Quartile)
}

// CompareWithin is CompareTimed of work that also must not take longer than a bound, however fast or slow the floor is.
func CompareWithin(b *testing.B, limit float64, bound time.Duration, measured, floor func() time.Duration) {
	b.Helper()
	CompareTimed(b, limit, measured, floor)
	b.ReportMetric(float64(bound), "bound-ns")
}

// CompareLeast is CompareTimed of work that takes long enough to be disturbed almost
// every time: the least times are reported.
func CompareLeast(b *testing.B, limit float64, measured, floor func() time.Duration) {
	b.Helper()
	row(b, limit, TakeTimed(b, measured, floor), Sample.Least)
}

// Spent is what work took: the time of the clock, and of the processors that this process used. CPU is 0 where the system
// does not tell.
type Spent struct{ Wall, CPU time.Duration }

// Spend returns what the work takes.
func Spend(work func()) Spent {
	begun, before := time.Now(), cpuTime()
	work()
	return Spent{time.Since(begun), time.Duration(cpuTime() - before)}
}

// CompareSpent is CompareLeast of sides that also know the processor time of what they timed. It returns what the row
// reports as measured, in nanoseconds.
func CompareSpent(b *testing.B, limit float64, measured, floor func() Spent) (reported float64) {
	b.Helper()
	return CompareSpentOften(b, limit, 0, measured, floor)
}

// CompareSpentOften is CompareSpent with at least a number of turns, however long they take: a limit that is hardly above
// what is measured needs more of them.
func CompareSpentOften(b *testing.B, limit float64, least int, measured, floor func() Spent) (reported float64) {
	b.Helper()
	var s Sample
	side := func(work func() Spent, cpu *[]float64) func() float64 {
		return func() float64 {
			took := work()
			if took.CPU > 0 {
				*cpu = append(*cpu, float64(took.CPU))
			}
			return float64(took.Wall)
		}
	}
	s.take(b, least, side(measured, &s.MeasuredCPU), side(floor, &s.FloorCPU))
	return row(b, limit, s, Sample.Least)
}

// row reports a sample, and what its number hides.
func row(b *testing.B, limit float64, s Sample, number func(Sample) (measured, floor float64)) (reported float64) {
	b.Helper()
	measured, floor := number(s)
	Report(b, limit, measured, floor)
	if len(s.FloorCPU) > 0 {
		measured, floor := number(Sample{Measured: s.MeasuredCPU, Floor: s.FloorCPU})
		b.ReportMetric(measured/floor, "cpu-x")
	}
	s.spread(b)
	return measured
}

// Report reports a row of the table, in nanoseconds of one operation. A row with limit 0
// says why it has none ("No limit: …", internal/architecture).
func Report(b *testing.B, limit, measured, floor float64) { report(b, "ns", limit, measured, floor) }

// ReportBytes reports a row about memory.
func ReportBytes(b *testing.B, limit, measured, floor float64) {
	report(b, "bytes", limit, measured, floor)
}

func report(b *testing.B, unit string, limit, measured, floor float64) {
	b.ReportMetric(measured, "measured-"+unit)
	b.ReportMetric(floor, "floor-"+unit)
	b.ReportMetric(limit, "limit-x")
	b.ReportMetric(measured/floor, "x")
}

// Pair is one of several programs that a row is the mean of. Both sides time one
// operation.
type Pair struct {
	Name            string
	Measured, Floor func() time.Duration
}

// CompareMeans reports the geometric means of the least times of several programs
// of mere computation, and the ratio of each.
func CompareMeans(b *testing.B, limit float64, pairs []Pair) {
	b.Helper()
	samples := make([]Sample, len(pairs))
	turn := func() {
		for i, p := range pairs {
			samples[i].Measured = append(samples[i].Measured, float64(p.Measured()))
			samples[i].Floor = append(samples[i].Floor, float64(p.Floor()))
		}
	}
	for b.Loop() {
		turn()
	}
	more(0, func() int { return len(samples[0].Measured) }, turn)
	measured, floor := 0.0, 0.0
	ratios := map[string][]float64{}
	for i, s := range samples {
		m, f := s.Least()
		measured, floor = measured+math.Log(m), floor+math.Log(f)
		ratios[pairs[i].Name] = append(ratios[pairs[i].Name], math.Log(m/f))
	}
	for name, logs := range ratios {
		b.ReportMetric(math.Exp(mean(logs)), name)
	}
	n := float64(len(pairs))
	Report(b, limit, math.Exp(measured/n), math.Exp(floor/n))
}
