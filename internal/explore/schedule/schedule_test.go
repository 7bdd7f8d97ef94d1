package schedule_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/schedule"
)

func TestAScheduleIsReadAsItWasWritten(t *testing.T) {
	f := &schedule.File{
		Property: "vault paidOut <= 100", Text: "200 are paid", Modules: map[string]string{"bank": "ab"}, Base: "cd", Seed: 7,
		Operations: []schedule.Operation{{Name: "op2", Canister: "bank", Method: "withdraw", Argument: "4449444c", Sender: "2vxsx-fae", Title: "bank.withdraw(100)"}},
		Deviations: []schedule.Deviation{{Run: "op2/1.reply", Before: "op1/1.reply"}},
		Faults:     []schedule.Fault{{At: "op1/1.reply", Kind: "trap_callback"}},
	}
	text, err := schedule.Write(f)
	if err != nil {
		t.Fatal(err)
	}
	again, err := schedule.Read(text)
	if err != nil || !reflect.DeepEqual(f, again) {
		t.Errorf("%s is read as %+v, %v", text, again, err)
	}
	if !strings.Contains(string(text), "  - run: op2/1.reply\n    before: op1/1.reply\n") {
		t.Errorf("the text is\n%s", text)
	}
}

func TestFilesThatAreNoSchedulesAreRefusedWithTheReason(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "its version is 0",
		"version: 2":                   "this program reads version 1",
		"version: 1":                   "it has no operations",
		"version: 1\noperations: [{}]": "it names no property",
		"version: 1\nsteps: 3":         "field steps not found",
		"version: {":                   "invalid schedule",
	} {
		if _, err := schedule.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}
