package canisterd

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
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

// interfaceQuery is the method with which older canisters return their interface.
const interfaceQuery = "__get_candid_interface_tmp_hack"

// noArguments is the argument of a method that takes none.
var noArguments = []byte("DIDL\x00\x00")
