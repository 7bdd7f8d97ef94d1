package state

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/timers"
	"pgregory.net/rapid"
)

// A message lives from its acceptance until five minutes after its answer, and at
// least until it would have expired.
func TestARecordIsKeptUntilExpiryAndFiveMinutesAfterTheAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h History
		var deadlines timers.Table
		expiry := rapid.Uint64Range(1, 2*KeepAnswer).Draw(t, "expiry")
		answered := rapid.Uint64Range(0, expiry-1).Draw(t, "answered")
		h.Begin(h.Receive(&Ingress{ID: RequestID{1}, Expiry: expiry}, &deadlines))
		h.Answer(h.Find(RequestID{1}), []byte("reply"), nil, answered, &deadlines, nil)
		want := max(expiry, answered+KeepAnswer)
		for h.Len() > 0 {
			now, ok := deadlines.Next()
			if !ok {
				t.Fatal("the record is kept for ever")
			}
			d, _ := deadlines.Pop(now)
			if _, expired, pruned := h.Due(d.Number, now, &deadlines); expired || pruned != (h.Len() == 0) {
				t.Fatal("an answered message expired")
			}
			if h.Len() == 0 && now != want {
				t.Fatalf("pruned at %d, want %d", now, want)
			}
		}
	})
}

func TestAMessageThatHasNotBegunExpires(t *testing.T) {
	var h History
	var deadlines timers.Table
	r := h.Receive(&Ingress{ID: RequestID{1}, Expiry: 10, Arg: []byte("arg")}, &deadlines)
	d, _ := deadlines.Pop(10)
	if _, expired, _ := h.Due(d.Number, 10, &deadlines); !expired {
		t.Error("it did not expire")
	}
	h.Answer(r, nil, nil, 10, &deadlines, nil)
	if r.Arg != nil || r.Status != Replied {
		t.Errorf("%v", r)
	}
}

func TestOldAnswersMakeRoomForNewOnes(t *testing.T) {
	var h History
	var deadlines timers.Table
	big := make([]byte, MaxAnswerBytes/2+1)
	var forgotten []RequestID
	for i := range byte(3) {
		r := h.Receive(&Ingress{ID: RequestID{i}, Expiry: 1000}, &deadlines)
		h.Answer(r, big, nil, uint64(i), &deadlines, func(old *Ingress) { forgotten = append(forgotten, old.ID) })
	}
	if len(forgotten) != 2 || forgotten[0] != (RequestID{0}) || h.Find(RequestID{1}).Status != Done || h.Find(RequestID{2}).Status != Replied {
		t.Errorf("forgot %v", forgotten)
	}
}

func TestRecordsAreRecycledWithoutAllocating(t *testing.T) {
	var h History
	var deadlines timers.Table
	now, n := uint64(0), byte(0)
	cycle := func() {
		n++
		r := h.Receive(&Ingress{ID: RequestID{n}, Expiry: now + 1}, &deadlines)
		h.Begin(r)
		h.Answer(r, nil, nil, now, &deadlines, nil)
		for now += KeepAnswer + 2; ; {
			d, ok := deadlines.Pop(now)
			if !ok {
				break
			}
			h.Due(d.Number, now, &deadlines)
		}
	}
	if perRun := testing.AllocsPerRun(200, cycle); perRun > 0 || h.Len() != 0 {
		t.Errorf("%.1f allocations, %d records left", perRun, h.Len())
	}
}

func TestResidentsAreInTheOrderOfTheirIDs(t *testing.T) {
	var s State
	for _, n := range []uint64{5, 1, 9, 3} {
		s.Add(canister.New(principal.Canister(n), 0, canister.Settings{}))
	}
	s.Remove(s.Residents.Get(principal.Canister(3)))
	var got []uint64
	for r := range s.Residents.All() {
		n, _ := r.ID().CanisterNumber()
		got = append(got, n)
	}
	if len(got) != 3 || got[0] != 1 || got[1] != 5 || got[2] != 9 {
		t.Errorf("got %v", got)
	}
}

func TestIDsAreGivenOnceAndOnlyFromTheAllocationRange(t *testing.T) {
	ids := Ids{Ranges: []Range{{0, 6}, {100, 101}}, Allocation: Range{100, 101}}
	first, _ := ids.Next()
	second, ok := ids.Next()
	if first != principal.Canister(100) || second != principal.Canister(101) || !ok {
		t.Errorf("gave %s and %s", first, second)
	}
	if _, ok := ids.Next(); ok {
		t.Error("gave an id beyond the range")
	}
	if !ids.Hosts(principal.Canister(3)) || ids.Hosts(principal.Canister(7)) || ids.Hosts(principal.Management) || ids.Allocates(principal.Canister(3)) {
		t.Error("hosts the wrong ids")
	}
}
