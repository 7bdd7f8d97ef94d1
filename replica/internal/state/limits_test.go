package state

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/timers"
)

// numbered is a request id for each number.
func numbered(n int) (id RequestID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func TestAnAnswerIsKeptForFiveMinutes(t *testing.T) {
	var h History
	var deadlines timers.Table
	for n, expiry := range []uint64{6, 300_000_000_003} {
		r := h.Receive(&Ingress{ID: numbered(n), Expiry: expiry}, &deadlines)
		h.Answer(r, []byte("reply"), nil, 5, &deadlines, nil)
	}
	for _, c := range []struct {
		now  uint64
		left int
	}{{300_000_000_004, 2}, {300_000_000_005, 0}} {
		for d, ok := deadlines.Pop(c.now); ok; d, ok = deadlines.Pop(c.now) {
			h.Due(d.Number, c.now, &deadlines)
		}
		if h.Len() != c.left {
			t.Errorf("at %d ns %d messages that were answered at 5 ns are known, want %d", c.now, h.Len(), c.left)
		}
	}
}

func TestAnAnswerThatCameAfterTheExpiryIsKeptForFiveMinutes(t *testing.T) {
	var h History
	var deadlines timers.Table
	r := h.Receive(&Ingress{ID: numbered(1), Expiry: 5}, &deadlines)
	h.Begin(r)
	d, _ := deadlines.Pop(5)
	h.Due(d.Number, 5, &deadlines)
	h.Answer(r, []byte("reply"), nil, 10, &deadlines, nil)
	if at, _ := deadlines.Next(); at != 300_000_000_010 {
		t.Errorf("what was answered at 10 ns is pruned at %d ns", at)
	}
}

func TestAHistoryIsFullWith600000Messages(t *testing.T) {
	var h History
	for n := range 599_999 {
		id := numbered(n)
		h.known.add(&id, 1)
	}
	if h.Full() {
		t.Error("it is full with one message less")
	}
	last := numbered(599_999)
	if h.known.add(&last, 1); !h.Full() {
		t.Error("it is not full")
	}
}

func TestAnswersOfOneGiBAreKept(t *testing.T) {
	var h History
	var deadlines timers.Table
	half := make([]byte, 1<<29)
	for n, answer := range [][]byte{half, half, {1}} {
		var forgotten []RequestID
		r := h.Receive(&Ingress{ID: numbered(n), Expiry: 10}, &deadlines)
		h.Answer(r, answer, nil, 1, &deadlines, func(old *Ingress) { forgotten = append(forgotten, old.ID) })
		if want := [][]RequestID{nil, nil, {numbered(0)}}[n]; !slices.Equal(forgotten, want) {
			t.Errorf("with answer %d of %d bytes the answers of %v are forgotten, want %v", n, len(answer), forgotten, want)
		}
	}
}

func TestTheNewestAnswerIsKeptHoweverLarge(t *testing.T) {
	var h History
	var deadlines timers.Table
	r := h.Receive(&Ingress{ID: numbered(1), Expiry: 10}, &deadlines)
	h.Answer(r, make([]byte, 1<<30+1), nil, 1, &deadlines, func(old *Ingress) { t.Errorf("the answer of message %x is forgotten", old.ID) })
}

func TestOfAnswersSoManyBytesAreLeft(t *testing.T) {
	var h History
	var deadlines timers.Table
	for n := range 3 {
		h.Answer(h.Receive(&Ingress{ID: numbered(n), Expiry: 10}, &deadlines), make([]byte, 10), nil, 1, &deadlines, nil)
	}
	for _, c := range []struct{ most, left int }{{30, 30}, {29, 20}, {20, 20}, {0, 0}, {-1, 0}} {
		h.ShedTo(c.most, func(*Ingress) {})
		if _, left := h.Bytes(); left != c.left {
			t.Errorf("of answers that are to be %d bytes %d are left, want %d", c.most, left, c.left)
		}
	}
}

func TestTheOrderOfAnswersHas1024ThatWereForgotten(t *testing.T) {
	var h History
	var deadlines timers.Table
	kept := h.Receive(&Ingress{ID: numbered(0), Expiry: 10}, &deadlines)
	h.Answer(kept, nil, nil, 0, &deadlines, nil)
	for n := 1; n <= 1026; n++ {
		r := h.Receive(&Ingress{ID: numbered(n), Expiry: 10}, &deadlines)
		h.Forget(h.Answer(r, nil, nil, 0, &deadlines, nil), &deadlines)
		// Twice the one that is known may stand in it as well.
		if want := map[bool]int{true: 1 + n, false: 1}[n < 1026]; h.order.Len() != want {
			t.Fatalf("when %d answers were forgotten the order has %d, want %d", n, h.order.Len(), want)
		}
	}
}
