package control

import (
	"context"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica/trace"
)

// traceReader decodes the arguments and replies in traces, by the present interfaces of canisters.
type traceReader struct {
	server   *Server
	instance *instance.Instance
	names    trace.Names
	files    map[principal.Principal]*did.File // read so far; nil: it has none
}

func (s *events) readerOf(i *instance.Instance, names trace.Names) *traceReader {
	return &traceReader{server: s.Server, instance: i, names: names, files: make(map[principal.Principal]*did.File)}
}

// describe fills in the arguments and replies of a tree.
func (r *traceReader) describe(ctx context.Context, tree *trace.Tree) {
	tree.Describe(func(c *trace.Call) (arg, reply string) {
		method := r.method(ctx, c)
		arg = r.text(c.Arg, method, did.Method.DecodeArgs)
		if c.Answered() && c.Reject == nil {
			reply = r.text(c.Reply, method, did.Method.DecodeResults)
		}
		return arg, reply
	})
}

// method returns the called method from its canister's interface; nil if it is unknown.
func (r *traceReader) method(ctx context.Context, c *trace.Call) *did.Method {
	file, ok := r.files[c.Canister]
	if !ok {
		file, _ = r.server.interfaceOf(ctx, r.instance, c.Canister) // without one, labels are numbers
		r.files[c.Canister] = file
	}
	for _, f := range []*did.File{file, managementInterface().file} {
		if f == nil {
			continue
		}
		if m, ok := f.Method(c.Method); ok {
			return &m
		}
	}
	return nil
}

// text decodes a payload by its method's types, or by its own; "" if it is not Candid.
func (r *traceReader) text(payload []byte, method *did.Method, decode func(did.Method, []byte) ([]candid.Value, error)) string {
	if len(payload) == 0 {
		return ""
	}
	if method != nil {
		if values, err := decode(*method, payload); err == nil {
			return candid.Brief(values, maxTraceValue, r.names)
		}
	}
	values, _, err := candid.Decode(payload)
	if err != nil {
		return ""
	}
	return candid.Brief(values, maxTraceValue, r.names)
}
