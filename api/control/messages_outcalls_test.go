package control_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// httpRequest is the argument of http_request.
type httpRequest struct {
	URL    string `ic:"url"`
	Method struct {
		Get *candid.Null `ic:"get,variant"`
	} `ic:"method"`
	Headers []struct {
		Name  string `ic:"name"`
		Value string `ic:"value"`
	} `ic:"headers"`
	Most *uint64 `ic:"max_response_bytes"`
}

func TestOutcallsAreAnswered(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	request := httpRequest{URL: "https://example.org/rates", Most: new(uint64(1000))}
	request.Method.Get = new(candid.Null)
	c := canistertest.Call{
		Callee: principal.Management, Method: "http_request", Arg: encoded(a, request), Cycles: 1_000_000_000,
		OnReply: canistertest.Script().Arg().ReplyTop(), OnReject: canistertest.Script().Text("rejected: ").Append().RejectMessage().ReplyTop(),
	}
	var sent []replica.RequestID
	for range 3 {
		sent = append(sent, a.runs(alice, canistertest.Script().Call(c)))
	}
	a.note("a run for an answer stops where outcalls wait for a client")
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: sent[0][:]}})
	page := call(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Page: &controlv1.Page{Size: 2}})
	a.mask(page.GetOutcalls()[0].GetIncarnation(), "INCARNATION")
	rest := call(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Page: &controlv1.Page{Token: page.GetNextPageToken()}})
	if len(page.GetOutcalls()) != 2 || len(rest.GetOutcalls()) != 1 {
		t.Fatal("the pages do not have three outcalls")
	}
	subnet := page.GetOutcalls()[0].GetSubnetId()
	answer := func(number uint64, answers ...*controlv1.OutcallAnswer) {
		call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{SubnetId: subnet, Number: number, Answers: answers})
	}
	response := func(status uint32, body string) *controlv1.OutcallAnswer {
		return &controlv1.OutcallAnswer{Answer: &controlv1.OutcallAnswer_Response{Response: &controlv1.HttpResponse{
			Status: status, Body: []byte(body), Headers: []*controlv1.HttpHeader{{Name: "Content-Type", Value: "text/plain"}},
		}}}
	}
	reject := &controlv1.OutcallAnswer{Answer: &controlv1.OutcallAnswer_Reject{Reject: &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_SYS_TRANSIENT, Text: "no route"}}}
	a.note("bad answers")
	answer(0)
	answer(0, &controlv1.OutcallAnswer{})
	answer(0, response(99, ""))
	answer(0, response(200, ""), response(200, ""))
	a.note("good ones, and one that comes again")
	answer(0, response(200, "1.08"))
	answer(0, response(200, "1.08"))
	answer(1, reject)
	a.idle()
	a.note("an outcall without an answer expires")
	must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(2 * time.Minute)}})
	for _, id := range sent[1:] {
		a.note("%s", a.said(id))
	}
	a.note("call trees say what outcalls were for, and how long they took")
	wall := regexp.MustCompile(` +\d+ µs`)
	for _, id := range sent {
		tree := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{
			Of: &controlv1.GetTraceRequest_RequestId{RequestId: id[:]}, Form: controlv1.TraceForm_TRACE_FORM_TEXT,
		})
		for line := range strings.Lines(tree.GetRendered()) {
			a.note("%s", wall.ReplaceAllString(strings.TrimSpace(line), ""))
		}
	}
	var result struct {
		Status candid.Nat `ic:"status"`
		Body   []byte     `ic:"body"`
	}
	if err := candid.Unmarshal([]byte(a.said(sent[0])), &result); err != nil || string(result.Body) != "1.08" {
		t.Errorf("the canister got %q: %v", result.Body, err)
	}
	a.compare("messages_outcalls")
}
