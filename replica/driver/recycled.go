package driver

import "sync"

// recycled are the requests, submissions and waiters of a driver that are not in use, since most messages are sent one
// at a time. They are the driver's own: they have channels, and one that was made in a bubble of a test must not be
// used in another.
type recycled struct {
	requests, submissions, waiters sync.Pool
}

func (r *recycled) request() *request {
	if used, ok := r.requests.Get().(*request); ok {
		return used
	}
	return &request{done: make(chan struct{}, 1)}
}

// putRequest returns a request whose signal was taken. A request whose caller stops waiting does not return.
func (r *recycled) putRequest(used *request) {
	used.do, used.then = nil, nil
	r.requests.Put(used)
}

func (r *recycled) submission() *submission {
	if used, ok := r.submissions.Get().(*submission); ok {
		return used
	}
	s := new(submission)
	s.do, s.then = s.apply, s.await
	return s
}

// putSubmission returns a submission that the owner no longer uses.
func (r *recycled) putSubmission(used *submission) {
	*used = submission{do: used.do, then: used.then}
	r.submissions.Put(used)
}

func (r *recycled) waiter() *waiter {
	if used, ok := r.waiters.Get().(*waiter); ok {
		return used
	}
	w := &waiter{done: make(chan struct{}, 1)}
	w.do = w.enlist
	return w
}

// putWaiter returns a waiter that no other goroutine has, and whose signal was taken.
func (r *recycled) putWaiter(used *waiter) {
	*used = waiter{done: used.done, do: used.do}
	r.waiters.Put(used)
}
