package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/candid"
)

// streaming is a network whose canister answers in parts; after the last it fails if it is to.
func streaming(t *testing.T, parts []string, fails bool) *fakeNetwork {
	n := &fakeNetwork{name: "default"}
	n.call = func(method string, arg []byte) []byte {
		left := parts
		if method == "part" {
			var token streamToken
			if err := candid.Unmarshal(arg, &token); err != nil {
				t.Error(err)
			}
			left = token.Left
		}
		var body []byte
		if len(left) > 0 {
			body, left = []byte(left[0]), left[1:]
		}
		token := streamToken{Key: "k", Left: left}
		switch {
		case method == "http_request":
			at := &continuation{candid.Func{Service: shop, Method: "part"}, token}
			return encoded(canisterAnswer{Status: 200, Body: body, Streaming: &strategy{at}})
		case len(left) == 0 && fails:
			return nil
		case len(left) == 0:
			return encoded(streamPart{Body: body})
		}
		return encoded(streamPart{Body: body, Token: &token})
	}
	return n
}

func TestAStreamIsReadToItsEnd(t *testing.T) {
	n := streaming(t, []string{"one ", "two ", "three"}, false)
	w := get(New(n, Config{}), http.MethodGet, rawShop+"/")
	if w.Body.String() != "one two three" || fmt.Sprint(n.methods) != "[http_request part part]" {
		t.Errorf("%s by %v", w.Body, n.methods)
	}
}

func TestAStreamThatFailsIsCutOff(t *testing.T) {
	defer func() {
		if cut := recover(); cut != http.ErrAbortHandler {
			t.Errorf("it ends with %v", cut)
		}
	}()
	w := get(New(streaming(t, []string{"one", "two", "three"}, true), Config{}), http.MethodGet, rawShop+"/")
	t.Errorf("it is not cut off: %s", w.Body)
}

func TestAStreamThatIsVerifiedHasALimit(t *testing.T) {
	n := streaming(t, make([]string, maxParts+2), false)
	w := get(New(n, Config{}), http.MethodGet, strings.Replace(rawShop, ".raw", "", 1)+"/")
	if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "the stream has more than 67108864 bytes or 1000 parts") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// inRanges is a network whose canister answers ranges of 4 bytes; change changes the answers to ranges that follow.
func inRanges(t *testing.T, body string, change func(*canisterAnswer)) *fakeNetwork {
	return answering(t, func(r queryArgument) canisterAnswer {
		first := 0
		if asks := valueOf(r.Headers, "Range"); asks != "" {
			if _, err := fmt.Sscanf(asks, "bytes=%d-", &first); err != nil {
				t.Error(err)
			}
		}
		last := min(first+4, len(body)) - 1
		a := canisterAnswer{Status: 206, Body: []byte(body[first : last+1]), Headers: []verify.Header{
			{Name: "Content-Range", Value: fmt.Sprintf("bytes %d-%d/%d", first, last, len(body))}, {Name: "ETag", Value: "1"},
		}}
		if first > 0 && change != nil {
			change(&a)
		}
		return a
	})
}

func TestABodyInRangesIsPutTogether(t *testing.T) {
	g := New(inRanges(t, "0123456789", nil), Config{})
	w := get(g, http.MethodGet, rawShop+"/")
	if w.Code != http.StatusOK || w.Body.String() != "0123456789" || w.Header().Get("Content-Length") != "10" || w.Header().Get("Content-Range") != "" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	w = get(g, http.MethodGet, rawShop+"/", "Range: bytes=4-")
	if w.Code != http.StatusPartialContent || w.Body.String() != "4567" || w.Header().Get("Content-Range") != "bytes 4-7/10" {
		t.Errorf("a range that was asked for: %d %s %v", w.Code, w.Body, w.Header())
	}
	if w := get(g, http.MethodHead, rawShop+"/"); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "10" {
		t.Errorf("the head: %d %s %v", w.Code, w.Body, w.Header())
	}
}

func TestABodyWhoseRangesDoNotFitIsCutOff(t *testing.T) {
	for name, change := range map[string]func(*canisterAnswer){
		"another status":  func(a *canisterAnswer) { a.Status = 200 },
		"another version": func(a *canisterAnswer) { a.Headers[1].Value = "2" },
		"another length":  func(a *canisterAnswer) { a.Headers[0].Value = "bytes 4-7/11" },
		"a gap":           func(a *canisterAnswer) { a.Headers[0].Value = "bytes 5-8/10" },
		"no progress":     func(a *canisterAnswer) { a.Headers[0].Value = "bytes 0-3/10" },
		"too few bytes":   func(a *canisterAnswer) { a.Body = a.Body[1:] },
	} {
		func() {
			defer func() {
				if cut := recover(); cut != http.ErrAbortHandler {
					t.Errorf("%s: it ends with %v", name, cut)
				}
			}()
			w := get(New(inRanges(t, "0123456789", change), Config{}), http.MethodGet, rawShop+"/")
			t.Errorf("%s: it is not cut off: %s", name, w.Body)
		}()
	}
}

func TestAContentRangeIsReadOrRefused(t *testing.T) {
	if c, err := parseContentRange(" bytes 5-9/10 "); err != nil || c != (contentRange{5, 9, 10}) {
		t.Errorf("%v, %v", c, err)
	}
	for _, header := range []string{"", "bytes", "bytes 5-9", "bytes 5/10", "items 5-9/10", "bytes 9-5/10", "bytes 5-10/10", "bytes -1-9/10", "bytes */10", "bytes 5-9/*"} {
		if c, err := parseContentRange(header); err == nil {
			t.Errorf("%q is read as %v", header, c)
		}
	}
}
