package inspect

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestAMessageHasUpToEightMebibytes(t *testing.T) {
	for size, want := range map[int]int{8 << 20: 200, 8<<20 + 1: 400} {
		if w := answerTo(request(http.MethodPost, getInstance, "{}"+strings.Repeat(" ", size-2))); w.Code != want {
			t.Errorf("%d bytes: status %d, want %d", size, w.Code, want)
		}
	}
	for size, want := range map[int]int{8<<20 - 1: 200, 8<<20 + 1: 400} {
		r := request(http.MethodPost, Path+"rpc/Canisters/InstallCode", `{"head": {}}`+"\n{}"+strings.Repeat(" ", size-2)+"\n")
		r.Header.Set("Content-Type", streamType)
		if w := streamed(&fakeStream{answers: []proto.Message{&controlv1.InstallCodeResponse{}}}, r); w.Code != want {
			t.Errorf("a line of %d bytes: status %d, want %d: %.100s", size, w.Code, want, w.Body)
		}
	}
}

func TestABrowserKeepsItsSessionFor400Days(t *testing.T) {
	w := answerTo(request(http.MethodGet, Path+"?token="+secret, ""))
	if cookie := w.Header().Get("Set-Cookie"); !strings.Contains(cookie, "Max-Age=34560000;") {
		t.Errorf("the cookie is %s", cookie)
	}
}

func TestABrowserKeepsAFileForAYear(t *testing.T) {
	w := answerTo(request(http.MethodGet, filesPath+pages().version+"/app.js", ""))
	if kept := w.Header().Get("Cache-Control"); kept != "max-age=31536000, immutable" {
		t.Errorf("it keeps it by %q", kept)
	}
}

// sizedControl remembers the largest answer that it may give.
type sizedControl struct {
	grpc.ClientConnInterface
	most int
}

func (c *sizedControl) Invoke(_ context.Context, _ string, _, _ any, options ...grpc.CallOption) error {
	for _, option := range options {
		if size, ok := option.(grpc.MaxRecvMsgSizeCallOption); ok {
			c.most = size.MaxRecvMsgSize
		}
	}
	return nil
}

func TestAnAnswerHasAsManyBytesAsTheControlAPIGives(t *testing.T) {
	c := &sizedControl{}
	New(Config{Control: c, Token: secret}).ServeHTTP(httptest.NewRecorder(), request(http.MethodPost, getInstance, "{}"))
	if c.most != 64<<20 {
		t.Errorf("an answer may have %d bytes", c.most)
	}
}

// silentStream has some messages, and then none until the browser leaves.
type silentStream struct {
	fakeStream
	ctx  context.Context
	read int
}

func (s *silentStream) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	s.ctx = ctx
	return s, nil
}

// silentControl makes silent streams.
type silentControl struct{ fakeStream }

func (*silentControl) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return &silentStream{ctx: ctx}, nil
}

func (s *silentStream) RecvMsg(into any) error {
	if len(s.answers) == 0 {
		<-s.ctx.Done()
		return s.ctx.Err()
	}
	s.read++
	return s.fakeStream.RecvMsg(into)
}

// deadlined is a response whose writes may be held up, and that remembers until when one may take.
type deadlined struct {
	*httptest.ResponseRecorder
	stopped chan struct{} // nil: no write is held up

	mu    sync.Mutex // guards what follows and the recorder's body
	until time.Time
}

func (w *deadlined) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = at
	return nil
}

// seen returns what was written so far, and until when the last write might take.
func (w *deadlined) seen() (text string, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Body.String(), w.until
}

func (w *deadlined) Write(p []byte) (int, error) {
	if w.stopped != nil {
		<-w.stopped
		return 0, io.ErrClosedPipe
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseRecorder.Write(p)
}

func TestASilentStreamFindsOutEvery15SecondsWhetherTheBrowserIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			New(Config{Control: &silentStream{}, Token: secret}).ServeHTTP(w, watch("{}").WithContext(ctx))
		}()
		time.Sleep(15*time.Second - time.Nanosecond)
		synctest.Wait()
		if text, _ := w.seen(); text != "" {
			t.Errorf("before 15 seconds, it gets %q", text)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		text, until := w.seen()
		if text != ":\n\n" {
			t.Errorf("after 15 seconds, it gets %q", text)
		}
		if patience := time.Until(until); patience != 30*time.Second {
			t.Errorf("it may take %v to accept that", patience)
		}
		leave()
		<-done
	})
}

// readAhead returns how many messages of a stream are read for a browser that takes none.
func readAhead(t *testing.T, message proto.Message) (read int) {
	synctest.Test(t, func(t *testing.T) {
		s := &silentStream{}
		for range 1000 {
			s.answers = append(s.answers, message)
		}
		w := &deadlined{ResponseRecorder: httptest.NewRecorder(), stopped: make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			New(Config{Control: s, Token: secret}).ServeHTTP(w, watch("{}"))
		}()
		synctest.Wait()
		read = s.read
		close(w.stopped)
		<-done
	})
	return read
}

func TestAStreamReadsAtMost4MebibytesAheadOfTheBrowser(t *testing.T) {
	for size, want := range map[int]int{0: 256, 16<<10 - 100: 256, 16 << 10: 128, 1 << 20: 3, 8 << 20: 1} {
		message := &controlv1.WatchResponse{ResumeToken: "x", Event: &controlv1.Event{Log: make([]byte, size)}}
		if read := readAhead(t, message); read != want+1 { // one for which there is no room
			t.Errorf("of messages of %d bytes, %d are read, want %d", size, read, want+1)
		}
	}
}

// flushed counts how often a response was sent on.
type flushed struct {
	*httptest.ResponseRecorder
	times atomic.Int64
}

func (w *flushed) Flush() { w.times.Add(1) }

func TestMessagesOf20MillisecondsAreSentTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silentStream{}
		for range 100 {
			s.answers = append(s.answers, &controlv1.WatchResponse{ResumeToken: "x"})
		}
		ctx, leave := context.WithCancel(t.Context())
		w := &flushed{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			New(Config{Control: s, Token: secret}).ServeHTTP(w, watch("{}").WithContext(ctx))
		}()
		time.Sleep(20*time.Millisecond - time.Nanosecond)
		synctest.Wait()
		if times := w.times.Load(); times != 1 { // the head
			t.Errorf("it was sent on %d times before 20 ms", times)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if times := w.times.Load(); times != 2 {
			t.Errorf("it was sent on %d times in 20 ms", times)
		}
		leave()
		<-done
		if sent := strings.Count(w.Body.String(), "data: "); sent != 100 {
			t.Errorf("%d messages were sent", sent)
		}
	})
}
