package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// fetcher makes the outcall its argument says. It replies with the reply, or a
// digit that is the reject code and the text. Its transforms give what they get, or a
// constant.
const fetcher = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reject_code" (func $code (result i32)))
	(import "ic0" "msg_reject_msg_size" (func $text (result i32)))
	(import "ic0" "msg_reject_msg_copy" (func $copy_text (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32)))
	(import "ic0" "call_cycles_add" (func $cycles (param i64)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 40)
	(table 2 funcref)
	(elem (i32.const 0) $replied $rejected)
	(data (i32.const 0) "http_requesttransformed")
	(func $replied (param i32)
		(call $copy (i32.const 100) (i32.const 0) (call $size))
		(call $append (i32.const 100) (call $size))
		(call $reply))
	(func $rejected (param i32)
		(i32.store8 (i32.const 99) (i32.add (i32.const 48) (call $code)))
		(call $copy_text (i32.const 100) (i32.const 0) (call $text))
		(call $append (i32.const 99) (i32.add (i32.const 1) (call $text)))
		(call $reply))
	(func (export "canister_update go")
		(call $copy (i32.const 100) (i32.const 0) (call $size))
		(call $new (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 12) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
		(call $data (i32.const 100) (call $size))
		(call $cycles (i64.const 100_000_000_000))
		(drop (call $perform)))
	(func (export "canister_query constant") (call $append (i32.const 12) (i32.const 11)) (call $reply))
	(func (export "canister_query endless") (loop $again (br $again)))
	(func (export "canister_query same") (call $replied (i32.const 0))))`

// browser is a user with a canister that makes outcalls.
type browser struct {
	user
	id    principal.Principal
	types []*candid.Type // of the argument of http_request
}

func browse(t *testing.T, d *Daemon) *browser {
	t.Helper()
	described, err := os.ReadFile(filepath.Join("..", "replica", "internal", "management", "testdata", "ic.did"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := did.Parse(string(described))
	if err != nil {
		t.Fatal(err)
	}
	method, _ := file.Method("http_request")
	u := userOf(t, d)
	return &browser{u, u.deploy(wat.MustAssemble(fetcher)), []*candid.Type{method.Args[0].Type}}
}

// request is an argument of http_request; SELF is the canister.
func (b *browser) request(text string) []byte {
	b.Helper()
	args, err := candid.ParseArgsAt("(record {"+strings.ReplaceAll(text, "SELF", b.id.String())+"})", b.types)
	if err != nil {
		b.Error(err)
	}
	encoded, err := candid.Encode(args, b.types)
	if err != nil {
		b.Error(err)
	}
	return encoded
}

// result is http_request_result.
type result struct {
	Status  uint `ic:"status"`
	Headers []struct {
		Name  string `ic:"name"`
		Value string `ic:"value"`
	} `ic:"headers"`
	Body []byte `ic:"body"`
}

// outcall makes an outcall and gives what the canister got, or the reject.
func (b *browser) outcall(text string) (r result, refused string) {
	b.Helper()
	reply, err := b.Call(b.ctx, b.id, b.id, "go", b.request(text))
	if err != nil {
		b.Error(err)
		return r, "no answer"
	}
	if err := candid.Unmarshal(reply, &r); err != nil {
		return r, string(reply)
	}
	return r, ""
}

func (r *result) header(name string) string {
	for _, h := range r.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

// site is a server that tells what it was asked.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s %s|%s|%s|%s|%s", r.Method, r.URL.RequestURI(), r.Host, r.UserAgent(), r.Header.Get("X-Asked"), r.Header.Get("Accept-Encoding"), body)
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/bytes", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.URL.RawQuery, &n)
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "x")
		w.Header().Set("Content-Length", fmt.Sprint(n))
		_, _ = w.Write(make([]byte, n))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
	})
	mux.HandleFunc("/umlaut", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Name", "M\xfcller") })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestOutcallsReachAServerAsTheyAreAndBringBackWhatItSays(t *testing.T) {
	base := site(t)
	host := strings.TrimPrefix(base, "http://")
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	for text, want := range map[string]string{
		`url = "` + base + `/echo?a=b"; method = variant { get }; headers = vec {}`:                                                                                                                  "GET /echo?a=b " + host + "|ic/1.0|||",
		`url = "` + base + `/echo"; method = variant { post }; body = opt blob "sent"; headers = vec { record { name = "x-asked"; value = "a b" }; record { name = "user-AGENT"; value = "me" } }`:   "POST /echo " + host + "|me|a b||sent",
		`url = "` + base + `/echo"; method = variant { patch }; body = opt blob "part"; is_replicated = opt false; headers = vec { record { name = "Host"; value = "example.com" } }`:                "PATCH /echo example.com|ic/1.0|||part",
		`url = "` + base + `/echo"; method = variant { put }; is_replicated = opt false; headers = vec { record { name = "accept-encoding"; value = "gzip" } }`:                                      "PUT /echo " + host + "|ic/1.0||gzip|",
		`url = "` + base + `/echo"; method = variant { delete }; is_replicated = opt false; headers = vec {}`:                                                                                        "DELETE /echo " + host + "|ic/1.0|||",
		`url = "` + base + `/echo"; method = variant { head }; headers = vec {}; transform = opt record { function = func "SELF"."missing"; context = blob "" }`:                                     "5IC0536: Error from Canister SELF: Canister has no query method 'missing'..",
		`url = "` + base + `/echo"; method = variant { get }; headers = vec {}; transform = opt record { function = func "SELF"."constant"; context = blob "" }`:                                     "transformed",
		`url = "` + base + `/echo"; method = variant { get }; headers = vec {}; transform = opt record { function = func "SELF"."same"; context = blob "what the call said" }; is_replicated = null`: "what the call said",
	} {
		r, refused := b.outcall(text)
		switch want = strings.ReplaceAll(want, "SELF", b.id.String()); {
		case refused != "":
			if !strings.Contains(refused, want) {
				t.Errorf("%s\ngot  %q\nwant %q", text, refused, want)
			}
		case r.Status != http.StatusTeapot || string(r.Body) != want || r.header("x-answer") != "yes":
			t.Errorf("%s\ngot  %d %q %v\nwant %q", text, r.Status, r.Body, r.Headers, want)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	base := site(t)
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	r, refused := b.outcall(`url = "` + base + `/away"; method = variant { get }; headers = vec {}`)
	if r.Status != http.StatusFound || r.header("location") != "/echo" {
		t.Errorf("got %d %v %s", r.Status, r.Headers, refused)
	}
}

func TestAnOutcallsResponseIsBoundedInItsHeadersAndBody(t *testing.T) {
	base := site(t)
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	// content-type: x and content-length: 1000 are 31 bytes
	for limit, want := range map[string]string{
		"1031": "", "1030": "1Http body exceeds size limit of 1030 bytes.", "31": "1Http body exceeds size limit of 31 bytes.",
		"30": "1Header size exceeds specified response size limit 30", "0": "1Header size exceeds specified response size limit 0",
	} {
		r, refused := b.outcall(`url = "` + base + `/bytes?1000"; method = variant { get }; headers = vec {}; max_response_bytes = opt ` + limit)
		if refused != want || want == "" && len(r.Body) != 1000 {
			t.Errorf("limit %s: %d bytes, %q; want %q", limit, len(r.Body), refused, want)
		}
	}
	if _, refused := b.outcall(`url = "` + base + `/bytes?2000000"; method = variant { get }; headers = vec {}`); refused != "1Http body exceeds size limit of 2000000 bytes." {
		t.Errorf("two million bytes and headers: %q", refused)
	}
}

func TestOutcallsThatFailSayWhy(t *testing.T) {
	base := site(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, refusal := new(net.Dialer).DialContext(t.Context(), "tcp", dead) // systems have words of their own for it
	if refusal == nil {
		t.Fatalf("somebody listens on %s", dead)
	}
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	for text, want := range map[string]string{
		`url = "http://` + dead + `/"; method = variant { get }; headers = vec {}`:                                   "2Connecting to 127.0.0.1 failed: direct connect " + refusal.Error() + "\n                                    and connect through socks \"No SOCKS proxy addresses provided\"",
		`url = "ftp://example.com/"; method = variant { get }; headers = vec {}`:                                     "1Url need to specify https scheme",
		`url = "https://\7f"; method = variant { get }; headers = vec {}`:                                            "1Failed to parse URL: invalid uri character",
		`url = "https:///nobody"; method = variant { get }; headers = vec {}`:                                        "1Failed to parse URL: invalid format",
		`url = "` + base + `/echo"; method = variant { get }; headers = vec { record { name = "a b"; value = "" } }`: "1Failed to parse header name invalid HTTP header name",
		`url = "` + base + `/echo"; method = variant { get }; headers = vec { record { name = "a"; value = "\n" } }`: "1Failed to parse header value failed to parse header value",
		`url = "` + base + `/cut"; method = variant { get }; headers = vec {}`:                                       "2Failed to fetch body: unexpected EOF",
		`url = "` + base + `/umlaut"; method = variant { get }; headers = vec {}`:                                    "2Failed to parse headers: failed to convert header to a str",
		`url = "` + base + `/echo"; method = variant { post }; headers = vec {}; max_response_bytes = opt 3_000_000`: "4max_response_bytes expected to be in the range [0..2000000], got 3000000",
	} {
		if _, refused := b.outcall(text); refused != want {
			t.Errorf("%s\ngot  %q\nwant %q", text, refused, want)
		}
	}
}

// hanging is a server that does not answer before the test ends.
func hanging(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	release, came := make(chan struct{}), make(chan struct{}, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	return s.URL, came
}

func TestAServerThatDoesNotAnswerInTimeIsGivenUp(t *testing.T) {
	url, _ := hanging(t)
	o := newOutcallClient(false, reach{all: true})
	defer o.close()
	o.timeout = 20 * time.Millisecond
	a := o.fetch(t.Context(), &replica.Outcall{Method: "GET", URL: url, MaxResponse: 1000})
	if a.Reject == nil || a.Reject.Code != intercanister.SysFatal || a.Reject.Text != "Timeout expired" {
		t.Errorf("got %+v", a)
	}
}

func TestCloseGivesUpTheOutcallsUnderWay(t *testing.T) {
	url, asked := hanging(t)
	before := goleak.IgnoreCurrent()
	d, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), OutcallsLocal: true})
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, d)
	ctx, leave := context.WithCancel(b.ctx)
	gone := make(chan error)
	go func() {
		_, err := b.Call(ctx, b.id, b.id, "go", b.request(`url = "`+url+`"; method = variant { get }; headers = vec {}`))
		gone <- err
	}()
	<-asked
	leave()
	<-gone
	b.Close()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	nothingIsLeft(t, before)
}

func TestHeldOutcallsWaitForAnAnswer(t *testing.T) {
	d := started(t, Config{Outcalls: HoldOutcalls})
	b := browse(t, d)
	type answered struct {
		r       result
		refused string
	}
	done := make(chan answered)
	go func() {
		r, refused := b.outcall(`url = "https://example.com/"; method = variant { get }; headers = vec {}`)
		done <- answered{r, refused}
	}()
	<-d.Driver().OutcallsMade()
	pending, err := d.Outcalls(b.ctx)
	if err != nil || len(pending) != 1 || pending[0].Request.URL != "https://example.com/" || pending[0].Request.Canister != b.id || pending[0].Nodes != 13 {
		t.Fatalf("pending are %+v (%v)", pending, err)
	}
	in := &replica.HTTPAnswer{Subnet: pending[0].Subnet, Number: pending[0].Number, Answers: make([]replica.OutcallAnswer, 2)}
	var refused *refusal.Refusal
	if err := d.AnswerOutcall(b.ctx, in); !errors.As(err, &refused) || !strings.Contains(refused.Text, "HTTP outcall 0 has 2 answers: give one for all nodes of subnet") {
		t.Errorf("two answers: %v", err)
	}
	in.Answers = make([]replica.OutcallAnswer, 13)
	for i := range in.Answers {
		in.Answers[i] = replica.OutcallAnswer{Status: 200, Body: []byte("most")}
		if i%4 == 3 {
			in.Answers[i] = replica.OutcallAnswer{Status: 500, Body: []byte("others")}
		}
	}
	if err := d.AnswerOutcall(b.ctx, in); err != nil {
		t.Fatal(err)
	}
	if a := <-done; a.refused != "" || string(a.r.Body) != "most" {
		t.Errorf("the canister got %d %q %q", a.r.Status, a.r.Body, a.refused)
	}
	if err := d.AnswerOutcall(b.ctx, in); !errors.As(err, &refused) || !strings.Contains(refused.Text, "no pending HTTP outcall 0") {
		t.Errorf("answered twice: %v", err)
	}
}

func TestDeniedOutcallsAreRejected(t *testing.T) {
	b := browse(t, started(t, Config{Outcalls: DenyOutcalls}))
	if _, refused := b.outcall(`url = "https://example.com/"; method = variant { get }; headers = vec {}`); refused != "1"+deniedOutcall {
		t.Errorf("got %q", refused)
	}
}

// A transform that never ends is stopped by its limit, and others are served
// meanwhile.
func TestAnEndlessTransformDelaysNoOtherCanister(t *testing.T) {
	base := site(t)
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	done := make(chan string)
	go func() {
		_, refused := b.outcall(`url = "` + base + `/echo"; method = variant { get }; headers = vec {}; transform = opt record { function = func "SELF"."endless"; context = blob "" }`)
		done <- refused
	}()
	for served := 0; ; served++ {
		select {
		case refused := <-done:
			if served == 0 || !strings.HasPrefix(refused, "5IC0522: ") {
				t.Errorf("%d outcalls were served meanwhile; the transform: %q", served, refused)
			}
			return
		default:
		}
		if r, refused := b.outcall(`url = "` + base + `/echo"; method = variant { get }; headers = vec {}`); r.Status != http.StatusTeapot {
			t.Fatalf("got %d %q", r.Status, refused)
		}
	}
}

func TestManyOutcallsAreMadeAndAllAreAnswered(t *testing.T) {
	base := site(t)
	b := browse(t, started(t, Config{OutcallsLocal: true}))
	const count = maxCanisterOutcalls + 50
	failed := make(chan string, count)
	for i := range count {
		go func() {
			r, refused := b.outcall(fmt.Sprintf(`url = "%s/echo?%d"; method = variant { get }; headers = vec {}`, base, i))
			if want := fmt.Sprintf("GET /echo?%d ", i); !strings.HasPrefix(string(r.Body), want) {
				refused += " instead of " + want
			}
			failed <- refused
		}()
	}
	for range count {
		if refused := <-failed; refused != "" {
			t.Error(refused)
		}
	}
}
