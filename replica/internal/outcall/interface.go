package outcall

import (
	"github.com/canisterd/canisterd/candid"
)

// The Candid types of outcalls (interface specification, "IC method
// http_request").

// Header is http_header.
type Header struct {
	Name  string `ic:"name"`
	Value string `ic:"value"`
}

// Result is http_request_result.
type Result struct {
	Status  uint     `ic:"status"`
	Headers []Header `ic:"headers"`
	Body    []byte   `ic:"body"`
}

// TransformArg is the argument of a transform.
type TransformArg struct {
	Response Result `ic:"response"`
	Context  []byte `ic:"context"`
}

// TransformFunc is a reference to a transform: a query method from TransformArg to
// Result.
type TransformFunc candid.Func

// CandidType is the type of the reference.
func (TransformFunc) CandidType() *candid.Type {
	t, err := candid.FuncOf(candid.Signature{Args: one[TransformArg](), Results: one[Result](), Annotation: candid.Query})
	if err != nil {
		panic("outcall: the type of transforms: " + err.Error())
	}
	return t
}

func one[T any]() []*candid.Type {
	t, err := candid.TypeFor[T]()
	if err != nil {
		panic("outcall: " + err.Error())
	}
	return []*candid.Type{t}
}

func encode(value any) []byte {
	raw, err := candid.Marshal(value)
	if err != nil {
		panic("outcall: a value that cannot be written: " + err.Error())
	}
	return raw
}
