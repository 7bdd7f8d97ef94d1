package canistertest_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
)

func TestAProgramRepliesWithWhatItWasTold(t *testing.T) {
	for _, wide := range []bool{false, true} {
		p := canistertest.NewPlace(t)
		c := p.Canister(p.Module(canistertest.Variant{Wide: wide, Beating: true, Persistent: true}.Module()), nil)
		out := p.Run(c, canistertest.Script().ReplyText("hello"))
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		if got := string(out.Response.Reply); got != "hello" {
			t.Errorf("the reply is %q", got)
		}
		out = p.Run(c, canistertest.Script().Int(7).Raw(0xff))
		if out.Failure == nil {
			t.Fatal("no failure")
		}
		t.Log(out.Failure)
	}
}
