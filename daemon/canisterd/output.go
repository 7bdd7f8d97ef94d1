package main

import (
	"encoding/json"
	"fmt"

	"github.com/canisterd/canisterd/api/client"
)

// print writes a result: value as JSON where that was asked for, else the text.
func (c *cli) print(text string, value any) error {
	if !c.json {
		_, err := fmt.Fprintln(c.out, text)
		return err
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
	Error      string `json:"error"`
	RejectCode uint64 `json:"reject_code,omitempty"`
	ErrorCode  string `json:"error_code,omitempty"`
	Message    string `json:"reject_message,omitempty"`
}

// fail writes an error: for people, or with --json as an object, to stderr.
func (c *cli) fail(err error, reject *client.Reject) {
	if !c.json {
		c.note("error: %v", err)
		return
	}
	f := failure{Error: err.Error()}
	if reject != nil {
		f.RejectCode, f.ErrorCode, f.Message = reject.Code, reject.ErrorCode, reject.Message
	}
	encoder := json.NewEncoder(c.err)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		c.note("error: %v", err)
	}
}
