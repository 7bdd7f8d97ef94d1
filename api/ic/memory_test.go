package ic

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/budget"
)

func TestABodyThatDoesNotFitTheBudgetIsRefusedWithTheNumbers(t *testing.T) {
	for _, chunked := range []bool{false, true} {
		memory := budget.New("requests", 1<<20)
		h := New(newFakeNetwork(t), Info{Memory: memory})
		request := httptest.NewRequest(http.MethodPost, canisterURL("v3", appCanister, "query"), io.LimitReader(endless{}, 2<<20))
		request.Header.Set("Content-Type", typeCBOR)
		if request.ContentLength = 2 << 20; chunked {
			request.ContentLength = -1
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != retryAfter || !strings.Contains(w.Body.String(), "of 1048576 bytes are in use") {
			t.Errorf("status %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		if memory.Used() != 0 {
			t.Errorf("%d bytes are still reserved", memory.Used())
		}
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAnAnswerIsSentWithinTheBudget(t *testing.T) {
	memory := budget.New("requests", 1<<20)
	n := newFakeNetwork(t)
	size := 512 << 10
	n.query = func(*api.Query) (api.QueryResult, error) {
		return api.QueryResult{Reply: make([]byte, size), Time: instant}, nil
	}
	h := New(n, Info{Memory: memory})
	for want := http.StatusOK; want != 0; {
		w := post(t, h, canisterURL("v3", appCanister, "query"), sign(t, wire.NewQuery(appCanister, "get", nil), wire.Identity{}).Body)
		if w.Code != want || memory.Used() != 0 {
			t.Errorf("an answer with %d bytes: status %d, want %d; %d bytes are still reserved", size, w.Code, want, memory.Used())
		}
		if size, want = 2<<20, http.StatusTooManyRequests; w.Code == want || t.Failed() {
			break
		}
	}
}

func TestABodyOfAnyLengthIsReadWhole(t *testing.T) {
	for _, length := range []int{0, 1, 65_535, 65_536, 65_537, 196_608, 1 << 20} {
		sent := bytes.Repeat([]byte("x"), length)
		for _, most := range []int{length, 5 << 20} {
			memory := budget.New("requests", 8<<20)
			reservation := memory.NewReservation()
			got, err := wire.ReadAll(bytes.NewReader(sent), most, reservation)
			if err != nil || !bytes.Equal(got, sent) || memory.Used() != int64(cap(got)) {
				t.Errorf("%d of %d bytes were read, with %d reserved for %d: %v", len(got), length, memory.Used(), cap(got), err)
			}
		}
	}
}

func TestABodyTakes64KiBAtFirstForAnyAnnouncedLength(t *testing.T) {
	for _, c := range []struct{ length, most, want int }{
		{1, 65_534, 65_535}, {1, 65_535, 65_536}, {1, 5 << 20, 65_536}, {65_535, 5 << 20, 65_536}, {65_536, 5 << 20, 131_072},
	} {
		reservation := budget.New("requests", 8<<20).NewReservation()
		body, err := wire.ReadAll(bytes.NewReader(make([]byte, c.length)), c.most, reservation)
		if err != nil || cap(body) != c.want {
			t.Errorf("%d of %d bytes are read into %d, want %d: %v", c.length, c.most, cap(body), c.want, err)
		}
	}
}
