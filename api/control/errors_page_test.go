package control_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/control"
)

// argument is what stands for something in the text of a reason.
var argument = regexp.MustCompile(`%[a-z]`)

// The page of errors is made from the reasons themselves: go test ./api/control -rewrite.
func TestThePageOfErrorsHasEveryReason(t *testing.T) {
	const file = "../../docs/errors.md"
	var page strings.Builder
	page.WriteString(`# Errors of the control API

An RPC that is refused has a gRPC code, a text for people, and a ` + "`google.rpc.ErrorInfo`" + ` of the domain ` + "`" + control.Domain + "`" + `
whose reason stays the same from version to version. Texts may change. In them … stands for
what is told each time; what a program can use of it is in the metadata.

A canister's reject is a result and never an error.

A client sends at most 4 MiB in one message. An answer has at most 64 MiB, most have less than 4 MiB, which is all that many clients take unless
told otherwise: ` + "`grpcurl -max-msg-sz 67108864`" + `, ` + "`grpc.MaxCallRecvMsgSize`" + ` in Go.

| reason | code | metadata | text |
|---|---|---|---|
`)
	for _, r := range control.Reasons() {
		var keys []string
		for _, key := range r.Keys {
			if key != "" {
				keys = append(keys, "`"+key+"`")
			}
		}
		text := strings.ReplaceAll(argument.ReplaceAllString(r.Text, "…"), "|", `\|`)
		if text == "…" {
			text = "*in the words of what refuses it*"
		}
		fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s |\n", r.Name, r.Code, strings.Join(keys, ", "), text)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page.String() {
		t.Errorf("%s is not what the reasons say: go test ./api/control -run Page -rewrite", file)
	}
}
