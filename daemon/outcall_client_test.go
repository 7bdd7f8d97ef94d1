package daemon

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// rawSite is a server that answers each connection's first request with bytes of the
// test's choice and tells the heads of the requests.
func rawSite(t *testing.T, answer string) (address string, asked <-chan string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	heads := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var head strings.Builder
			for lines := bufio.NewReader(conn); ; {
				line, err := lines.ReadString('\n')
				head.WriteString(line)
				if err != nil || line == "\r\n" {
					break
				}
			}
			heads <- head.String()
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String(), heads
}

// asked makes an outcall and writes down the result.
func asked(ctx context.Context, o *outcallClient, q replica.Outcall) string {
	if q.Method == "" {
		q.Method = http.MethodGet
	}
	if q.MaxResponse == 0 {
		q.MaxResponse = 2_000_000
	}
	a := o.fetch(ctx, &q)
	if a.Reject != nil {
		return fmt.Sprintf("reject %d %s", a.Reject.Code, a.Reject.Text)
	}
	return fmt.Sprintf("%d %v %s", a.Status, a.Headers, a.Body)
}

func TestAnOutcallHasTheHeadersThatTheServerSentAllOfThemAndNoOthers(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx":                                                        "200 [[connection close]] x",
		"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nx":                                                              "200 [[server old]] x",
		"HTTP/1.1 200 OK\r\nConnection: Close, te\r\nX: 1\r\nA: 2\r\nx:  3 \r\n\r\n":                           "200 [[connection Close, te] [x 1] [x 3] [a 2]] ",
		"HTTP/1.1 200 OK\r\nPragma: no-cache\r\nContent-Length: 1\r\n\r\nx":                                    "200 [[pragma no-cache] [content-length 1]] x",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Late\r\n\r\n1\r\nx\r\n0\r\nLate: 1\r\n\r\n": "200 [[transfer-encoding chunked] [trailer Late]] x",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx":                                   "200 [[content-length 1] [content-length 1]] x",
		"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nB: 1\r\n\r\nx":                       "200 [[b 1]] x",
		"HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\nbody\r\nB: 3\r\n\r\n":                                            "200 [[a 1 2]] body\r\nB: 3\r\n\r\n",
	} {
		address, _ := rawSite(t, answer)
		o := newOutcallClient(false, reach{all: true})
		if got := asked(t.Context(), o, replica.Outcall{URL: "http://" + address}); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", answer, got, want)
		}
		o.close()
	}
}

func TestConnectionCloseCountsForTheLimitOfAResponse(t *testing.T) {
	address, _ := rawSite(t, "HTTP/1.1 200 OK\r\nConnection: close\r\nX: 1\r\n\r\nbody")
	o := newOutcallClient(false, reach{all: true})
	defer o.close()
	// connection: close and x: 1 are 17 bytes
	for limit, want := range map[uint64]string{
		21: "200 [[connection close] [x 1]] body", 20: "reject 1 Http body exceeds size limit of 20 bytes.",
		17: "reject 1 Http body exceeds size limit of 17 bytes.", 16: "reject 1 Header size exceeds specified response size limit 16",
	} {
		if got := asked(t.Context(), o, replica.Outcall{URL: "http://" + address, MaxResponse: limit}); got != want {
			t.Errorf("limit %d: %s\nwant %s", limit, got, want)
		}
	}
}

func TestHeadersOfASecondResponseAreItsOwn(t *testing.T) {
	asks := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asks++
		w.Header()["Date"] = nil
		w.Header().Set("Turn", fmt.Sprint(asks))
		_, _ = io.WriteString(w, strings.Repeat("x", asks))
	}))
	defer s.Close()
	o := newOutcallClient(false, reach{all: true})
	defer o.close()
	for turn := 1; turn <= 3; turn++ {
		want := fmt.Sprintf("200 [[turn %d] [content-length %d] [content-type text/plain; charset=utf-8]] %s", turn, turn, strings.Repeat("x", turn))
		if got := asked(t.Context(), o, replica.Outcall{URL: s.URL}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestHeadersThatCameOverHTTP2AreAllThere(t *testing.T) {
	response := &http.Response{Header: http.Header{"X-B": {"2", "1"}, "A": {"0"}}, Trailer: http.Header{"Late": nil, "Early": nil}}
	want := [][2]string{{"a", "0"}, {"trailer", "early, late"}, {"x-b", "2"}, {"x-b", "1"}}
	if got := decodedHeaders(response); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestURLsReachTheServerAsTheyAreOrAreRefusedInTheReplicasWords(t *testing.T) {
	address, heads := rawSite(t, "HTTP/1.1 200 OK\r\n\r\n")
	o := newOutcallClient(false, reach{all: true})
	defer o.close()
	for url, want := range map[string]string{
		"http://HOST":                 "/",
		"http://HOST?a":               "/?a",
		"HTTP://HOST/a#ä":             "/a",
		"http://u:p@HOST/%zz%41":      "/%zz%41",
		`http://HOST/a{b}"|\?c=[d]|^`: `/a{b}"|\?c=[d]|^`,
		"http://HOST//a?b":            "//a?b",
		"http://HOST/a?":              "/a?",
		"":                            "!Failed to parse URL: empty string",
		"/a":                          "!Url need to specify https scheme",
		"HOST":                        "!Url need to specify https scheme",
		"HOST/a":                      "!Failed to parse URL: invalid format",
		"http://":                     "!Failed to parse URL: invalid format",
		"http:///a":                   "!Failed to parse URL: invalid format",
		"ftp://HOST/":                 "!Url need to specify https scheme",
		"http://HOST/ä":               "!Failed to parse URL: invalid uri character",
		"http://HOST/?q=ä":            "!Failed to parse URL: invalid uri character",
		"http://bücher.example/":      "!Failed to parse URL: invalid uri character",
		"http://HOST/a b":             "!Failed to parse URL: invalid uri character",
		"http://HOST/\x7f":            "!Failed to parse URL: invalid uri character",
		"http://HOST/<":               "!Failed to parse URL: invalid uri character",
		"http://HOST/`":               "!Failed to parse URL: invalid uri character",
		`http://HOST/?"`:              "!Failed to parse URL: invalid uri character",
		"http://[::1/":                "!Failed to parse URL: invalid authority",
		"http://:80/":                 "!Failed to parse URL: invalid authority",
		"http://user@/":               "!Failed to parse URL: invalid authority",
	} {
		got := asked(t.Context(), o, replica.Outcall{URL: strings.ReplaceAll(url, "HOST", address)})
		if text, refused := strings.CutPrefix(want, "!"); refused {
			if got != "reject 1 "+text {
				t.Errorf("%s: %s\nwant %s", url, got, text)
			}
			continue
		}
		if got != "200 [] " {
			t.Errorf("%s: %s", url, got)
			continue
		}
		head := <-heads
		if !strings.HasPrefix(head, "GET "+want+" HTTP/1.1\r\n") || strings.Contains(head, "Authorization") {
			t.Errorf("%s was sent as\n%s", url, head)
		}
	}
}

func TestStrictOutcallsAreMadeOverHTTPSOnly(t *testing.T) {
	base := site(t)
	for mode, want := range map[Outcalls]string{AllowOutcalls: "", StrictOutcalls: "1Url need to specify https scheme"} {
		b := browse(t, started(t, Config{Outcalls: mode, OutcallsLocal: true}))
		if _, refused := b.outcall(`url = "` + base + `/echo"; method = variant { get }; headers = vec {}`); refused != want {
			t.Errorf("%s: %q, want %q", mode, refused, want)
		}
	}
}

func TestStrictOutcallsReachServersWithTLS(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		reachWithTLS(t, http2)
	}
}

func reachWithTLS(t *testing.T, http2 bool) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = http2
	s.StartTLS()
	defer s.Close()
	o := newOutcallClient(true, reach{all: true})
	defer o.close()
	if got := asked(t.Context(), o, replica.Outcall{URL: s.URL}); !strings.HasPrefix(got, "reject 2 Connecting to 127.0.0.1 failed: direct connect tls: failed to verify certificate: x509:") {
		t.Errorf("with a certificate that nothing vouches for: %s", got)
	}
	o.roots = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	want := "200 [[content-length 8] [content-type text/plain; charset=utf-8]] HTTP/1.1"
	if http2 {
		want = strings.ReplaceAll(want, "HTTP/1.1", "HTTP/2.0")
	}
	if got := asked(t.Context(), o, replica.Outcall{URL: s.URL}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
