package replica_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

func forget(s *real.Stage, ids ...replica.RequestID) {
	s.Apply(&replica.ForgetAnswers{Subnet: s.View().Subnets[0].ID, Requests: ids})
}

func TestAnswersThatAreForgottenMakeRoomInTheIngressHistory(t *testing.T) {
	s := real.NewStage(t, replica.Config{IngressMessages: 6})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	known := s.Census().Ingress
	var last replica.RequestID
	for range 100 {
		last = submitted(t, s, "A", `reply "x"`)
		s.Await(last)
		forget(s, last)
	}
	if got := s.Census().Ingress; got != known {
		t.Errorf("%d messages are known, %d were", got, known)
	}
	if status := s.IngressStatus(s.View().Subnets[0].ID, last); status != 0 {
		t.Errorf("a message that is forgotten is %s", status)
	}
	s.Round()
	s.Network = exchanged(t, s.Network, replica.Config{Engine: s.Network.Engine(), IngressMessages: 6}) // compares the certified trees
	for n := known; n < 6; n++ {
		submitted(t, s, "A", `reply "x"`)
	}
	if _, refused := s.Submit("A", "run", compiled(t, s, `reply "x"`)); !strings.Contains(refused, "IC0204") {
		t.Errorf("a message too many is refused with %q", refused)
	}
}

func TestWhatIsNotOverIsNotForgotten(t *testing.T) {
	s := diffStage(t)
	s.Apply(hold(replica.KindRequest))
	open := submitted(t, s, "A", `call B.run(reply "x"); reply "early"`)
	waits := submitted(t, s, "A", `call B.run(reply "x") on-reply(reply arg)`)
	s.Round()
	forget(s, open, waits, replica.RequestID{1})
	subnet := s.View().Subnets[0].ID
	if got := s.IngressStatus(subnet, open); got != replica.Replied {
		t.Errorf("a message whose call context is open is %s", got)
	}
	if got := s.IngressStatus(subnet, waits); got != replica.Processing {
		t.Errorf("a message without an answer is %s", got)
	}
	if r := s.Apply(&replica.ForgetAnswers{Subnet: s.Names["A"]}); r.Refusal == nil {
		t.Error("no refusal names the subnet that there is not")
	}
}

func TestADroppedAnswerLeavesTheStatusDone(t *testing.T) {
	s := diffStage(t)
	subnet := s.View().Subnets[0].ID
	s.Apply(hold(replica.KindRequest))
	large := submitted(t, s, "A", `reply "answer"`)
	waits := submitted(t, s, "A", `call B.run(reply "x") on-reply(reply arg)`)
	s.Round()
	before := s.MessageBytes().Answers
	for range 2 {
		s.Apply(&replica.DropAnswers{Subnet: subnet, Requests: []replica.RequestID{large, waits, {1}}})
	}
	if now := s.MessageBytes().Answers; now != before-len("answer") {
		t.Errorf("answers take %d bytes, and took %d before one of 6 was dropped", now, before)
	}
	if a, b := s.IngressStatus(subnet, large), s.IngressStatus(subnet, waits); a != replica.Done || b != replica.Processing {
		t.Errorf("an answered message is %s and one without an answer %s, want done and processing", a, b)
	}
	s.Round()
	s.Network = exchanged(t, s.Network, replica.Config{Engine: s.Network.Engine()}) // compares the certified trees
	if r := s.Apply(&replica.DropAnswers{Subnet: s.Names["A"]}); r.Refusal == nil {
		t.Error("no refusal names the subnet that there is not")
	}
}
