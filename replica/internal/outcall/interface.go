package outcall

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
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

// FlexibleResult is flexible_http_request_result.
type FlexibleResult struct {
	OK  *[]Result      `ic:"ok,variant"`
	Err *FlexibleError `ic:"err,variant"`
}

// FlexibleError says why a flexible outcall has no result.
type FlexibleError struct {
	Global  *GlobalError `ic:"global_error"`
	Nodes   []NodeDetail `ic:"node_details"`
	Message string       `ic:"message"`
}

// GlobalError is the kind of a FlexibleError.
type GlobalError struct {
	Timeout           *candid.Reserved `ic:"timeout,variant"`
	OutOfCycles       *candid.Reserved `ic:"out_of_cycles,variant"`
	ResponsesTooLarge *candid.Reserved `ic:"responses_too_large,variant"`
	TooManyRejects    *candid.Reserved `ic:"too_many_rejects,variant"`
}

// NodeDetail describes a node's work for an outcall. As in the replica, reports are empty.
type NodeDetail struct {
	Node   principal.Principal `ic:"node_id"`
	Report Report              `ic:"report"`
	Error  *NodeError          `ic:"error"`
}

// NodeError is the reason why a node has no response, or its response.
type NodeError struct {
	Code    string `ic:"code"`
	Message string `ic:"message"`
}

// Report is the resources that a node used.
type Report struct {
	Raw          *Used     `ic:"raw_response_bytes"`
	Milliseconds *Used     `ic:"http_roundtrip_time_ms"`
	Instructions *Used     `ic:"transform_instructions"`
	Transformed  *Used     `ic:"transformed_response_bytes"`
	Cycles       *UsedMany `ic:"cycles"`
}

// Used is an amount of a resource, or says that it was insufficient.
type Used struct {
	Used     *uint64          `ic:"used,variant"`
	Exceeded *candid.Reserved `ic:"exceeded,variant"`
}

// UsedMany is Used for an amount that may be large.
type UsedMany struct {
	Used     *candid.Nat      `ic:"used,variant"`
	Exceeded *candid.Reserved `ic:"exceeded,variant"`
}

// TransformArg is the argument of a transform.
type TransformArg struct {
	Response Result `ic:"response"`
	Context  []byte `ic:"context"`
}

// TransformFunc is a reference to a transform: a query method from TransformArg to Result.
type TransformFunc candid.Func

// CandidType returns the type of the reference.
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
