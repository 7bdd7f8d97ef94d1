package state

import (
	"fmt"
	"maps"
	"slices"
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

func TestAMessageThatWaitsTooLongExpires(t *testing.T) {
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

func TestAHistoryIsChargedForItsOwnRecordsAndNotForThoseOfItsSource(t *testing.T) {
	var source History
	var deadlines timers.Table
	for i := range byte(3) {
		source.Begin(source.Receive(&Ingress{ID: RequestID{i}, Expiry: 10}, &deadlines))
	}
	pruned := source.Answer(source.Find(RequestID{0}), nil, nil, 1, &deadlines, nil)
	source.Forget(pruned, &deadlines)
	const want = 3*400 + 2*800 // the record of a pruned message stays
	if got := source.RecordBytes(); got != want {
		t.Errorf("3 records, of which 2 are in use, take %d bytes, want %d", got, want)
	}
	fork := source.fork()
	if got := fork.RecordBytes(); got != 0 {
		t.Errorf("a fork that has changed nothing is charged %d bytes", got)
	}
	forked := deadlines.Fork()
	fork.Answer(fork.Find(RequestID{1}), nil, nil, 2, &forked, nil)
	if got := fork.RecordBytes(); got != 400+800 {
		t.Errorf("a fork with one record of its own is charged %d bytes, want 1200", got)
	}
	source.Answer(source.Find(RequestID{2}), nil, nil, 2, &deadlines, nil)
	if got := source.RecordBytes(); got != want {
		t.Errorf("the source is charged %d bytes after the fork, want %d", got, want)
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

// The order of answers still names a message after its record was pruned. When the same
// message is received and answered again, its new answer is not the one that the old
// place in the order stands for.
func TestAnAnswerIsDroppedByItsOwnAgeWhenItsMessageComesTwice(t *testing.T) {
	var h History
	var deadlines timers.Table
	answer := func(id byte, size int, now uint64, forget func(*Ingress)) {
		r := h.Receive(&Ingress{ID: RequestID{id}, Expiry: now + 1}, &deadlines)
		h.Answer(r, make([]byte, size), nil, now, &deadlines, forget)
	}
	prune := func(now uint64) {
		for d, ok := deadlines.Pop(now); ok; d, ok = deadlines.Pop(now) {
			h.Due(d.Number, now, &deadlines)
		}
	}
	const half = MaxAnswerBytes/2 + 1
	// Message 1 stays in front of the order, so that the first answer to message 2 stays in it when it is pruned.
	r := h.Receive(&Ingress{ID: RequestID{1}, Expiry: 10 * KeepAnswer}, &deadlines)
	h.Answer(r, []byte("small"), nil, 0, &deadlines, nil)
	answer(2, 1, 1, nil)
	prune(KeepAnswer + 2)
	if h.Find(RequestID{2}) != nil || h.Find(RequestID{1}) == nil {
		t.Fatal("message 2 is to be pruned and message 1 is not")
	}
	now := uint64(KeepAnswer + 3)
	answer(3, half, now, nil)
	answer(2, 1, now+1, nil)
	var dropped []RequestID
	answer(4, half, now+2, func(old *Ingress) { dropped = append(dropped, old.ID) })
	if want := []RequestID{{1}, {3}}; !slices.Equal(dropped, want) {
		t.Errorf("dropped the answers of %v, want %v: the answer to message 2 is younger than the one to message 3", dropped, want)
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

func TestCanistersAreInTheOrderOfTheirIDs(t *testing.T) {
	var s State
	for _, n := range []uint64{5, 1, 9, 3} {
		s.Add(canister.New(principal.Canister(n), 0, canister.Settings{}))
	}
	s.Remove(s.Canisters.Get(principal.Canister(3)))
	var got []uint64
	for r := range s.Canisters.All() {
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

// Forks go on with each other's records; what one does with them the other must not see.
func TestForksOfAHistoryDoNotSeeEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []*kept{{State: new(State), now: 1}}
		t.Repeat(map[string]func(*rapid.T){
			"message": func(t *rapid.T) { all[rapid.IntRange(0, len(all)-1).Draw(t, "history")].message(t) },
			"time":    func(t *rapid.T) { all[rapid.IntRange(0, len(all)-1).Draw(t, "history")].pass(t) },
			"fork": func(t *rapid.T) {
				if len(all) < 4 {
					all = append(all, all[rapid.IntRange(0, len(all)-1).Draw(t, "history")].fork())
				}
			},
			"": func(t *rapid.T) {
				for i, k := range all {
					if got := k.looks(); !maps.Equal(got, k.want) {
						t.Fatalf("history %d of %d has %v, want %v", i, len(all), got, k.want)
					}
				}
			},
		})
	})
}

// answers are bytes that never change.
var answers = make([]byte, MaxAnswerBytes/2)

// kept is a history with what each of its messages must be.
type kept struct {
	*State
	now  uint64
	want map[RequestID]string
}

func (k *kept) fork() *kept {
	f := &kept{State: new(State), now: k.now, want: maps.Clone(k.want)}
	f.History, f.Deadlines, f.Answered = k.History.fork(), k.Deadlines.Fork(), slices.Clone(k.Answered)
	return f
}

func (k *kept) looks() map[RequestID]string {
	all := make(map[RequestID]string)
	for in := range k.History.All() {
		all[in.ID] = k.is(in)
		if k.History.At(in.Number) != in || k.History.Find(in.ID) != in {
			all[in.ID] = "two records"
		}
	}
	return all
}

func (k *kept) is(in *Ingress) string {
	return fmt.Sprint(in.Status, len(in.Reply), in.Answered, in.Instructions, in.Changed(), in.Number, len(in.Arg))
}

// message is a step in the life of one of a few messages.
func (k *kept) message(t *rapid.T) {
	id := RequestID{rapid.ByteRange(1, 5).Draw(t, "id")}
	h := &k.History
	in := h.Find(id)
	switch {
	case in == nil:
		h.Receive(&Ingress{ID: id, Expiry: k.now + 50, Arg: []byte{1}}, &k.Deadlines)
	case in.Status == Received:
		h.Begin(in)
	case in.Status == Processing:
		h.Answer(in, answers[:MaxAnswerBytes/rapid.IntRange(2, 5).Draw(t, "share")], nil, k.now, &k.Deadlines, k.Show)
		h.RecordInstructions(in.Number, k.now)
		k.Show(in)
	default:
		k.Untouch()
	}
	k.want = k.looks()
}

func (k *kept) pass(t *rapid.T) {
	k.now += rapid.Uint64Range(1, KeepAnswer).Draw(t, "ns")
	for {
		d, ok := k.Deadlines.Pop(k.now)
		if !ok {
			break
		}
		if in, expired, _ := k.History.Due(d.Number, k.now, &k.Deadlines); expired {
			k.History.Answer(in, nil, nil, k.now, &k.Deadlines, k.Show)
		}
	}
	k.want = k.looks()
}

// A number that is free again is given to the next message, in source and fork by itself.
func TestSourceAndForkGiveAwayTheirOwnNumbers(t *testing.T) {
	var source History
	var deadlines timers.Table
	receive := func(h *History, id byte) *Ingress {
		return h.Receive(&Ingress{ID: RequestID{id}, Expiry: 1}, &deadlines)
	}
	forget := func(h *History, id byte) {
		r := h.Find(RequestID{id})
		h.Forget(h.Answer(r, nil, nil, 1, &deadlines, nil), &deadlines)
	}
	for id := range byte(4) {
		receive(&source, id)
	}
	forget(&source, 3)
	fork := source.fork()
	for i, h := range []*History{&source, &fork} {
		receive(h, 4)
		forget(h, byte(i))
	}
	for i, h := range []*History{&source, &fork} {
		receive(h, 5)
		known := 0
		for in := range h.All() {
			known++
			if h.Find(in.ID) != in || in.ID == (RequestID{byte(i)}) {
				t.Errorf("history %d has message %x, and finds another", i, in.ID[0])
			}
		}
		if known != 4 || h.Len() != 4 {
			t.Errorf("history %d has %d messages and knows %d", i, known, h.Len())
		}
	}
}
