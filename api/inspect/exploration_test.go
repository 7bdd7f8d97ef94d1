package inspect

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

const exploration = Path + "stream/Explorer/Explore"

func TestAnExplorationIsTheAnswerToARequestOfThePage(t *testing.T) {
	f := &fakeStream{end: io.EOF, answers: []proto.Message{
		&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Progress{Progress: &controlv1.ExploreProgress{Runs: 7}}},
		&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Report{Report: &controlv1.ExploreReport{Conclusion: "<b>\n\ndata: x"}}},
	}}
	w := streamed(f, request(http.MethodPost, exploration, `{"instance": "lab", "seed": 3}`))
	text := strings.ReplaceAll(w.Body.String(), `": `, `":`)
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, want := range []string{`"progress":{"runs":"7"}`, `"conclusion":"`, "event: ended\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "data: ") != 4 || strings.Contains(text, "\ndata: x") {
		t.Errorf("a text of a canister makes events:\n%s", text)
	}
	if sent := f.sent[0].(*controlv1.ExploreRequest); sent.GetInstance() != "lab" || sent.GetSeed() != 3 {
		t.Errorf("the RPC got %v", sent)
	}
}

func TestAnExplorationNeedsTheHeaderOfThePageAndAPost(t *testing.T) {
	for name, change := range map[string]struct {
		method string
		edit   func(*http.Request)
		want   int
	}{
		"without the header": {http.MethodPost, func(r *http.Request) { r.Header.Del(pageHeader) }, http.StatusForbidden},
		"without a session":  {http.MethodPost, func(r *http.Request) { r.Header.Del("Cookie") }, http.StatusUnauthorized},
		"as a text":          {http.MethodPost, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
		"as a GET":           {http.MethodGet, func(*http.Request) {}, http.StatusMethodNotAllowed},
		"of another origin":  {http.MethodPost, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		"malformed":          {http.MethodPost, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("nothing")) }, http.StatusBadRequest},
		"too long": {http.MethodPost, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("{}" + strings.Repeat(" ", maxMessage)))
		}, http.StatusBadRequest},
	} {
		r := request(change.method, exploration, "{}")
		change.edit(r)
		f := &fakeStream{end: io.EOF}
		if w := streamed(f, r); w.Code != change.want || len(f.sent) > 0 {
			t.Errorf("%s: status %d, want %d: %s", name, w.Code, change.want, w.Body)
		}
	}
}

func TestAnExplorationEndsWhenTheBrowserLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		s := &silentStream{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			New(Config{Control: s, Token: secret}).ServeHTTP(httptest.NewRecorder(), request(http.MethodPost, exploration, "{}").WithContext(ctx))
		}()
		synctest.Wait()
		if s.ctx.Err() != nil {
			t.Error("the exploration has ended while the browser is there")
		}
		leave()
		<-done
		if s.ctx.Err() == nil {
			t.Error("the exploration goes on without the browser")
		}
	})
}

func TestBrowsersHaveTwoExplorationsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{Control: &silentControl{}, Token: secret})
		begin := func() (w *httptest.ResponseRecorder, leave func()) {
			ctx, cancel := context.WithCancel(t.Context())
			w = httptest.NewRecorder()
			done := make(chan struct{})
			go func() {
				defer close(done)
				h.ServeHTTP(w, request(http.MethodPost, exploration, "{}").WithContext(ctx))
			}()
			synctest.Wait()
			return w, func() { cancel(); <-done }
		}
		var ends []func()
		for range 2 {
			w, leave := begin()
			if w.Code != 200 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			ends = append(ends, leave)
		}
		if w, leave := begin(); w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "2 explorations are running in browsers") {
			t.Errorf("a third: status %d: %s", w.Code, w.Body)
		} else {
			leave()
		}
		ends[0]()
		if w, leave := begin(); w.Code != 200 {
			t.Errorf("after one has ended: status %d: %s", w.Code, w.Body)
		} else {
			leave()
		}
		ends[1]()
	})
}
