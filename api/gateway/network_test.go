package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

var (
	shop   = principal.Canister(1)
	subnet = principal.SelfAuthenticating([]byte("subnet"))
)

// fakeNetwork is an instance whose canisters are a function.
type fakeNetwork struct {
	name string
	// call answers queries and updates; a nil reply is a reject.
	call    func(method string, arg []byte) []byte
	methods []string // that were called
}

func (n *fakeNetwork) Name() string         { return n.name }
func (n *fakeNetwork) Backend() api.Backend { return fakeBackend{n} }
func (n *fakeNetwork) Topology() any        { return map[string]string{"of": n.name} }
func (n *fakeNetwork) API() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "interface of "+n.name) })
}

func (n *fakeNetwork) Canisters(context.Context, int) ([]Canister, error) {
	return []Canister{{ID: shop, Subnet: subnet, Status: "<running>", Cycles: "5", Memory: "6", Module: []byte{0xab, 0xcd, 0xef, 0x01}}}, nil
}

func (n *fakeNetwork) Canister(_ context.Context, id principal.Principal) (Canister, bool, error) {
	all, err := n.Canisters(context.Background(), 1)
	all[0].Name, all[0].Pages = "<shop>", true
	return all[0], id == shop, err
}

// fakeBackend is the backend of a fakeNetwork.
type fakeBackend struct{ *fakeNetwork }

func (b fakeBackend) View() api.View               { return fakeView{} }
func (b fakeBackend) Settle(context.Context) error { return nil }

func (fakeBackend) Delivered(principal.Principal, api.RequestID, int) {}

func (b fakeBackend) Clock() api.Clock { return api.Clock{Now: 1, Wall: 1} }

func (b fakeBackend) Query(_ context.Context, q *api.Query) (api.QueryResult, error) {
	b.methods = append(b.methods, q.Method)
	if reply := b.call(q.Method, q.Arg); reply != nil {
		return api.QueryResult{Reply: reply}, nil
	}
	return api.QueryResult{Reject: &intercanister.Reject{Code: 5, Text: "the canister <traps>"}}, nil
}

func (fakeBackend) Submit(context.Context, *api.Ingress) (api.Receipt, error) {
	return api.Receipt{}, errors.New("no client would get the answer")
}

// SubmitAwaited has the answer at once.
func (b fakeBackend) SubmitAwaited(_ context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	b.methods = append(b.methods, in.Method)
	if reply := b.call(in.Method, in.Arg); reply != nil {
		return api.Receipt{}, fakePending{Status: replica.Replied, Reply: reply}, nil
	}
	return api.Receipt{}, fakePending{Status: replica.Rejected, Reject: &intercanister.Reject{Code: 4, Text: "not today"}}, nil
}

type fakePending api.IngressAnswer

func (p fakePending) Answer(context.Context) (api.IngressAnswer, error) {
	return api.IngressAnswer(p), nil
}

// fakeView has what the gateway reads of views.
type fakeView struct{ api.View }

func (v fakeView) Height() uint64  { return 3 }
func (v fakeView) RootKey() []byte { return certify.NewSubnetKey(certify.Seed{}).Public().DER() }
func (v fakeView) Host(canister principal.Principal) (principal.Principal, bool) {
	return subnet, canister == shop
}

func (fakeView) Certified(principal.Principal) *certify.SignedState {
	return certify.NewHeight(certify.Tree{}, certify.NewSubnetKey(certify.Seed{}))
}

// Network and Networks make one instance the only one, and the default.
func (n *fakeNetwork) Network(name string) Network {
	if name != "" && name != n.name {
		return nil
	}
	return n
}

func (n *fakeNetwork) Networks() []Network { return []Network{n} }

// canisterAnswer is the type of http_request's reply in the tests.
type canisterAnswer struct {
	Status    uint16          `ic:"status_code"`
	Headers   []verify.Header `ic:"headers"`
	Body      []byte          `ic:"body"`
	Upgrade   *bool           `ic:"upgrade"`
	Streaming *strategy       `ic:"streaming_strategy"`
}

type strategy struct {
	Callback *continuation `ic:"Callback,variant"`
}

type continuation struct {
	Callback candid.Func `ic:"callback"`
	Token    streamToken `ic:"token"`
}

type streamToken struct {
	Key  string   `ic:"key"`
	Left []string `ic:"left"`
}

type streamPart struct {
	Body  []byte       `ic:"body"`
	Token *streamToken `ic:"token"`
}

func encoded(value any) []byte {
	raw, err := candid.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

// asked is the argument of a call of http_request.
func asked(t *testing.T, arg []byte) (request queryArgument) {
	t.Helper()
	if err := candid.Unmarshal(arg, &request); err != nil {
		t.Error(err)
	}
	return request
}

// answering is a network whose canister answers each request with what a function says.
func answering(t *testing.T, answer func(queryArgument) canisterAnswer) *fakeNetwork {
	return &fakeNetwork{name: "default", call: func(method string, arg []byte) []byte {
		if method == interfaceQuery {
			return nil
		}
		return encoded(answer(asked(t, arg)))
	}}
}

// get makes a request at a gateway, whose URL may have any host; lines are headers.
func get(g *Gateway, method, url string, lines ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, url, http.NoBody)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

const rawShop = "http://rrkah-fqaaa-aaaaa-aaaaq-cai.raw.localhost:4943"
