package driver_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

func TestMessagesAreRefusedWhereTheirArgumentsFillTheBudgetOfTheInstance(t *testing.T) {
	memory := budget.New("instance test", 16<<20)
	r := start(t, driver.Config{Memory: memory, Mode: driver.Manual})
	argument := "reply " + strings.Repeat("x", 1<<20)
	accepted, refused := 0, 0
	for range 40 {
		_, err := r.Submit(t.Context(), r.message(0, "create", argument))
		switch exceeded, ok := errors.AsType[*budget.Exceeded](err); {
		case err == nil:
			accepted++
		case ok && exceeded.Limit == 16<<20 && strings.Contains(err.Error(), "of 16777216 bytes are in use"):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if accepted != 15 || refused != 25 || memory.Excess() > 0 {
		t.Errorf("%d messages of 1 MiB were accepted and %d refused, %d bytes are in use", accepted, refused, memory.Used())
	}
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := memory.Used(); used > 1<<20 {
		t.Errorf("%d bytes are in use after the messages were executed", used)
	}
	if _, err := r.Submit(t.Context(), r.message(0, "create", argument)); err != nil {
		t.Error(err)
	}
}

func TestTheOldestAnswersAreDroppedWhereTheyTakeMoreThanTheirShareOfTheBudget(t *testing.T) {
	memory := budget.New("instance test", 16<<20)
	r := start(t, driver.Config{Memory: memory})
	r.create(1)
	first := r.message(0, "run", "reply "+strings.Repeat("x", 1<<20))
	if _, err := r.Submit(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		if got := r.must(0, "run", "reply "+strings.Repeat(string(rune('a'+n%26)), 1<<20)); len(got) != 1<<20 {
			t.Fatalf("reply %d has %d bytes: %.100q", n, len(got), got)
		}
		// Beside the kept answers, some wait until the certified tree is made with them; how many depends on the
		// scheduler.
		if used := memory.Used(); used > memory.Limit() {
			t.Fatalf("after %d replies of 1 MiB %d bytes are in use", n+2, used)
		}
	}
	var status replica.Status
	if err := r.Do(t.Context(), func(n *replica.Network) { status = n.IngressStatus(n.View().Root().ID, first.ID) }); err != nil {
		t.Fatal(err)
	}
	if status != replica.Done {
		t.Errorf("the first message is %s, want done", status)
	}
}

func TestALargeArgumentIsChargedBeforeItsRoundEnds(t *testing.T) {
	for size, charged := range map[int]bool{16_383: false, 16_384: true} {
		memory := budget.New("instance test", 16<<20)
		r := start(t, driver.Config{Memory: memory, Mode: driver.Manual})
		if _, err := r.Submit(t.Context(), r.message(0, "create", strings.Repeat("1", size))); err != nil {
			t.Fatal(err)
		}
		if used := memory.Used(); (used >= int64(size)) != charged || !charged && used != 0 {
			t.Errorf("with an argument of %d bytes %d bytes are in use", size, used)
		}
	}
}

func TestKeptAnswersTakeAQuarterOfTheBudget(t *testing.T) {
	r := start(t, driver.Config{Memory: budget.New("instance test", 16<<20)})
	r.create(1)
	most := 0
	for range 6 {
		r.must(0, "run", "reply "+strings.Repeat("x", 1<<20-1_000))
		if err := r.Do(t.Context(), func(n *replica.Network) { most = max(most, n.MessageBytes().Answers) }); err != nil {
			t.Fatal(err)
		}
	}
	if most < 4*(1<<20-1_000) || most > 4<<20 {
		t.Errorf("answers take up to %d bytes, want 4 of 1 MiB", most)
	}
}

// Clients have all large answers but the first, which is not awaited, and the small ones.
func TestOf64MiBOfLargeAnswersThatClientsHaveTheOldestAreDropped(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(1)
	subnet := r.View().Root().ID
	const large = 2<<20 - 1000 // a message has at most 2 MiB
	var sent []replica.RequestID
	answered := func(letter string, size int) {
		in := r.message(0, "run", "reply "+strings.Repeat(letter, size))
		if _, err := r.Submit(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if err := r.Await(t.Context(), subnet, in.ID); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, in.ID)
	}
	answered("a", large)
	answered("b", 64<<10-1)
	answered("c", 64<<10)
	for i := range 40 {
		answered(string(rune('c'+i%20)), large)
	}
	for _, id := range append(sent[1:], sent[len(sent)-1]) { // the last one twice
		r.Delivered(subnet, id, large)
		eventually.True(t, "the delivery", func() bool { return id == sent[1] || slices.Contains(r.DeliveredAnswers(), id) })
	}
	if err := r.Do(t.Context(), func(n *replica.Network) {
		for i, id := range sent {
			want := replica.Replied
			if i >= 2 && i < len(sent)-32 {
				want = replica.Done
			}
			if got := n.IngressStatus(subnet, id); got != want {
				t.Errorf("answer %d of %d is %s, want %s", i, len(sent), got, want)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
}
