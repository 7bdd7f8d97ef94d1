package replica

import "iter"

// Runner runs jobs. It returns when each is over or parked at the end of a
// slice; a parked job it is given again goes on. How many run at once makes no
// difference to what comes out.
type Runner interface {
	Run(jobs []*Job)
}

// Strands runs jobs one after the other, each on a strand of its own: a
// coroutine that stays behind with the job where the job is parked. Not safe
// for concurrent use. The zero value is ready.
type Strands struct {
	// Stopwatch measures what events say a message took, in nanoseconds; nil: nothing. It is
	// asked only where somebody listens, and changes nothing.
	Stopwatch func() int64
	idle      []*strand
}

// Run runs each job to its end or to the end of its slice.
func (s *Strands) Run(jobs []*Job) {
	for _, j := range jobs {
		s.RunOne(j)
	}
}

// RunOne runs one job to its end or to the end of its slice.
func (s *Strands) RunOne(j *Job) {
	if j.strand == nil {
		s.begin(j)
		if j.parked != nil && !j.catchUp() {
			panic("replica: a message of canister " + j.resident.ID().String() + " that began anew in a fork took another way")
		}
	}
	on := j.strand
	if parked, alive := s.next(j); !alive || parked {
		return
	}
	j.over, j.strand, on.job = true, nil, nil
	s.idle = append(s.idle, on)
}

// begin gives a job a strand.
func (s *Strands) begin(j *Job) {
	j.strand = s.take()
	j.strand.job = j
}

// next lets a job go on, and measures it where somebody listens.
func (s *Strands) next(j *Job) (parked, alive bool) {
	if s.Stopwatch == nil || j.machine.net.sink == nil {
		return j.strand.next()
	}
	begin := s.Stopwatch()
	parked, alive = j.strand.next()
	j.wall += s.Stopwatch() - begin
	return parked, alive
}

// Close frees the idle strands.
func (s *Strands) Close() {
	for _, on := range s.idle {
		on.stop()
	}
	s.idle = nil
}

func (s *Strands) take() *strand {
	if n := len(s.idle); n > 0 {
		on := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return on
	}
	on := new(strand)
	on.next, on.stop = iter.Pull(on.run)
	return on
}

// strand is a coroutine that runs one job after the other: next goes on until
// the job is parked (true) or over (false).
type strand struct {
	job  *Job
	next func() (parked, alive bool)
	stop func()
}

// abandoned unwinds a parked job that nobody will resume.
type abandoned struct{}

func (s *strand) run(yield func(parked bool) bool) {
	left := false
	defer func() {
		if r := recover(); r != nil && !left {
			panic(r)
		}
	}()
	pause := func() {
		if left || !yield(true) {
			left = true
			panic(abandoned{})
		}
	}
	for {
		s.job.execute(pause)
		if left || !yield(false) {
			return
		}
	}
}

// abandon ends a parked job. What it did to its canister is restored by the
// executor as after a trap.
func (j *Job) abandon() {
	if j.strand != nil {
		j.strand.stop()
		j.strand = nil
	}
}
