package campaign

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestTimePassesBehindAMessageThatMayComeBeforeATimerIsStoppedOrAfterOneIsSet(t *testing.T) {
	a, b, c := principal.Canister(1), principal.Canister(2), principal.Canister(3)
	sets := &harness.Step{Move: "op1", Canister: a, Due: true, Calls: []harness.CallMade{{Name: "op1/1"}}}
	stops := &harness.Step{Move: "op2", Canister: a, Calls: []harness.CallMade{{Name: "op2/1"}}}
	for name, test := range map[string]struct {
		steps []*harness.Step
		due   bool // when the run begins
		want  []string
	}{
		"after one that stops it":         {steps: []*harness.Step{sets, stops, {Move: "op3", Canister: b}}, want: []string{"op3"}},
		"a call of the one that stops it": {steps: []*harness.Step{sets, stops, {Move: "op2/1.request", Canister: b}, {Move: "op2/1.reply", Canister: a}}},
		"the answer to a call of the one that stops it": {
			steps: []*harness.Step{sets, stops, {Move: "op2/1.reply", Canister: b}, {Move: "op3", Canister: b}},
		},
		"the canister of the one that stops it": {steps: []*harness.Step{sets, stops, {Move: "op3", Canister: a}}},
		"before one that sets it":               {steps: []*harness.Step{{Move: "op0", Canister: b}, sets}, want: []string{"op0"}},
		"a message that leads to the one that sets it": {
			steps: []*harness.Step{{Move: "op0", Canister: b}, {Move: "op3", Canister: b, Calls: []harness.CallMade{{Name: "op3/1"}}}, {Move: "op3/1.request", Canister: a, Due: true}},
		},
		"all that comes before time passes": {steps: []*harness.Step{{Move: "op0", Canister: b}, {Move: "a:timer1", Canister: a, Due: true, Waited: 1}}},
		"after time has passed":             {steps: []*harness.Step{sets, {Move: "a:timer1", Canister: a, Waited: 1}, {Move: "op3", Canister: c}}, want: []string{"op3"}},
		"a timer of the base is stopped":    {steps: []*harness.Step{stops, {Move: "op3", Canister: b}}, due: true, want: []string{"op3"}},
		"no timer":                          {steps: []*harness.Step{stops, {Move: "op3", Canister: b}}},
	} {
		if got := dueElsewhere(test.steps, test.due); !slices.Equal(got, test.want) {
			t.Errorf("%s: time may pass behind %v, want %v", name, got, test.want)
		}
	}
}
