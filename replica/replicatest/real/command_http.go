package real

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// outcalls tells which HTTP outcalls wait.
func (p *performer) outcalls(string) {
	pending := p.Network.Outcalls()
	if len(pending) == 0 {
		p.say("no outcalls")
	}
	for i := range pending {
		q := &pending[i].Request
		line := fmt.Sprintf("outcall %d of %s: %s %s", pending[i].Number, p.name(q.Canister), q.Method, printable(q.URL))
		for _, h := range q.Headers {
			line += fmt.Sprintf(" [%s: %s]", h[0], h[1])
		}
		if q.Body != nil {
			line += fmt.Sprintf(" %q", q.Body)
		}
		if q.Bounded {
			line += fmt.Sprintf(", at most %d bytes", q.MaxResponse)
		}
		if q.Transform != nil {
			line += fmt.Sprintf(", transform %q with %q", q.Transform.Method, q.Transform.Context)
		}
		if q.PayAsYouGo {
			line += fmt.Sprintf(", %s cycles for each node", q.Allowance)
		}
		if q.Flexible() {
			line += fmt.Sprintf(", by nodes %v for %d to %d responses", q.Members, q.Min, q.Max)
		} else if !q.Replicated {
			line += fmt.Sprintf(", by node %d alone", q.Node)
		}
		p.say("%s", line)
	}
}

// answerForm is one answer: how many nodes get it where it is not one for all, status
// or reject code, headers, and the body: text, or how many bytes.
var answerForm = regexp.MustCompile(`^(?:(\d+)x )?(reject )?(\d+)((?: \[[^\]]*\])*)(?: "([^"]*)"| (\d+) bytes)?$`)

// http answers an HTTP outcall: 200 [name: value] "body", or reject 2 "text"; with a /
// between them answers for each node, 3x before one that three nodes get.
func (p *performer) http(rest string) {
	number, rest := cut(rest)
	in := &replica.HTTPAnswer{Subnet: p.ID("subnet0"), Number: uint64(p.number(number))}
	for _, text := range strings.Split(rest, " / ") {
		form := answerForm.FindStringSubmatch(text)
		if form == nil {
			p.t.Fatalf("%q is no answer", text)
		}
		answer := replica.OutcallAnswer{Body: []byte(form[5])}
		if form[6] != "" {
			answer.Body = make([]byte, p.number(form[6]))
		}
		code := p.number(form[3])
		if form[2] != "" {
			answer.Reject = &intercanister.Reject{Code: intercanister.RejectCode(code), Text: form[5]}
		}
		answer.Status = uint16(code)
		for header := range strings.SplitSeq(strings.Trim(form[4], " []"), "] [") {
			if name, value, ok := strings.Cut(header, ": "); ok {
				if n, err := strconv.Atoi(strings.TrimSuffix(value, " bytes")); err == nil && strings.HasSuffix(value, " bytes") {
					value = strings.Repeat("v", n)
				}
				answer.Headers = append(answer.Headers, [2]string{name, value})
			}
		}
		for range max(1, p.times(form[1])) {
			in.Answers = append(in.Answers, answer)
		}
	}
	if r := p.Apply(in); r.Refusal != nil {
		p.say("refused %s: %s", r.Refusal.Kind, r.Refusal.Text)
	}
}

func (p *performer) times(word string) int {
	if word == "" {
		return 1
	}
	return p.number(word)
}
