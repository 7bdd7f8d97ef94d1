package control

import (
	"context"
	"errors"
	"testing"
)

func TestTheHandlersThatRunOrBeginLaterEndWhenTheServerIsCutOff(t *testing.T) {
	all := new(connections)
	c := newConnection(nil, all)
	all.open = map[*connection]struct{}{c: {}}
	begin := func() (*rpc, context.Context) {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := &rpc{Context: t.Context(), connection: c}
		r.onCut(cancel)
		return r, ctx
	}
	first, a := begin()
	second, b := begin()
	third, d := begin()
	second.notCut()
	all.cut()
	fourth, e := begin()
	for i, ctx := range []context.Context{a, d, e} {
		if refused, ok := errors.AsType[*Error](context.Cause(ctx)); !ok || refused.Reason != DaemonStops {
			t.Errorf("handler %d ends with %v", i, context.Cause(ctx))
		}
	}
	if b.Err() != nil {
		t.Errorf("a handler that had returned ends with %v", context.Cause(b))
	}
	for _, r := range []*rpc{first, fourth, third} {
		r.notCut()
	}
	if c.running != nil {
		t.Error("an RPC is left in the list of those that run")
	}
}
