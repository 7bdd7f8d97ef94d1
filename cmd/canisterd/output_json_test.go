package main

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestMessagesArePrintedInOneDialect(t *testing.T) {
	for want, message := range map[string]proto.Message{
		`{"canisters":[],"next_page_token":""}`: &controlv1.ListCanistersResponse{},
		`{"canister_id":"","subnet_id":"","status":"running","module_hash":"00ff","cycles":340282366920938463463374607431768211455,"memory_bytes":18446744073709551615}`: &controlv1.CanisterSummary{
			Status: controlv1.CanisterStatus_CANISTER_STATUS_RUNNING, ModuleHash: []byte{0, 255}, Cycles: "340282366920938463463374607431768211455", MemoryBytes: 1<<64 - 1,
		},
		`{"mode":"","interval":"1.5s"}`: &controlv1.Pacing{Interval: durationpb.New(1500 * time.Millisecond)},
		`{"index":0,"time":"2030-01-01T00:00:00.000000001Z","content":"<a> & \"b\""}`: &controlv1.ReadLogsResponse{
			Time: timestamppb.New(time.Date(2030, 1, 1, 0, 0, 0, 1, time.UTC)), Content: []byte(`<a> & "b"`),
		},
		`{"index":0,"content":"ff"}`: &controlv1.ReadLogsResponse{Content: []byte{0xff}},
		`{"cycles":null}`:            &controlv1.SetCyclesResponse{},
	} {
		if text, err := encodeJSON(message); err != nil || string(text) != want {
			t.Errorf("%T is printed as\n%s (%v), want\n%s", message, text, err, want)
		}
	}
}

func TestNoAnswerHasAMap(t *testing.T) {
	protoregistry.GlobalFiles.RangeFilesByPackage("canisterd.control.v1", func(file protoreflect.FileDescriptor) bool {
		messages := file.Messages()
		for i := range messages.Len() {
			fields := messages.Get(i).Fields()
			for n := range fields.Len() {
				if f := fields.Get(n); f.IsMap() && !strings.HasSuffix(string(messages.Get(i).Name()), "Request") {
					t.Errorf("%s is a map: --json cannot print it", f.FullName())
				}
			}
		}
		return true
	})
}

func TestFiltersLookIntoResults(t *testing.T) {
	const result = `{"cycles":340282366920938463463374607431768211455,"names":["a","b"],"at":1.5}`
	for want, f := range map[string]filter{
		"340282366920938463463374607431768211455\n": {jq: ".cycles"},
		"a\nb\n": {jq: ".names[]"}, "[\"a\",\"b\"]\n": {jq: ".names"}, "2.5\n": {jq: ".at + 1"},
		"a-b [\"a\",\"b\"]\n": {template: `{{join "-" .names}} {{json .names}}`},
	} {
		var out strings.Builder
		if _, err := f.read(); err != nil {
			t.Errorf("%s%s: %v", f.jq, f.template, err)
		} else if err := f.apply(&out, []byte(result)); err != nil || out.String() != want {
			t.Errorf("%s%s printed %q (%v), want %q", f.jq, f.template, &out, err, want)
		}
	}
	for _, f := range []filter{{jq: "."}, {jq: ".["}, {template: "{{"}, {jq: "nothing_such"}} {
		if f.jq == "." {
			f.template = "x"
		}
		if _, err := f.read(); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("%s%s: %v", f.jq, f.template, err)
		}
	}
}
