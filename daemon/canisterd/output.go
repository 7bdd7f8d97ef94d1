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
	Request    string            `json:"request_id,omitempty"`
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
		text := err.Error()
		if reject != nil {
			// Canisters have names here.
			text = strings.Replace(text, reject.Error(), reject.Summary()+reject.Backtrace(c.nameOf), 1)
		}
		c.note("error: %s", text)
		return
	}
	f := failure{Error: err.Error(), Request: c.request}
	if reject != nil {
		f.Error = strings.Replace(f.Error, reject.Error(), reject.Summary(), 1)
	}
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
