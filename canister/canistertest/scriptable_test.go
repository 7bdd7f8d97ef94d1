package canistertest_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
)

func TestAProgramRepliesWithWhatItWasTold(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	out := p.Run(c, canistertest.Script().ReplyText("hello"))
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if got := string(out.Response.Reply); got != "hello" {
		t.Errorf("the reply is %q", got)
	}
}
