package campaign

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/replica"
)

// table is the different values of a record: a value is written where it comes first, and is a number where it comes
// again. Runs of the same operations have most of their steps in common.
type table[T any] struct {
	archive  func(*archive.Coder, *T)
	recorder archive.Recorder
	scratch  []byte
	numbers  map[string]int // writing: by bytes
	known    map[*T]int     // writing: by address, of shared values
	values   []*T           // reading
}

func newTable[T any](each func(*archive.Coder, *T)) *table[T] {
	return &table[T]{archive: each, numbers: make(map[string]int), known: make(map[*T]int)}
}

// value writes or reads a value.
func (t *table[T]) value(c *archive.Coder, v *T) {
	if c.Reading() {
		*v = *t.read(c)
		return
	}
	t.write(c, v)
}

// shared writes or reads a value that several have and that none changes: runs that began with the same messages have the
// same steps, not only equal ones. Its bytes are compared once.
func (t *table[T]) shared(c *archive.Coder, v **T) {
	if c.Reading() {
		*v = t.read(c)
		return
	}
	number, known := t.known[*v]
	if known {
		archive.Number(c, &number)
		return
	}
	t.known[*v] = t.write(c, *v)
}

func (t *table[T]) read(c *archive.Coder) *T {
	number := 0
	archive.Number(c, &number)
	if number < len(t.values) {
		return t.values[number]
	}
	v := new(T)
	if c.Check(number == len(t.values), "value %d comes before value %d", number, len(t.values)) {
		t.archive(c, v)
		t.values = append(t.values, v)
	}
	return v
}

func (t *table[T]) write(c *archive.Coder, v *T) (number int) {
	t.scratch, _ = t.recorder.Append(t.scratch[:0], func(c *archive.Coder) { t.archive(c, v) }) // the record fails, too
	number, known := t.numbers[string(t.scratch)]
	if !known {
		number = len(t.numbers)
		t.numbers[string(t.scratch)] = number
	}
	archive.Number(c, &number)
	if !known {
		t.archive(c, v)
	}
	return number
}

// archiveResults writes or reads results. The plan of a run is the plan of its job, and what did not apply of it is of no
// interest.
func archiveResults(c *archive.Coder, results *[]Result) {
	blocks := archivedBlocks(c, *results)
	answers, violations := newTable(archiveAnswer), newTable(archiveViolation)
	steps := newTable(func(c *archive.Coder, s *harness.Step) {
		archiveStep(c, s)
		archive.Slice(c, &s.Blocks, archive.MaxItems, func(b **harness.Blocks) { blocks.one(c, b) })
	})
	archive.Slice(c, results, MaxJobs, func(r *Result) {
		c.Bool(&r.finished)
		archive.Slice(c, &r.replied, archive.MaxItems, func(position *int) { archive.Number(c, position) })
		archive.Slice(c, &r.ran, archive.MaxItems, func(b **harness.Blocks) { blocks.one(c, b) })
		archive.Slice(c, &r.outcomes, archive.MaxItems, func(o *outcome) {
			archive.Slice(c, &o.steps, maxMessages, func(s **harness.Step) { steps.shared(c, s) })
			archive.Slice(c, &o.answers, maxOperations, func(a *harness.Answer) { answers.value(c, a) })
			archive.Slice(c, &o.violations, archive.MaxItems, func(v *property.Violation) { violations.value(c, v) })
			archive.Slice(c, &o.reached, archive.MaxItems, c.Bool)
			archive.Slice(c, &o.values, archive.MaxItems, func(text *string) { archive.String(c, text, archive.MaxBytes) })
			c.Bool(&o.unfinished)
			c.Bool(&o.partial)
			if archive.String(c, &o.phase, archive.MaxBytes); o.phase != "" { // the run of a case, whose job has no plan
				archive.Slice(c, (*[]harness.Fault)(&o.plan), maxMessages, func(f *harness.Fault) { archiveFault(c, f) })
			}
		})
	})
}

// blockTable has the different blocks of the messages of results. They are written before the steps that refer to them.
type blockTable struct {
	all     []*harness.Blocks
	numbers map[*harness.Blocks]int
}

// archivedBlocks writes or reads the blocks of some results.
func archivedBlocks(c *archive.Coder, results []Result) *blockTable {
	t := &blockTable{numbers: make(map[*harness.Blocks]int)}
	for i := range results {
		t.add(results[i].ran)
		for n := range results[i].outcomes {
			for _, s := range results[i].outcomes[n].steps {
				t.add(s.Blocks)
			}
		}
	}
	archive.Slice(c, &t.all, archive.MaxItems, func(b **harness.Blocks) { archiveBlocks(c, b) })
	return t
}

func (t *blockTable) add(blocks []*harness.Blocks) {
	for _, b := range blocks {
		if _, known := t.numbers[b]; !known {
			t.numbers[b] = len(t.all)
			t.all = append(t.all, b)
		}
	}
}

// one writes or reads which blocks of the table these are.
func (t *blockTable) one(c *archive.Coder, b **harness.Blocks) {
	number := t.numbers[*b]
	archive.Number(c, &number)
	if c.Reading() && c.Check(number < len(t.all), "a message ran blocks %d of %d", number, len(t.all)) {
		*b = t.all[number]
	}
}

func archiveBlocks(c *archive.Coder, b **harness.Blocks) {
	if c.Reading() {
		*b = new(harness.Blocks)
	}
	c.Fixed((*b).Module[:])
	archive.Slice(c, &(*b).Bits, archive.MaxItems, func(bit *uint32) { archive.AtMost(c, bit, maxBlock) })
}

func archiveStep(c *archive.Coder, s *harness.Step) {
	archive.String(c, &s.Move, archive.MaxBytes)
	archive.String(c, &s.Context, archive.MaxBytes)
	archive.AtMost(c, &s.Kind, replica.MoveResume)
	archive.Number(c, &s.Entry)
	c.Principal(&s.Canister)
	c.Principal(&s.Peer)
	c.Principal(&s.Subnet)
	archive.String(c, &s.Method, archive.MaxBytes)
	c.Bool(&s.Bounded)
	archive.AtMost(c, &s.Fault, harness.OtherAnswer)
	archive.Slice(c, &s.Calls, archive.MaxItems, func(made *harness.CallMade) {
		archive.String(c, &made.Name, archive.MaxBytes)
		c.Principal(&made.Callee)
		archive.String(c, &made.Method, archive.MaxBytes)
		c.Bool(&made.Bounded)
	})
	archive.Pointer(c, &s.Rejected, func(r *intercanister.Reject) { archiveReject(c, r) })
	archive.Pointer(c, &s.Failure, func(r *intercanister.Reject) { archiveReject(c, r) })
	c.Bool(&s.Cleaned)
	c.Bool(&s.Dropped)
	archive.Number(c, &s.Dirty)
	c.Bool(&s.Began)
	c.Bool(&s.Timer)
	c.Bool(&s.Due)
	c.Bool(&s.Outcall)
	archive.Number(c, &s.Waited)
	c.Bool(&s.Over)
}

func archiveReject(c *archive.Coder, r *intercanister.Reject) {
	archive.Number(c, &r.Code)
	archive.Number(c, &r.Error)
	archive.String(c, &r.Text, archive.MaxBytes)
	c.Bool(&r.HideErrorCode)
}

func archiveAnswer(c *archive.Coder, a *harness.Answer) {
	archive.String(c, &a.Operation, archive.MaxBytes)
	archive.Number(c, &a.Position)
	c.Bytes(&a.Reply, archive.MaxBytes)
	archive.Pointer(c, &a.Reject, func(r *intercanister.Reject) { archiveReject(c, r) })
	c.Bool(&a.Open)
}

func archiveViolation(c *archive.Coder, v *property.Violation) {
	archive.String(c, &v.Property, archive.MaxBytes)
	c.Principal(&v.Canister)
	archive.String(c, &v.Method, archive.MaxBytes)
	archive.String(c, &v.At, archive.MaxBytes)
	archive.String(c, &v.Text, archive.MaxBytes)
	c.Bool(&v.Suspicion)
}
