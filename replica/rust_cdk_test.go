package replica_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/thresholdtest"
)

// outcaller is the fixture of the newest Rust CDK as canister A, with its interface.
type outcaller struct {
	*real.Stage
	t    *testing.T
	file *did.File
}

func newOutcaller(t *testing.T) *outcaller {
	t.Helper()
	file, err := did.Parse(canistertest.OutcallerInterface())
	if err != nil {
		t.Fatal(err)
	}
	o := &outcaller{real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Kind: replica.Application, Nodes: 13}, {Kind: replica.TestKeys}}}), t, file}
	o.Create("A", 0, real.Plenty)
	if a := o.Install("A", real.Install, canistertest.Fixture("outcaller"), nil); a.Status != "replied" {
		t.Fatal(a)
	}
	return o
}

// method is a method of the fixture.
func (o *outcaller) method(name string) did.Method {
	o.t.Helper()
	m, ok := o.file.Method(name)
	if !ok {
		o.t.Fatalf("the fixture has no method %s", name)
	}
	return m
}

// args are the bytes of an argument at the types of a method.
func (o *outcaller) args(method, text string) []byte {
	o.t.Helper()
	raw, err := o.method(method).EncodeArgs(text)
	if err != nil {
		o.t.Fatal(err)
	}
	return raw
}

// shown is a reply of a method with the names of its fields.
func (o *outcaller) shown(method string, reply []byte) string {
	o.t.Helper()
	values, err := o.method(method).DecodeResults(reply)
	if err != nil {
		o.t.Fatalf("%s: %v", method, err)
	}
	return candid.FormatArgs(values)
}

// waiting submits a call and gives the outcall that waits then.
func (o *outcaller) waiting(method, arg string) (id replica.RequestID, waits replica.PendingOutcall) {
	o.t.Helper()
	id, refused := o.Submit("A", method, o.args(method, arg))
	if refused != "" {
		o.t.Fatal(refused)
	}
	for range 10 {
		if pending := o.Outcalls(); len(pending) > 0 {
			return id, pending[0]
		}
		o.Round()
	}
	o.t.Fatalf("%s%s makes no outcall: %s", method, arg, o.Answer(id))
	return id, waits
}

// For 13 nodes public documentation names 20,849,140,000 cycles for the most a response may have
// in version 1; in version 2 about 34.0 billion for that, and 5.3 billion for 4,000 bytes.
func TestACanisterOfTheNewestRustCDKKnowsNodesAndPrices(t *testing.T) {
	o := newOutcaller(t)
	usage := func(kind string) string {
		return `(record { request_bytes = 100; http_roundtrip_time_ms = 1_000; raw_response_bytes = 1_000; transformed_response_bytes = 500; transform_instructions = 1_000_000; outcall_type = ` + kind + ` })`
	}
	for _, row := range []struct{ method, arg, want string }{
		{"nodes", "()", "(13 : nat32)"},
		{"cost_legacy", "(100, 10_000)", "(153_660_000 : nat)"},
		{"cost_legacy", "(0, 2_000_000)", "(20_849_140_000 : nat)"},
		{"cost", `("https://example.org/news")`, "(245_061_388 : nat)"},
		{"cost_each", `("https://example.org/news")`, "(1_580_536_490 : nat)"},
		{"cost_of_usage", usage("null"), "(58_083_077 : nat)"},
		{"cost_of_usage", usage("opt variant { fully_replicated = null }"), "(58_083_077 : nat)"},
		{"cost_of_usage", usage("opt variant { non_replicated = null }"), "(40_733_423 : nat)"},
		{"cost_of_usage", usage("opt variant { flexible = opt record { min_responses = 1; max_responses = 2; total_requests = 3 } }"), "(70_803_339 : nat)"},
		{"cost_of_usage", usage("opt variant { flexible }"), "(212_564_469 : nat)"},
		{"cost_of_usage", `(record { request_bytes = 100; http_roundtrip_time_ms = 60_000; raw_response_bytes = 2_000_000; transformed_response_bytes = 2_001_024; transform_instructions = 5_000_000_000 })`, "(34_002_074_912 : nat)"},
		{"cost_of_usage", `(record { request_bytes = 100; http_roundtrip_time_ms = 60_000; raw_response_bytes = 4_000; transformed_response_bytes = 5_024; transform_instructions = 5_000_000_000 })`, "(5_343_950_469 : nat)"},
		{"cost_of_signing", "()", "(opt (10_000_000_000 : nat))"},
	} {
		r := o.Query("A", row.method, o.args(row.method, row.arg))
		if r.Reject != nil {
			t.Errorf("%s%s: %s", row.method, row.arg, r.Reject)
		} else if got := o.shown(row.method, r.Reply); got != row.want {
			t.Errorf("%s%s: %s, want %s", row.method, row.arg, got, row.want)
		}
	}
}

func TestACanisterOfTheNewestRustCDKGetsOneResponseOfAllNodes(t *testing.T) {
	o := newOutcaller(t)
	for method, arg := range map[string]string{"fetch": `("https://x")`, "fetch_once": `("https://x", blob "sent")`} {
		id, waits := o.waiting(method, arg)
		if r := o.Apply(&replica.HTTPAnswer{Subnet: waits.Subnet, Number: waits.Number, Answers: []replica.OutcallAnswer{
			{Status: 200, Body: []byte("hello"), Headers: [][2]string{{"date", "today"}}},
		}}); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
		const want = `(variant { Ok = record { status = 200 : nat; body = blob "hello!"; headers = vec {} } })`
		if got := o.shown(method, o.Await(id).Reply); got != want {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
}

func TestACanisterOfTheNewestRustCDKGetsTheResponsesOfACommittee(t *testing.T) {
	o := newOutcaller(t)
	id, waits := o.waiting("fetch_each", `("https://x", null)`)
	if r := &waits.Request; !r.Flexible() || len(r.Members) != 13 || r.Min != 9 || r.Max != 13 {
		t.Errorf("by nodes %v for %d to %d responses, want all 13 for 9 to 13", r.Members, r.Min, r.Max)
	}
	reject := replica.OutcallAnswer{Reject: &intercanister.Reject{Code: intercanister.SysTransient, Text: "no route"}}
	answer := func(answers []replica.OutcallAnswer) {
		t.Helper()
		if r := o.Apply(&replica.HTTPAnswer{Subnet: waits.Subnet, Number: waits.Number, Answers: answers}); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
	var answers []replica.OutcallAnswer
	var want strings.Builder
	for n := range 9 {
		answers = append(answers, replica.OutcallAnswer{Status: 200, Body: fmt.Append(nil, n)})
		fmt.Fprintf(&want, `record { status = 200 : nat; body = blob "%d?"; headers = vec {} }; `, n)
	}
	answer(slices.Concat(answers, []replica.OutcallAnswer{reject, reject, reject, reject}))
	if got := o.shown("fetch_each", o.Await(id).Reply); got != "(variant { Ok = variant { ok = vec { "+strings.TrimSuffix(want.String(), "; ")+" } } })" {
		t.Errorf("nine of 13 answered: %s", got)
	}

	id, waits = o.waiting("fetch_each", `("https://x", opt record { min_responses = 2; max_responses = 3; total_requests = 3 })`)
	answer([]replica.OutcallAnswer{answers[0], reject, reject})
	got := o.shown("fetch_each", o.Await(id).Reply)
	if !strings.Contains(got, "err = record") || !strings.Contains(got, "too_many_rejects") || strings.Count(got, `message = "no route"`) != 2 {
		t.Errorf("one of three answered: %s", got)
	}
}

func TestACanisterOfTheNewestRustCDKSignsOverSecp256r1(t *testing.T) {
	o := newOutcaller(t)
	const hash = "the message, 32 bytes, hashed..."
	a := o.Call("A", "sign", o.args("sign", `(blob "`+hash+`")`))
	var signed struct {
		OK *struct {
			Key       []byte `ic:"public_key"`
			Signature []byte `ic:"signature"`
		} `ic:"Ok,variant"`
		Err *string `ic:"Err,variant"`
	}
	if err := candid.Unmarshal(a.Reply, &signed); err != nil || signed.OK == nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := thresholdtest.ECDSAOverSecp256r1(signed.OK.Key, []byte(hash), signed.OK.Signature); err != nil {
		t.Error(err)
	}
}

func TestACanisterOfTheNewestRustCDKReadsMetricsAndSetsTimers(t *testing.T) {
	o := newOutcaller(t)
	got := o.shown("metrics", o.Call("A", "metrics", o.args("metrics", "()")).Reply)
	if !strings.Contains(got, "num_canisters = 1 : nat") || !strings.Contains(got, "million_round_instructions_total") {
		t.Errorf("metrics: %s", got)
	}
	if a := o.Call("A", "tick", o.args("tick", "()")); a.Status != "replied" {
		t.Fatal(a)
	}
	o.Apply(replica.AdvanceTo(o.View().Time + 10_000_000))
	for range 3 {
		o.Round()
	}
	if r := o.Query("A", "ticks", o.args("ticks", "()")); o.shown("ticks", r.Reply) != "(1 : nat32)" {
		t.Errorf("ticks: %v", r)
	}
}
