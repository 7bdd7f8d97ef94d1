package output

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
		`{"canister_id":"","subnet_id":"","status":"running","module_hash":"00ff","cycles":340282366920938463463374607431768211455,"memory_bytes":18446744073709551615,"idle_cycles_burned_per_day":null}`: &controlv1.CanisterSummary{
			Status: controlv1.CanisterStatus_CANISTER_STATUS_RUNNING, ModuleHash: []byte{0, 255}, Cycles: "340282366920938463463374607431768211455", MemoryBytes: 1<<64 - 1,
		},
		`{"mode":"","interval":"1.5s"}`: &controlv1.Pacing{Interval: durationpb.New(1500 * time.Millisecond)},
		`{"index":0,"time":"2030-01-01T00:00:00.000000001Z","content":"<a> & \"b\""}`: &controlv1.ReadLogsResponse{
			Time: timestamppb.New(time.Date(2030, 1, 1, 0, 0, 0, 1, time.UTC)), Content: []byte(`<a> & "b"`),
		},
		`{"index":0,"content":"ff"}`: &controlv1.ReadLogsResponse{Content: []byte{0xff}},
		`{"cycles":null}`:            &controlv1.SetCyclesResponse{},
	} {
		if text, err := JSON(message); err != nil || string(text) != want {
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
