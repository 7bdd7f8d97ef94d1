package inspect

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// fakeStream is an RPC that answers with some messages and an error, and remembers what it was sent.
type fakeStream struct {
	grpc.ClientConnInterface
	grpc.ClientStream
	answers []proto.Message
	end     error
	sent    []proto.Message
}

func (f *fakeStream) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return f, nil
}
func (f *fakeStream) SendMsg(m any) error { f.sent = append(f.sent, m.(proto.Message)); return nil }
func (f *fakeStream) CloseSend() error    { return nil }
func (f *fakeStream) RecvMsg(into any) error {
	if len(f.answers) == 0 {
		return f.end
	}
	proto.Merge(into.(proto.Message), f.answers[0])
	f.answers = f.answers[1:]
	return nil
}

// streamed returns the answer to a request that is served with a fake stream.
func streamed(f *fakeStream, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	New(Config{Control: f, Token: secret}).ServeHTTP(w, r)
	return w
}

func watch(request_ string) *http.Request {
	return request(http.MethodGet, Path+"stream/Events/Watch?request="+url.QueryEscape(request_), "")
}

func TestAStreamIsServerSentEventsThatABrowserCanResume(t *testing.T) {
	f := &fakeStream{end: io.EOF, answers: []proto.Message{
		&controlv1.WatchResponse{ResumeToken: "one", Event: &controlv1.Event{Height: 3, Log: []byte("<b>\n\ndata: x")}},
		&controlv1.WatchResponse{ResumeToken: "two"},
	}}
	r := watch(`{"instance": "lab", "fromBeginning": true}`)
	r.Header.Set("Last-Event-ID", "zero")
	w := streamed(f, r)
	text := strings.ReplaceAll(w.Body.String(), `": `, `":`)
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, want := range []string{"id: one\ndata: {", `"height":"3"`, "id: two\ndata: {", "event: ended\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "\ndata:") != 3 {
		t.Errorf("a line of a canister makes events:\n%s", text)
	}
	if sent := f.sent[0].(*controlv1.WatchRequest); sent.GetResumeToken() != "zero" || !sent.GetFromBeginning() || sent.GetInstance() != "lab" {
		t.Errorf("the RPC got %v", sent)
	}
}

func TestAStreamThatFailsSaysWhy(t *testing.T) {
	w := streamed(&fakeStream{end: status.Error(codes.OutOfRange, "forgotten")}, watch("{}"))
	if text := w.Body.String(); !strings.Contains(text, "event: failed\ndata: {\"code\":\"out_of_range\",\"message\":\"forgotten\"}") {
		t.Errorf("it says\n%s", text)
	}
	if w := streamed(&fakeStream{}, watch(`{"nothing": 1}`)); w.Code != 400 {
		t.Errorf("a malformed request: %d %s", w.Code, w.Body)
	}
	if w := streamed(&fakeStream{}, request(http.MethodGet, Path+"stream/Messages/Mock?request={}", "")); w.Code != 404 {
		t.Errorf("an RPC with streams in both directions: %d", w.Code)
	}
}

func TestTheFileOfAnInstanceIsAStreamOfItsPieces(t *testing.T) {
	f := &fakeStream{end: io.EOF, answers: []proto.Message{&controlv1.ExportInstanceResponse{Chunk: []byte("\x00one")}, &controlv1.ExportInstanceResponse{Chunk: []byte("two")}}}
	w := streamed(f, request(http.MethodGet, Path+"stream/Instances/ExportInstance?request="+url.QueryEscape(`{"instance": "lab", "journal": true}`), ""))
	text := strings.ReplaceAll(w.Body.String(), `": "`, `":"`)
	if want := "data: {\"chunk\":\"AG9uZQ==\"}\n\ndata: {\"chunk\":\"dHdv\"}\n\nevent: ended\ndata: {}\n\n"; text != want {
		t.Errorf("status %d, %q, want %q", w.Code, text, want)
	}
	if sent := f.sent[0].(*controlv1.ExportInstanceRequest); sent.GetInstance() != "lab" || !sent.GetJournal() {
		t.Errorf("the RPC got %v", sent)
	}
}

func TestEachLineOfAnInstallationIsAMessage(t *testing.T) {
	f := &fakeStream{answers: []proto.Message{&controlv1.InstallCodeResponse{Instructions: 9}}}
	r := request(http.MethodPost, Path+"rpc/Canisters/InstallCode", `{"head": {"canisterId": "aaaaa-aa"}}`+"\n"+`{"chunk": "AGFzbQ=="}`+"\n")
	r.Header.Set("Content-Type", streamType)
	w := streamed(f, r)
	if w.Code != 200 || !strings.Contains(strings.ReplaceAll(w.Body.String(), `": "`, `":"`), `"instructions":"9"`) || len(f.sent) != 2 {
		t.Fatalf("status %d, %s; sent %v", w.Code, w.Body, f.sent)
	}
	if chunk := f.sent[1].(*controlv1.InstallCodeRequest).GetChunk(); string(chunk) != "\x00asm" {
		t.Errorf("the chunk is %q", chunk)
	}
	broken := request(http.MethodPost, Path+"rpc/Canisters/InstallCode", `{"head": {}}`+"\nnothing\n")
	broken.Header.Set("Content-Type", streamType)
	if w := streamed(&fakeStream{}, broken); w.Code != 400 {
		t.Errorf("a malformed line: %d", w.Code)
	}
}
