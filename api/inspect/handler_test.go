package inspect

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/internal/origin"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// secret is the token of the tests.
const secret = "0123456789abcdef"

// fakeControl answers GetInstance with an instance of the name that was asked for, and "gone" with an error.
type fakeControl struct{ grpc.ClientConnInterface }

func (fakeControl) Invoke(_ context.Context, method string, in, out any, _ ...grpc.CallOption) error {
	asked, ok := in.(*controlv1.GetInstanceRequest)
	if !ok {
		return fmt.Errorf("the tests call GetInstance, not %s", method)
	}
	if asked.GetInstance() == "gone" {
		return status.Error(codes.NotFound, "no instance gone")
	}
	proto.Merge(out.(proto.Message), &controlv1.GetInstanceResponse{Instance: &controlv1.Instance{Name: asked.GetInstance(), Height: 7}})
	return nil
}

func newTestHandler() *Handler {
	return New(Config{Control: fakeControl{}, Token: secret, Hosts: []string{"proxy.test"}, Version: "v1"})
}

// request is a request of a page of the inspector, which tests change.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:4943"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Sec-Fetch-Mode", "cors")
	r.Header.Set(pageHeader, "1")
	r.AddCookie(&http.Cookie{Name: origin.SessionCookie(r.Host), Value: session{secret}.cookie(r.Host)})
	if method == http.MethodPost {
		r.Header.Set("Content-Type", unaryType)
		r.Header.Set("Origin", "http://127.0.0.1:4943")
	}
	return r
}

// moveTo makes a request one at another host, by a page that has a session there.
func moveTo(r *http.Request, host, scheme string) {
	r.Host = host
	r.Header.Set("Origin", scheme+"://"+host)
	r.Header.Set("Cookie", origin.SessionCookie(host)+"="+session{secret}.cookie(host))
}

func answerTo(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	newTestHandler().ServeHTTP(w, r)
	return w
}

const getInstance = Path + "rpc/Instances/GetInstance"

func TestOnlyThePagesOfTheInspectorGetAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"its own page":                    {func(*http.Request) {}, 200},
		"a program that sends no headers": {func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") }, 200},
		"localhost":                       {func(r *http.Request) { moveTo(r, "localhost:4943", "http") }, 200},
		"an allowed host":                 {func(r *http.Request) { moveTo(r, "proxy.test", "https") }, 200},
		"a name that resolves here": {func(r *http.Request) {
			r.Host = "evil.example:4943"
			r.Header.Set("Origin", "http://evil.example:4943")
		}, 403},
		"a host of a canister":             {func(r *http.Request) { r.Host = "ryjl3-tyaaa-aaaaa-aaaba-cai.localhost:4943" }, 403},
		"no host":                          {func(r *http.Request) { r.Host = "" }, 403},
		"a foreign page":                   {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a page of another port":           {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:3000") }, 403},
		"a page of a canister":             {func(r *http.Request) { r.Header.Set("Origin", "http://aaaaa-aa.localhost:4943") }, 403},
		"a page without an origin":         {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a foreign page, says the browser": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a page of the same site":          {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"no cookie":                        {func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		"a wrong cookie":                   {func(r *http.Request) { r.Header.Set("Cookie", "canisterd_inspector_4943="+secret) }, 401},
		"no header of the page":            {func(r *http.Request) { r.Header.Del(pageHeader) }, 403},
		"names without that header": {func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodGet, Path+"names"
			r.Header.Del(pageHeader)
		}, 403},
		"a form":                      {func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
		"a text":                      {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"no content type":             {func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		"another method":              {func(r *http.Request) { r.Method = http.MethodGet }, 405},
		"a preflight":                 {func(r *http.Request) { r.Method = http.MethodOptions; r.Header.Del("Cookie") }, 401},
		"a preflight with the cookie": {func(r *http.Request) { r.Method = http.MethodOptions }, 405},
		"a navigation by a form of a page": {func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 403},
		"a window of a page of this machine": {func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodGet, Path+"stream/Events/Watch"
			r.Header.Del("Origin")
			r.Header.Set("Sec-Fetch-Site", "same-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 403},
		"an exploration as a link":        {func(r *http.Request) { r.Method = http.MethodGet; r.URL.Path = Path + "stream/Explorer/Explore" }, 405},
		"a replay that asks":              {func(r *http.Request) { r.Method = http.MethodGet; r.URL.Path = Path + "stream/Explorer/ReplayAsking" }, 404},
		"a stream of memory":              {func(r *http.Request) { r.Method = http.MethodGet; r.URL.Path = Path + "stream/Canisters/ReadMemory" }, 404},
		"an RPC that does not exist":      {func(r *http.Request) { r.URL.Path = Path + "rpc/Instances/Nothing" }, 404},
		"a service of another package":    {func(r *http.Request) { r.URL.Path = Path + "rpc/grpc.health.v1.Health/Check" }, 404},
		"a message in place of a service": {func(r *http.Request) { r.URL.Path = Path + "rpc/GetInstanceRequest/name" }, 404},
		"an RPC with a stream":            {func(r *http.Request) { r.URL.Path = Path + "rpc/Events/Watch" }, 400},
		"an RPC without a stream as one":  {func(r *http.Request) { r.Method = http.MethodGet; r.URL.Path = Path + "stream/Instances/GetInstance" }, 404},
	} {
		r := request(http.MethodPost, getInstance, "{}")
		row.change(r)
		w := answerTo(r)
		if w.Code != row.want {
			t.Errorf("%s: status %d, want %d: %s", name, w.Code, row.want, w.Body)
		}
		for header := range w.Header() {
			if strings.HasPrefix(header, "Access-Control-") {
				t.Errorf("%s: the answer has %s, with which other pages could read it", name, header)
			}
		}
		if w.Header().Get("X-Frame-Options") != "DENY" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: another page may frame the answer", name)
		}
	}
}

func TestAPageOpensFromElsewhereButWithoutData(t *testing.T) {
	navigate := func(path, site, dest string) *httptest.ResponseRecorder {
		r := request(http.MethodGet, path, "")
		r.Header.Set("Sec-Fetch-Site", site)
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", dest)
		return answerTo(r)
	}
	if w := navigate(Path+"call/12", "cross-site", "document"); w.Code != 200 || !strings.Contains(w.Body.String(), "app.js") {
		t.Errorf("a link in another page: %d", w.Code)
	}
	if w := navigate(Path+"call/12", "cross-site", "iframe"); w.Code != 403 {
		t.Errorf("a frame in another page: %d", w.Code)
	}
	if w := navigate(filesPath+pages().version+"/app.js", "cross-site", "script"); w.Code != 403 {
		t.Errorf("a script in another page: %d", w.Code)
	}
	for query, want := range map[string]int{"": 301, "?i=lab": 301, "?i=lab&token=" + secret: 303} {
		kept, _, _ := strings.Cut(query, "&")
		if w := navigate(strings.TrimSuffix(Path, "/")+query, "none", "document"); w.Code != want || w.Header().Get("Location") != Path+kept || (w.Header().Get("Set-Cookie") != "") != (want == 303) {
			t.Errorf("the address without a slash at the end, %q: %d to %s", query, w.Code, w.Header().Get("Location"))
		}
	}
}

// brokenBody is a request body that ends with an error.
type brokenBody struct{ io.Reader }

func (brokenBody) Close() error             { return nil }
func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestARequestThatBreaksOffIsABadRequest(t *testing.T) {
	for path, kind := range map[string]string{"rpc/Instances/GetInstance": unaryType, "values": unaryType, "rpc/Canisters/InstallCode": streamType} {
		r := request(http.MethodPost, Path+path, "")
		r.Body = brokenBody{}
		r.Header.Set("Content-Type", kind)
		if w := streamed(&fakeStream{}, r); w.Code != 400 || !strings.Contains(w.Body.String(), "unexpected EOF") {
			t.Errorf("%s: status %d, %s", path, w.Code, w.Body)
		}
	}
}

func TestTheTokenInTheURLBeginsASession(t *testing.T) {
	r := request(http.MethodGet, Path+"call/12?i=lab&token="+secret, "")
	r.Header.Del("Cookie")
	w := answerTo(r)
	cookie := w.Header().Get("Set-Cookie")
	if w.Code != 303 || w.Header().Get("Location") != Path+"call/12?i=lab" {
		t.Errorf("it leads to %s (%d): the token must not stay in the address", w.Header().Get("Location"), w.Code)
	}
	for _, want := range []string{"canisterd_inspector_4943=" + session{secret}.cookie("127.0.0.1:4943"), "HttpOnly", "SameSite=Strict", "Path=" + Path, "Max-Age="} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q has no %s", cookie, want)
		}
	}
	wrong := answerTo(request(http.MethodGet, Path+"?token=wrong", ""))
	if wrong.Code != 303 || wrong.Header().Get("Set-Cookie") != "" {
		t.Errorf("a wrong token: %d, cookie %q", wrong.Code, wrong.Header().Get("Set-Cookie"))
	}
	if answerTo(request(http.MethodPost, Path+"?token="+secret, "")).Code != 405 {
		t.Error("a form begins a session")
	}
}

func TestMessagesAreJSON(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"instance": "lab"}`:             {200, `"name":"lab"`},
		`{"instance": "gone"}`:            {404, `{"code":"not_found","message":"no instance gone"}`},
		`{"instances": "lab"}`:            {400, `invalid_argument`},
		`{"instance": 1}`:                 {400, `the message is not a GetInstanceRequest`},
		`nothing`:                         {400, `invalid_argument`},
		``:                                {400, `invalid_argument`},
		strings.Repeat(" ", maxMessage+1): {400, `which is the limit`},
	} {
		w := answerTo(request(http.MethodPost, getInstance, body))
		got := strings.ReplaceAll(w.Body.String(), `": "`, `":"`)
		if w.Code != want.status || !strings.Contains(got, want.text) {
			t.Errorf("%.40s: status %d, want %d with %s: %s", body, w.Code, want.status, want.text, got)
		}
	}
	w := answerTo(request(http.MethodPost, getInstance, `{"instance": "lab"}`))
	if text := strings.ReplaceAll(w.Body.String(), " ", ""); !strings.Contains(text, `"subnets":[]`) || !strings.Contains(text, `"height":"7"`) {
		t.Errorf("fields without a value are left out, which pages read without a check: %s", text)
	}
}

func TestCodesHaveTheNamesAndStatusesOfConnect(t *testing.T) {
	for code, want := range map[codes.Code]string{
		codes.NotFound: "not_found 404", codes.InvalidArgument: "invalid_argument 400", codes.FailedPrecondition: "failed_precondition 400",
		codes.OutOfRange: "out_of_range 400", codes.AlreadyExists: "already_exists 409", codes.Aborted: "aborted 409", codes.PermissionDenied: "permission_denied 403",
		codes.ResourceExhausted: "resource_exhausted 429", codes.Unimplemented: "unimplemented 501", codes.Unavailable: "unavailable 503",
		codes.Unauthenticated: "unauthenticated 401", codes.DeadlineExceeded: "deadline_exceeded 504", codes.Internal: "internal 500",
		codes.DataLoss: "data_loss 500", codes.Unknown: "unknown 500", codes.Canceled: "canceled 499",
	} {
		w := httptest.NewRecorder()
		sendFailure(w, status.Error(code, "why"))
		name, number, _ := strings.Cut(want, " ")
		if !strings.Contains(w.Body.String(), `"code":"`+name+`"`) || http.StatusText(w.Code) != "" && number != statusDigits(w.Code) {
			t.Errorf("%v: %d %s, want %s", code, w.Code, w.Body, want)
		}
	}
}

// statusDigits writes a status of three digits.
func statusDigits(code int) string {
	return string([]byte{byte('0' + code/100), byte('0' + code/10%10), byte('0' + code%10)})
}
