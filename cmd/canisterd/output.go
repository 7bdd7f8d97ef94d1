package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/output"
)

// print writes a result: value as JSON on one line if requested, else the text.
func (c *cli) print(text string, value any) error {
	if !c.json {
		_, err := fmt.Fprintln(c.out, text)
		return err
	}
	encoded, err := output.JSON(value)
	if err != nil {
		return err
	}
	if c.filtered {
		return c.filter.Apply(c.out, encoded)
	}
	_, err = c.out.Write(append(encoded, '\n'))
	return err
}

// done reports that a command without another result has finished: to people on stderr, with --json as a value.
func (c *cli) done(value any, format string, args ...any) error {
	if c.json {
		return c.print("", value)
	}
	c.note(format, args...)
	return nil
}

// note writes messages for people that are not results: with --json, stderr has only errors.
func (c *cli) note(format string, args ...any) {
	if !c.json {
		fmt.Fprintf(c.err, format+"\n", args...)
	}
}

type failure struct {
	Error      string            `json:"error"`
	Request    string            `json:"request_id,omitempty"`
	Canister   string            `json:"canister_id,omitempty"` // of a call that was rejected, with its method
	Method     string            `json:"method,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	RejectCode int32             `json:"reject_code,omitempty"`
	ErrorCode  string            `json:"error_code,omitempty"`
	Message    string            `json:"reject_message,omitempty"`
	Backtrace  []frame           `json:"backtrace,omitempty"`
}

// frame is a line of a backtrace for --json.
type frame struct {
	Canister string `json:"canister_id"`
	Function string `json:"function"`
	Module   string `json:"module,omitempty"`
	Context  uint64 `json:"call_context,omitempty"`
	File     string `json:"file,omitempty"`
	Line     uint32 `json:"line,omitempty"`
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
	var call *rejectedCall
	if errors.As(err, &call) {
		f.Canister, f.Method = call.canister, call.method
	}
	f.Reason, f.Metadata = remote.Reason(err)
	if reject != nil {
		f.RejectCode, f.ErrorCode, f.Message = int32(reject.GetCode()), reject.GetErrorCode(), reject.GetText()
		for _, b := range reject.GetBacktrace() {
			f.Backtrace = append(f.Backtrace, frame{b.GetCanisterId(), b.GetFunction(), b.GetModule(), b.GetCallContext(), b.GetFile(), b.GetLine()})
		}
	}
	encoder := json.NewEncoder(c.err)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		fmt.Fprintf(c.err, "error: %v\n", err)
	}
}

// stamp formats a time of a network; "" for none.
func stamp(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// first returns the first text, "" if there is none.
func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
