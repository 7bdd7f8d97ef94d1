package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// outcaller is a user with the fixture of the newest Rust CDK.
type outcaller struct {
	user
	id   principal.Principal
	file *did.File
}

func newOutcaller(t *testing.T, config Config) *outcaller {
	t.Helper()
	file, err := did.Parse(canistertest.OutcallerInterface())
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, started(t, config))
	return &outcaller{u, u.deploy(canistertest.Fixture("outcaller")), file}
}

// calls calls a method and gives the reply as text, with the names of its fields.
func (o *outcaller) calls(name, arg string) string {
	o.Helper()
	method, _ := o.file.Method(name)
	raw, err := method.EncodeArgs(arg)
	if err != nil {
		o.Fatal(err)
	}
	reply, err := o.Call(o.ctx, o.id, o.id, name, raw)
	if err != nil {
		o.Fatalf("%s%s: %v", name, arg, err)
	}
	values, err := method.DecodeResults(reply)
	if err != nil {
		o.Fatal(err)
	}
	return candid.FormatArgs(values)
}

// counter is a server that answers with the number of the request, and hangs up on those
// whose number is in drops.
func counter(t *testing.T, drops ...int64) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		number := asked.Add(1)
		if slices.Contains(drops, number) {
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, "number %02d", number)
	}))
	s.Config.SetKeepAlivesEnabled(false) // on a connection that served before, a client may ask again
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, asked
}

// responses are the bodies in the result of a flexible outcall, in the order of their numbers.
func responses(shown string) (bodies []string) {
	for _, part := range strings.Split(shown, `body = blob "`)[1:] {
		body, _, _ := strings.Cut(part, `"`)
		bodies = append(bodies, body)
	}
	slices.Sort(bodies)
	return bodies
}

func TestAFlexibleOutcallIsMadeOnceForEachNodeOfItsCommittee(t *testing.T) {
	for _, mode := range []Outcalls{AllowOutcalls, ReplicatedOutcalls} {
		o := newOutcaller(t, Config{Outcalls: mode, OutcallsLocal: true})
		url, asked := counter(t)
		for _, row := range []struct {
			counts string
			want   int // requests and responses
		}{
			{"null", 13},
			{"opt record { min_responses = 3; max_responses = 3; total_requests = 3 }", 3},
			{"opt record { min_responses = 1; max_responses = 1; total_requests = 1 }", 1},
		} {
			asked.Store(0)
			got := o.calls("fetch_each", `("`+url+`", `+row.counts+`)`)
			var want []string
			for number := range row.want {
				want = append(want, fmt.Sprintf("number %02d?", number+1)) // what the transform adds
			}
			if bodies := responses(got); !slices.Equal(bodies, want) || int(asked.Load()) != row.want {
				t.Errorf("%s, %s: %d requests, responses %q\nof %s", mode, row.counts, asked.Load(), bodies, got)
			}
		}
	}
}

func TestAFlexibleOutcallHasTheResponsesOfTheNodesThatGotOne(t *testing.T) {
	o := newOutcaller(t, Config{OutcallsLocal: true})
	const three = "opt record { min_responses = 2; max_responses = 3; total_requests = 3 }"
	url, _ := counter(t, 2)
	if got := o.calls("fetch_each", `("`+url+`", `+three+`)`); !slices.Equal(responses(got), []string{"number 01?", "number 03?"}) {
		t.Errorf("one of three hears nothing: %s", got)
	}
	url, _ = counter(t, 1, 3)
	got := o.calls("fetch_each", `("`+url+`", `+three+`)`)
	if !strings.Contains(got, "global_error = opt variant { too_many_rejects") || strings.Count(got, "node_id = ") != 2 {
		t.Errorf("two of three hear nothing: %s", got)
	}
}

func TestAFlexibleOutcallOfADenyingNetworkSaysThatOutcallsAreDenied(t *testing.T) {
	o := newOutcaller(t, Config{Outcalls: DenyOutcalls})
	got := o.calls("fetch_each", `("https://example.org", opt record { min_responses = 2; max_responses = 2; total_requests = 2 })`)
	if !strings.Contains(got, "too_many_rejects") || !strings.Contains(got, deniedOutcall) {
		t.Error(got)
	}
}

func TestAFlexibleOutcallCountsForTheLimitsByItsCommittee(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	p.fetch = func(ctx context.Context, _ *replica.Outcall) (none replica.OutcallAnswer) { <-ctx.Done(); return none }
	pending := make([]driver.Outcall, 30)
	for number := range pending {
		pending[number].Number, pending[number].Nodes = uint64(number), 13
		pending[number].Request = replica.Outcall{Method: http.MethodGet, Members: []int{0, 2, 4, 6}}
	}
	p.begin(ctx, pending)
	if want := maxCanisterOutcalls / 4 * 4; p.made != want || len(p.held) != len(pending)-want/4 {
		t.Errorf("%d requests of one canister are made and %d outcalls held, want %d and %d", p.made, len(p.held), want, len(pending)-want/4)
	}
	cancel()
	for range p.made {
		p.end(<-p.ended)
	}
	p.running.Wait()
}
