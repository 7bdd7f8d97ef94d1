package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
)

// print writes a result: value as JSON in one line where that was asked for (messages of the control API with the names of their .proto
// files), else the text.
func (c *cli) print(text string, value any) error {
	if !c.json {
		_, err := fmt.Fprintln(c.out, text)
		return err
	}
	if message, ok := value.(proto.Message); ok {
		encoded, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
		if err != nil {
			return fmt.Errorf("encoding the result: %w", err)
		}
		value = json.RawMessage(encoded) // the encoder takes its spaces out, which vary on purpose
	}
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// note writes what is not a result.
func (c *cli) note(format string, args ...any) {
	fmt.Fprintf(c.err, format+"\n", args...)
}

type failure struct {
	Error      string            `json:"error"`
	Reason     string            `json:"reason,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	RejectCode int32             `json:"reject_code,omitempty"`
	ErrorCode  string            `json:"error_code,omitempty"`
	Message    string            `json:"reject_message,omitempty"`
	Backtrace  []frame           `json:"backtrace,omitempty"`
}

// frame is a line of a backtrace as --json prints it.
type frame struct {
	Canister string `json:"canister_id"`
	Function string `json:"function"`
	Module   string `json:"module,omitempty"`
	Context  uint64 `json:"call_context,omitempty"`
}

// fail writes an error: for people, or with --json as an object, to stderr.
func (c *cli) fail(err error, reject *remote.Reject) {
	if !c.json {
		c.note("error: %v", err)
		if reject != nil {
			c.backtrace(reject)
		}
		return
	}
	f := failure{Error: err.Error()}
	f.Reason, f.Metadata = remote.Reason(err)
	if reject != nil {
		f.RejectCode, f.ErrorCode, f.Message = int32(reject.GetCode()), reject.GetErrorCode(), reject.GetText()
		for _, b := range reject.GetBacktrace() {
			f.Backtrace = append(f.Backtrace, frame{b.GetCanisterId(), b.GetFunction(), b.GetModule(), b.GetCallContext()})
		}
	}
	encoder := json.NewEncoder(c.err)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		c.note("error: %v", err)
	}
}

// backtrace writes where a reject comes from, innermost first: functions, and after those of
// a call what was called. It is silent where the text of the reject says as much.
func (c *cli) backtrace(reject *remote.Reject) {
	all := reject.GetBacktrace()
	called := func(i int) bool {
		return i == len(all)-1 || all[i].GetCanisterId() != all[i+1].GetCanisterId() || all[i].GetCallContext() != all[i+1].GetCallContext()
	}
	calls := 0
	for i := range all {
		if called(i) {
			calls++
		}
	}
	if calls < 2 && (len(all) < 2 || strings.Contains(reject.GetText(), "\nCanister Backtrace:\n")) {
		return
	}
	c.note("backtrace, innermost first:")
	for i, f := range all {
		switch {
		case !called(i):
			c.note("  %s", oneLine(f.GetFunction()))
		case f.GetCallContext() == 0:
			c.note("in %s.%s", c.nameOf(f.GetCanisterId()), oneLine(f.GetFunction()))
		default:
			c.note("in %s.%s, call context %d", c.nameOf(f.GetCanisterId()), oneLine(f.GetFunction()), f.GetCallContext())
		}
	}
}
