package pocketic

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// shownOutcall is an HTTP outcall that waits for an answer.
type shownOutcall struct {
	Subnet      rawSubnet    `json:"subnet_id"`
	RequestID   uint64       `json:"request_id"`
	Method      string       `json:"http_method"`
	URL         string       `json:"url"`
	Headers     []httpHeader `json:"headers"`
	Body        []byte       `json:"body"`
	MaxResponse *uint64      `json:"max_response_bytes"`
	Replication any          `json:"replication"`
	Pricing     string       `json:"pricing_version"`
}

type httpHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// flexibleReplication is the number of nodes that make a flexible outcall and must answer.
type flexibleReplication struct {
	Total uint32 `json:"total_requests"`
	Min   uint32 `json:"min_responses"`
	Max   uint32 `json:"max_responses"`
}

// getOutcalls serves GET read/get_canister_http.
func (s *Server) getOutcalls(ctx context.Context, e *entry, _ []byte) (any, error) {
	pending, err := e.instance.Driver().Outcalls(ctx)
	if err != nil {
		return nil, err
	}
	shown := make([]shownOutcall, len(pending))
	for i := range pending {
		shown[i] = showOutcall(&pending[i])
	}
	return shown, nil
}

func showOutcall(o *driver.Outcall) shownOutcall {
	request := &o.Request
	shown := shownOutcall{
		Subnet: subnetOf(o.Subnet), RequestID: o.Number, Method: request.Method, URL: request.URL, Headers: []httpHeader{},
		Body: request.Body, Replication: "FullyReplicated", Pricing: "Legacy",
	}
	if shown.Body == nil {
		shown.Body = []byte{}
	}
	if request.Bounded {
		shown.MaxResponse = &request.MaxResponse
	}
	for _, h := range request.Headers {
		shown.Headers = append(shown.Headers, httpHeader{h[0], h[1]})
	}
	switch {
	case request.Flexible():
		shown.Replication = map[string]flexibleReplication{"Flexible": {uint32(len(request.Members)), request.Min, request.Max}}
	case !request.Replicated:
		shown.Replication = "NonReplicated"
	}
	if request.PayAsYouGo {
		shown.Pricing = "PayAsYouGo"
	}
	return shown
}

// rawOutcallAnswer is a response or a reject.
type rawOutcallAnswer struct {
	Reply *struct {
		Status  uint16       `json:"status"`
		Headers []httpHeader `json:"headers"`
		Body    []byte       `json:"body"`
	} `json:"CanisterHttpReply"`
	Reject *struct {
		Code    uint64 `json:"reject_code"`
		Message string `json:"message"`
	} `json:"CanisterHttpReject"`
}

// rawMock answers an outcall: with one answer for all nodes, or one for each.
type rawMock struct {
	Subnet     rawSubnet          `json:"subnet_id"`
	RequestID  uint64             `json:"request_id"`
	Response   rawOutcallAnswer   `json:"response"`
	Additional []rawOutcallAnswer `json:"additional_responses"`
	Responses  []rawOutcallAnswer `json:"responses"` // for a flexible outcall
}

// maxMockReject limits the text of a mocked reject, in bytes.
const maxMockReject = 1024

func (a *rawOutcallAnswer) read() (out replica.OutcallAnswer, err error) {
	switch {
	case a.Reply != nil:
		out.Status, out.Body = a.Reply.Status, a.Reply.Body
		for _, h := range a.Reply.Headers {
			out.Headers = append(out.Headers, [2]string{h.Name, h.Value})
		}
	case a.Reject != nil:
		if a.Reject.Code < 1 || a.Reject.Code > uint64(intercanister.SysUnknown) {
			return out, failed("InvalidRejectCode(%d)", a.Reject.Code)
		}
		if size := len(a.Reject.Message); size > maxMockReject {
			return out, failed("CanisterHttpRejectMessageTooLong((%d, %d))", size, maxMockReject)
		}
		out.Reject = &intercanister.Reject{Code: intercanister.RejectCode(a.Reject.Code), Text: a.Reject.Message}
	default:
		return out, failed("the response of the mock is neither CanisterHttpReply nor CanisterHttpReject")
	}
	return out, nil
}

// outcall returns the pending outcall that a mock answers.
func (e *entry) outcall(ctx context.Context, in *rawMock) (*driver.Outcall, error) {
	id, err := in.Subnet.read()
	if err != nil {
		return nil, err
	}
	if _, err := e.subnet(id); err != nil {
		return nil, err
	}
	pending, err := e.instance.Driver().Outcalls(ctx)
	if err != nil {
		return nil, err
	}
	for i := range pending {
		if pending[i].Subnet == id && pending[i].Number == in.RequestID {
			return &pending[i], nil
		}
	}
	return nil, unknownOutcall(id, in.RequestID)
}

func unknownOutcall(subnet principal.Principal, number uint64) error {
	return failed("InvalidCanisterHttpRequestId((%s, CanisterHttpRequestId(%d)))", subnet, number)
}

func readAnswers(raw []rawOutcallAnswer) ([]replica.OutcallAnswer, error) {
	answers := make([]replica.OutcallAnswer, len(raw))
	for i := range raw {
		var err error
		if answers[i], err = raw[i].read(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// mockOutcall serves POST update/mock_canister_http.
func (s *Server) mockOutcall(ctx context.Context, e *entry, body []byte) (any, error) {
	var in rawMock
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	answers, err := readAnswers(append([]rawOutcallAnswer{in.Response}, in.Additional...))
	if err != nil {
		return nil, err
	}
	pending, err := e.outcall(ctx, &in)
	if err != nil {
		return nil, err
	}
	if given := len(answers); given > 1 && given != pending.Nodes {
		return nil, failed("InvalidMockCanisterHttpResponses((%d, %d))", given, pending.Nodes)
	}
	if pending.Request.Flexible() && len(answers) == 1 {
		one := answers[0]
		answers = make([]replica.OutcallAnswer, len(pending.Request.Members))
		for i := range answers {
			answers[i] = one
		}
	}
	return nil, e.answerOutcall(ctx, pending, answers)
}

// mockFlexible serves POST update/mock_flexible_canister_http: nodes without a response stay silent.
func (s *Server) mockFlexible(ctx context.Context, e *entry, body []byte) (any, error) {
	var in rawMock
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	answers, err := readAnswers(in.Responses)
	if err != nil {
		return nil, err
	}
	pending, err := e.outcall(ctx, &in)
	switch {
	case err != nil:
		return nil, err
	case !pending.Request.Flexible():
		return nil, failed("NotAFlexibleCanisterHttpRequest((%s, CanisterHttpRequestId(%d)))", pending.Subnet, pending.Number)
	case len(answers) > len(pending.Request.Members):
		return nil, failed("TooManyMockCanisterHttpResponses((%d, %d))", len(answers), len(pending.Request.Members))
	}
	return nil, e.answerOutcall(ctx, pending, answers)
}

// answerOutcall gives the answers to the network, which passes them to the canister. If they do not decide an outcall,
// it waits until it times out.
func (e *entry) answerOutcall(ctx context.Context, pending *driver.Outcall, answers []replica.OutcallAnswer) error {
	if len(answers) == 0 {
		return nil
	}
	if err := e.instance.Driver().AnswerListed(ctx, pending, answers...); err != nil {
		if pending.Request.Flexible() {
			return nil
		}
		return fmt.Errorf("answering the HTTP outcall: %w", err)
	}
	return nil
}
