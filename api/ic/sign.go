package ic

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
)

// signer signs heights for calls as a database commits transactions: in groups. A signature costs more than the rest of
// an update, and the signature of a height certifies every answer up to it. So calls that wait for their certificates
// while a height is signed form a group, and the next signature, of the newest height, is for all of them.
//
// A call goes through these steps:
//
//  1. Its answer is in the view. It joins the open group of its subnet, or opens
//     one and leads it.
//  2. The leader waits until the previous group has its signature.
//  3. The leader waits for calls that are on their way to their answers, at most
//     MaxSignDelay, so that they join. A client that is alone waits for nothing.
//  4. The leader closes the group, takes the newest view and signs its height.
//  5. All calls of the group take their certificates from that view.
type signer struct {
	arriving atomic.Int64 // calls whose body was read and whose submission is undecided

	mu    sync.Mutex // guards lanes, and open of each lane
	lanes map[laneKey]*lane
}

// laneKey identifies calls that can share signatures: by the subnet, and the clock that certificates are dated by.
type laneKey struct {
	subnet principal.Principal
	byWall bool
}

// lane holds the successive groups of one key.
type lane struct {
	signing sync.Mutex // held by the leader whose group is being signed; taken before signer.mu
	open    *group     // collects calls; nil if there is none
}

// group is one signature and the calls that wait for it.
type group struct {
	signed chan struct{} // closed when view is set
	view   api.View      // nil if the instance stopped
}

// newestSigned returns the newest view of the backend, dated for the client, once the subnet's height in it is signed.
// The view is not older than the call of newestSigned, except after a restore; it is nil if there is none.
func (h *Handler) newestSigned(to *target) api.View {
	l := h.signer.lane(laneKey{to.subnet, to.byWall})
	g, leads := h.signer.join(l)
	if !leads {
		<-g.signed
		return g.view
	}
	l.signing.Lock()
	defer l.signing.Unlock()
	defer close(g.signed)
	h.signer.awaitArrivals()
	h.signer.closeGroup(l)
	if view := h.backend.View(); view != nil {
		view = view.Dated(h.dating(to))
		view.Certified(to.subnet).Signature()
		g.view = view
	}
	return g.view
}

func (s *signer) lane(key laneKey) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[key]
	if l == nil {
		if s.lanes == nil {
			s.lanes = make(map[laneKey]*lane)
		}
		l = new(lane)
		s.lanes[key] = l
	}
	return l
}

// join enters the open group of a lane. If there is none, the caller opens and leads one.
func (s *signer) join(l *lane) (g *group, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.open != nil {
		return l.open, false
	}
	l.open = &group{signed: make(chan struct{})}
	return l.open, true
}

func (s *signer) closeGroup(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.open = nil
}

// awaitArrivals waits until no call is arriving, at most MaxSignDelay.
func (s *signer) awaitArrivals() {
	if s.arriving.Load() == 0 {
		runtime.Gosched() // a call that was just answered is not counted any more, and is about to join
		return
	}
	for begun := time.Now(); s.arriving.Load() > 0 && time.Since(begun) < MaxSignDelay; {
		time.Sleep(signPoll)
	}
}
