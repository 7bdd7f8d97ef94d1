package intercanister

import (
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
)

func TestAMailboxTakesFiveHundredRequestsOfASender(t *testing.T) {
	m := Mailbox{Owner: principal.Canister(1)}
	sender := principal.Canister(2)
	if n := m.Requests(sender); n != 0 {
		t.Errorf("%d requests wait of a stranger", n)
	}
	for i := range 501 {
		if taken := m.PushRequest(&Request{Sender: sender}); taken != (i < 500) {
			t.Fatalf("request %d is taken: %t", i+1, taken)
		}
	}
	if n := m.Requests(sender); n != 500 {
		t.Errorf("%d requests wait", n)
	}
}

func TestMessagesTakeTheirBytesAndAnOverhead(t *testing.T) {
	bounded := Request{Method: "abc", Payload: []byte("12345"), Deadline: 1}
	guaranteed := Request{Method: "abc", Payload: []byte("12345")}
	response := Response{Reply: []byte("12345")}
	if a, b, c := bounded.Memory(), guaranteed.Memory(), response.Memory(); a != 184 || b != 2_097_296 || c != 149 {
		t.Errorf("a best-effort request takes %d bytes, a guaranteed one %d, a response %d", a, b, c)
	}
}

func TestATextIsCutAt8KiB(t *testing.T) {
	if text := strings.Repeat("x", 8_192); Elide(text) != text {
		t.Error("a text of 8,192 bytes was cut")
	}
	if want := strings.Repeat("x", 4_096) + "..." + strings.Repeat("x", 4_093); Elide(strings.Repeat("x", 8_193)) != want {
		t.Errorf("a text of 8,193 bytes becomes %s", Elide(strings.Repeat("x", 8_193)))
	}
}

func TestIDsOfAnArchiveEndBeforeTheyRunOut(t *testing.T) {
	for last, want := range map[uint64]string{1 << 62: "", 1<<62 + 1: "at most 4611686018427387904 is possible"} {
		for _, l := range []*CallTable{{lastCall: CallID(last)}, {lastContext: ContextID(last)}} {
			c := archive.NewWriter(io.Discard)
			c.Section("s", func() { l.Archive(c) })
			if err := c.Close(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v, want %q", last, err, want)
			}
		}
	}
}

func TestEightPairsThatEndedAreKept(t *testing.T) {
	m := Mailbox{Owner: principal.Canister(1)}
	for n := range uint64(20) {
		m.reserveSlot(principal.Canister(n))
	}
	for n := range uint64(20) {
		m.freeSlot(principal.Canister(n))
	}
	kept := 0
	for p := m.spare; p != nil; p = p.next {
		kept++
	}
	if kept != 8 || m.pairs.n != 0 {
		t.Errorf("%d are kept, %d are in use", kept, m.pairs.n)
	}
}
