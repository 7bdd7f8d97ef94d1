package values

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/trace"
)

// Reader decodes arguments and replies. It asks for each interface once.
type Reader struct {
	// Interface returns the present interface of a canister, also of the management canister; nil if it has none.
	Interface func(principal.Principal) *did.File
	Names     trace.Names // of canisters in values

	files map[principal.Principal]*did.File // read so far
}

// Describe fills in the arguments and replies of a tree.
func (r *Reader) Describe(tree *trace.Tree) {
	tree.Describe(func(c *trace.Call) (arg, reply string) {
		method := r.method(c)
		arg = r.text(c.Arg, method, did.Method.DecodeArgs)
		if c.Answered() && c.Reject == nil {
			reply = r.text(c.Reply, method, did.Method.DecodeResults)
		}
		return arg, reply
	})
}

// method returns the called method from its canister's interface, or else from that of the management canister: its
// messages are listed under the canister that they are about. nil if it is unknown.
func (r *Reader) method(c *trace.Call) *did.Method {
	for _, id := range []principal.Principal{c.Canister, principal.Management} {
		if file := r.file(id); file != nil {
			if m, ok := file.Method(c.Method); ok {
				return &m
			}
		}
	}
	return nil
}

func (r *Reader) file(id principal.Principal) *did.File {
	file, ok := r.files[id]
	if !ok {
		if r.files == nil {
			r.files = make(map[principal.Principal]*did.File)
		}
		file = r.Interface(id)
		r.files[id] = file
	}
	return file
}

// text decodes a payload by its method's types, or by its own, in which labels are numbers; "" if it is not Candid.
func (r *Reader) text(payload []byte, method *did.Method, decode func(did.Method, []byte) ([]candid.Value, error)) string {
	if len(payload) == 0 {
		return ""
	}
	if method != nil {
		if values, err := decode(*method, payload); err == nil {
			return candid.Brief(values, MaxValue, r.Names)
		}
	}
	values, _, err := candid.Decode(payload)
	if err != nil {
		return ""
	}
	return candid.Brief(values, MaxValue, r.Names)
}
