package gateway

import (
	"context"
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
	decided []decision
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

// decision is the answer to an update, nil for a reject.
type decision struct {
	id    api.RequestID
	reply []byte
}

// fakeBackend is the backend of a fakeNetwork.
type fakeBackend struct{ *fakeNetwork }

func (b fakeBackend) View() api.View               { return fakeView{network: b.fakeNetwork} }
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

func (b fakeBackend) Submit(_ context.Context, in *api.Ingress) (api.Receipt, error) {
	b.methods = append(b.methods, in.Method)
	b.decided = append(b.decided, decision{in.ID, b.call(in.Method, in.Arg)})
	return api.Receipt{}, nil
}

func (b fakeBackend) Await(context.Context, principal.Principal, api.RequestID) error { return nil }

// fakeView has what the gateway reads of views.
type fakeView struct {
	api.View
	network *fakeNetwork
}

func (v fakeView) Height() uint64  { return 3 }
func (v fakeView) RootKey() []byte { return certify.NewSubnetKey(certify.Seed{}).Public().DER() }
func (v fakeView) Host(canister principal.Principal) (principal.Principal, bool) {
	return subnet, canister == shop
}

// Certified has the answers to updates.
func (v fakeView) Certified(principal.Principal) *certify.SignedState {
	tree := certify.Tree{}
	for _, d := range v.network.decided {
		if d.reply == nil {
			tree = tree.Set(certify.Leaf([]byte("rejected")), certify.RequestStatusPath(d.id, "status")...)
			tree = tree.Set(certify.Leaf([]byte{4}), certify.RequestStatusPath(d.id, "reject_code")...)
			tree = tree.Set(certify.Leaf([]byte("not today")), certify.RequestStatusPath(d.id, "reject_message")...)
			continue
		}
		tree = tree.Set(certify.Leaf([]byte("replied")), certify.RequestStatusPath(d.id, "status")...)
		tree = tree.Set(certify.Leaf(d.reply), certify.RequestStatusPath(d.id, "reply")...)
	}
	return certify.NewHeight(tree, certify.NewSubnetKey(certify.Seed{}))
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
