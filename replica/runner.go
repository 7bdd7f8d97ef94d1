package replica

import "iter"

// Runner runs jobs. It returns when each has ended or is parked at the end of a slice; a parked job resumes when it is
// run again. The number of parallel jobs does not affect the results.
type Runner interface {
	Run(jobs []*Job)
}

// Coroutines runs jobs one at a time: short ones on the goroutine of the caller, all others each on its own coroutine. If a
// job is parked, its coroutine stays with it. Not safe for concurrent use. The zero value is ready.
type Coroutines struct {
	// Stopwatch measures the time of a message for events, in nanoseconds; nil: no measurement. It is called only if
	// events have a reader, and has no other effect.
	Stopwatch func() int64
	idle      []*coroutine
}

// Run runs each job to its end or to the end of its slice.
func (s *Coroutines) Run(jobs []*Job) {
	for _, j := range jobs {
		s.RunOne(j)
	}
}

// RunOne runs one job to its end or to the end of its slice, and measures it if there is a listener.
func (s *Coroutines) RunOne(j *Job) {
	if s.Stopwatch == nil || j.subnet.net.sink == nil {
		s.runOne(j)
		return
	}
	begin := s.Stopwatch()
	s.runOne(j)
	j.wall += s.Stopwatch() - begin
}

func (s *Coroutines) runOne(j *Job) {
	if j.coroutine == nil {
		if j.executeShort() {
			j.over = true
			return
		}
		s.begin(j)
		if j.Pauses != nil && !j.catchUp() {
			panic("replica: a message of canister " + j.Entry.ID().String() + " that began again in a fork took another path")
		}
	}
	on := j.coroutine
	if parked, alive := on.next(); !alive || parked {
		return
	}
	j.over, j.coroutine, on.job = true, nil, nil
	s.idle = append(s.idle, on)
}

// begin assigns a coroutine to a job.
func (s *Coroutines) begin(j *Job) {
	j.coroutine = s.acquire()
	j.coroutine.job = j
}

// Close frees the idle coroutines.
func (s *Coroutines) Close() {
	for _, on := range s.idle {
		on.stop()
	}
	s.idle = nil
}

func (s *Coroutines) acquire() *coroutine {
	if n := len(s.idle); n > 0 {
		on := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return on
	}
	on := new(coroutine)
	on.next, on.stop = iter.Pull(on.run)
	return on
}

// coroutine runs jobs one at a time (iter.Pull): next runs until the job is parked (true) or has ended (false).
type coroutine struct {
	job  *Job
	next func() (parked, alive bool)
	stop func()
}

// abandoned unwinds a parked job that will never resume.
type abandoned struct{}

func (s *coroutine) run(yield func(parked bool) bool) {
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
	sleep := func(until, executed uint64) uint64 {
		s.job.Until, s.job.executed = until, executed
		pause()
		return s.job.woke
	}
	for {
		s.job.execute(pause, sleep)
		if left || !yield(false) {
			return
		}
	}
}

// abandon ends a parked job. The executor restores its canister, as after a trap.
func (j *Job) abandon() {
	if j.coroutine != nil {
		j.coroutine.stop()
		j.coroutine = nil
	}
}
