package canisterd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

// Text is a list of arguments or results as Candid text: (100, "Alice"). It is the only argument of a call, or the only
// target of [Into].
type Text string

// Bytes is a list of arguments or results as Candid bytes, or as anything else. It is the only argument of a call, or
// the only target of [Into].
type Bytes []byte

// into holds the variables that results are read into.
type into struct{ targets []any }

// Into names the variables that receive the results of a call, as pointers. It follows the arguments of the call.
// Numbers are read into any Go number that they fit, records into structs with tags (package candid). Results after the
// last target are dropped.
func Into(targets ...any) any { return into{targets} }

// split separates the targets from the arguments.
func split(args []any) (rest, targets []any) {
	for _, arg := range args {
		if t, ok := arg.(into); ok {
			targets = append(targets, t.targets...)
			continue
		}
		rest = append(rest, arg)
	}
	return rest, targets
}

// encode encodes arguments with types, which are nil if nothing declares them; text reads Candid text.
func encode(args []any, types []*candid.Type, text func(string) ([]byte, error)) ([]byte, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case *Canister:
			values[i] = v.id
			continue
		case Text, Bytes:
			if len(args) > 1 {
				return nil, fmt.Errorf("argument %d is a %T, which has to be the only argument", i, arg)
			}
		}
		values[i] = arg
	}
	if len(args) == 1 {
		switch v := args[0].(type) {
		case Text:
			return text(string(v))
		case Bytes:
			return v, nil
		}
	}
	if types == nil {
		return candid.Marshal(values...)
	}
	return candid.MarshalAt(types, values...)
}

// encodeUntyped encodes Candid text with its inferred types.
func encodeUntyped(text string) ([]byte, error) {
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}

// decode reads a reply into targets. The method is nil if nothing describes it.
func decode(reply []byte, targets []any, method *did.Method) error {
	if len(targets) == 0 {
		return nil
	}
	switch v := targets[0].(type) {
	case *Bytes:
		*v = reply
		return nil
	case *Text:
		var values []candid.Value
		err := errors.New("nothing describes it")
		if method != nil {
			values, err = method.DecodeResults(reply)
		}
		if err != nil {
			values, _, err = candid.Decode(reply)
		}
		*v = Text(candid.FormatArgs(values))
		return err
	}
	return candid.UnmarshalFit(reply, targets...)
}

// described is the interface of a module.
type described struct {
	module [sha256.Size]byte // its hash
	file   *did.File         // nil if the module has no readable one
}

// interfaceQuery is the method with which older canisters return their interface.
const interfaceQuery = "__get_candid_interface_tmp_hack"

// managementInterface is the interface of the management canister, which has no module.
var managementInterface = sync.OnceValue(func() *did.File {
	file, err := did.Parse(replica.ManagementInterface())
	if err != nil {
		panic(fmt.Sprintf("canisterd: the interface of the management canister: %v", err))
	}
	return file
})

// method returns a method from the canister's interface, nil if it is not described.
func (c *Canister) method(ctx context.Context, name string) *did.Method {
	file := managementInterface()
	if c.id != principal.Management {
		module := c.network.running.Node().View().Module(c.id)
		if module == nil {
			return nil
		}
		known := c.described.Load()
		if known == nil || known.module != module.Hash() {
			known = &described{module.Hash(), c.describe(ctx, module)}
			c.described.Store(known)
		}
		if file = known.file; file == nil {
			return nil
		}
	}
	if m, ok := file.Method(name); ok {
		return &m
	}
	return nil
}

// describe returns the interface of a module, nil if it has no readable one.
func (c *Canister) describe(ctx context.Context, module *canister.Module) *did.File {
	var text string
	if section, ok := module.Section(did.InterfaceSection); ok {
		text = string(section.Content)
	} else if module.Method(interfaceQuery) == canister.QueryMethod {
		asked := &api.Query{Sender: principal.Anonymous, Receiver: c.id, Effective: c.id, Method: interfaceQuery, Arg: noArguments}
		result, err := c.network.running.Backend().Query(ctx, asked)
		if err != nil || result.Reject != nil || candid.Unmarshal(result.Reply, &text) != nil {
			return nil
		}
	}
	file, err := did.Parse(text)
	if err != nil || file.Service() == nil {
		return nil
	}
	return file
}

// noArguments is the argument of a method that takes none.
var noArguments = []byte("DIDL\x00\x00")
