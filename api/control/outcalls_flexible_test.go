package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// asks lets a canister make an outcall by a method of the management canister.
func (a *api) asks(id principal.Principal, method, fields string) replica.RequestID {
	a.Helper()
	return a.runs(id, canistertest.Script().Call(canistertest.Call{
		Callee: principal.Management, Method: method, Arg: a.httpRequestOf(method, fields), Cycles: 100_000_000_000,
		OnReply: canistertest.Script().Arg().ReplyTop(), OnReject: canistertest.Script().Text("rejected: ").Append().RejectMessage().ReplyTop(),
	}))
}

func TestListOutcallsTellsHowManyNodesMakeTheRequest(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	const fields = `url = "https://example.org/%s"; method = variant { get }; headers = vec {}`
	a.asks(alice, "http_request", fmt.Sprintf(fields, "all"))
	a.asks(alice, "flexible_http_request", fmt.Sprintf(fields, "default"))
	four := a.asks(alice, "flexible_http_request", fmt.Sprintf(fields, "four")+`; replication = opt record { min_responses = 2; max_responses = 3; total_requests = 4 }`)
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 3})
	listed := must(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{}).GetOutcalls()
	if len(listed) != 3 {
		t.Fatalf("these outcalls wait: %v", listed)
	}
	byURL := make(map[string]*controlv1.Outcall)
	for _, o := range listed {
		byURL[strings.TrimPrefix(o.GetUrl(), "https://example.org/")] = o
	}
	for name, want := range map[string]uint32{"all": 13, "default": 13, "four": 4} {
		if got := byURL[name].GetNodes(); got != want {
			t.Errorf("%s: %d nodes make the request, want %d", name, got, want)
		}
	}

	answers := func(bodies ...string) *controlv1.AnswerOutcallRequest {
		in := &controlv1.AnswerOutcallRequest{SubnetId: byURL["four"].GetSubnetId(), Number: byURL["four"].GetNumber()}
		for _, body := range bodies {
			in.Answers = append(in.Answers, &controlv1.OutcallAnswer{Answer: &controlv1.OutcallAnswer_Response{Response: &controlv1.HttpResponse{Status: 200, Body: []byte(body)}}})
		}
		return in
	}
	if _, err := a.messages.AnswerOutcall(a.ctx, answers("a", "b", "c", "d", "e")); err == nil || !strings.Contains(err.Error(), "at most 4") {
		t.Errorf("five answers of four nodes: %v", err)
	}
	must(a, a.messages.AnswerOutcall, answers("answer-a", "answer-b", "answer-c", "answer-d"))
	a.idle()
	said := a.said(four)
	if strings.Count(said, "answer-") != 3 { // no more than max_responses
		t.Errorf("the canister got %q", said)
	}
}
