package control_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAnInstanceIsForkedAtAPastRound(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: t.TempDir()})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.expect("at first", a.counting("", id), "(1 : nat)")
	then := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance()
	a.expect("then", a.counting("", id), "(2 : nat)")
	a.note("a fork after a round, and one at the time of that round")
	for name, request := range map[string]*controlv1.ForkInstanceRequest{
		"at-round": {At: &controlv1.ForkInstanceRequest_Height{Height: then.GetHeight()}},
		"at-time":  {At: &controlv1.ForkInstanceRequest_Time{Time: then.GetTime()}},
	} {
		request.Name = name
		made := must(a, a.instances.ForkInstance, request).GetInstance()
		if made.GetHeight() != then.GetHeight() || !made.GetTime().AsTime().Equal(then.GetTime().AsTime()) {
			t.Errorf("the fork %s has round %d, want %d", name, made.GetHeight(), then.GetHeight())
		}
		a.expect("in the fork", a.counting(name, id), "(2 : nat)")
	}
	a.note("a fork before a message, by the beginning of its id")
	inputs := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{}).GetInputs()
	prefix := func(name, text string) *controlv1.ForkInstanceRequest {
		return &controlv1.ForkInstanceRequest{Name: name, At: &controlv1.ForkInstanceRequest_BeforeRequestPrefix{BeforeRequestPrefix: text}}
	}
	last := fmt.Sprintf("%x", inputs[len(inputs)-1].GetRequestId())
	must(a, a.instances.ForkInstance, prefix("before", last[:16]))
	a.expect("in the fork", a.counting("before", id), "(2 : nat)")
	call(a, a.instances.ForkInstance, prefix("", "X"))
	call(a, a.instances.ForkInstance, prefix("", ""))
	seen := make(map[byte]int)
	for range 17 { // there are 16 digits, so that two ids begin with the same one
		sent := must(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: id, Method: "inc"}})
		digit := sent.GetRequestId()[0] >> 4
		if seen[digit]++; seen[digit] == 2 {
			_, err := a.instances.ForkInstance(a.ctx, prefix("", fmt.Sprintf("%x", digit)))
			if reason, _ := remote.Reason(err); reason != "BAD_FIELD" || !strings.Contains(err.Error(), " messages have ids that begin so: ") {
				t.Errorf("a fork before one of several messages: %v", err)
			}
			break
		}
	}
	a.note("the journal ends at the present")
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "lab", Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", At: &controlv1.ForkInstanceRequest_Height{Height: 1000}})
	a.compare("instances_past")
}

func TestTheHistoryOfAnInstanceHasWhatClientsGaveIt(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: t.TempDir()})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "lab", Seed: []byte{7}, Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}})
	home := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "lab"}).GetInstance().GetDefaultEffectiveCanisterId()
	created := must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{Instance: "lab"}).GetCanisterId()
	must(a, a.canisters.AddCycles, &controlv1.AddCyclesRequest{Instance: "lab", CanisterId: created, Cycles: "1000"})
	first := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "lab"})
	if inputs := first.GetInputs(); len(inputs) < 2 || inputs[0].GetKind() != "ingress" || inputs[0].GetCanisterId() != "aaaaa-aa" || inputs[len(inputs)-1].GetKind() != "add_cycles" {
		t.Errorf("the history of %s has %v", home, inputs)
	}
	page := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "lab", PageSize: 1})
	if len(page.GetInputs()) != 1 || page.GetNextPageToken() == "" || page.GetFirstHeight() != 0 || page.GetLastHeight() < 2 || len(page.GetCheckpoints()) != 1 {
		t.Errorf("a page of one input: %v", page)
	}
	rest := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "lab", PageToken: page.GetNextPageToken()})
	if len(rest.GetInputs()) != len(first.GetInputs())-1 || rest.GetNextPageToken() != "" {
		t.Errorf("the page after it: %v", rest)
	}
	call(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "none"})
	call(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{PageSize: 1001})
	call(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{PageToken: "x"})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "brief", Ephemeral: true})
	call(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "brief"})
	a.note("a mark, and a fork there")
	must(a, a.instances.MarkHistory, &controlv1.MarkHistoryRequest{Instance: "lab", Mark: "before"})
	must(a, a.canisters.AddCycles, &controlv1.AddCyclesRequest{Instance: "lab", CanisterId: created, Cycles: "1000"})
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", Name: "marked", At: &controlv1.ForkInstanceRequest_Mark{Mark: "before"}})
	marked := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{Instance: "lab", PageToken: page.GetNextPageToken()}).GetInputs()
	if mark := marked[len(marked)-2]; mark.GetKind() != "mark" || mark.GetText() != "before" {
		t.Errorf("the history has %v", marked)
	}
	now := func(name string) string {
		return must(a, a.canisters.GetCanister, &controlv1.GetCanisterRequest{Instance: name, CanisterId: created}).GetCanister().GetCycles()
	}
	if then, later := now("marked"), now("lab"); len(then) != len(later) || then >= later {
		t.Errorf("the canister has %s cycles at the mark, and %s later", then, later)
	}
	for _, name := range []string{"", "Not a name"} {
		call(a, a.instances.MarkHistory, &controlv1.MarkHistoryRequest{Instance: "lab", Mark: name})
	}
	call(a, a.instances.MarkHistory, &controlv1.MarkHistoryRequest{Instance: "brief", Mark: "before"})
	for _, name := range []string{"", "after"} {
		call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", At: &controlv1.ForkInstanceRequest_Mark{Mark: name}})
	}
	a.compare("instances_history")
}

func TestTheHistoryOfAnInstanceHasItsTraps(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: t.TempDir()})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	if _, err := a.calls.Update(a.ctx, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id, Method: "inc", Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte{0}}}}}); err != nil {
		t.Fatal(err)
	}
	after := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance().GetHeight()
	inputs := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{}).GetInputs()
	call, trap := inputs[len(inputs)-2], inputs[len(inputs)-1]
	if trap.GetKind() != "trap" || trap.GetCanisterId() != id || trap.GetMethod() != "inc" || trap.GetErrorCode() != "IC0503" ||
		!strings.Contains(trap.GetText(), "IDL error") || trap.GetSender() != "" || !bytes.Equal(trap.GetRequestId(), call.GetRequestId()) || call.GetKind() != "ingress" {
		t.Errorf("after %v, the mark is %v", call, trap)
	}
	if trap.GetHeight() >= after || trap.GetHeight() < call.GetHeight() {
		t.Errorf("the mark is at round %d, the message at %d, and the present at %d", trap.GetHeight(), call.GetHeight(), after)
	}
	page := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{PageSize: uint32(len(inputs) - 1)})
	rest := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{PageToken: page.GetNextPageToken()})
	if len(page.GetInputs()) != len(inputs)-1 || len(rest.GetInputs()) != 1 || rest.GetInputs()[0].GetKind() != "trap" {
		t.Errorf("the last page has %v", rest.GetInputs())
	}
	must(a, a.instances.MarkHistory, &controlv1.MarkHistoryRequest{Mark: "after"})
	marks := must(a, a.instances.GetHistory, &controlv1.GetHistoryRequest{OnlyMarks: true})
	if got := marks.GetInputs(); len(got) != 2 || !proto.Equal(got[0], trap) || got[1].GetText() != "after" || marks.GetNextPageToken() != "" {
		t.Errorf("marks alone: %v", got)
	}
}

func TestADamagedInstanceIsRefusedByNameAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lab := filepath.Join(dir, "instances", "lab")
	if err := os.MkdirAll(lab, 0o700); err != nil {
		t.Fatal(err)
	}
	for folder, format := range map[string]string{dir: "canisterd state directory, version 1\n", lab: "canisterd state directory, version 99\n"} {
		if err := os.WriteFile(filepath.Join(folder, "FORMAT"), []byte(format), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: dir})
	a.mask(dir, "STATE")
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
	call(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "lab"})
	call(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "lab"})
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "lab"})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "lab"})
	a.compare("instances_damaged")
}
