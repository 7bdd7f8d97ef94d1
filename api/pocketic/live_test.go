package pocketic_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/client"
)

// stillRun has an agent call a canister of a new instance whose time stands still, and gives the time of the instance at
// the end. The agent takes its time between the calls: it asks for the time of the instance again and again.
func (a *api) stillRun(between int) string {
	a.Helper()
	number := a.world()
	if answer := a.ask(fmt.Sprintf(`POST /instances/%d/auto_progress {"canisterd_time":"still"}`, number)); answer != "200 null" {
		a.Fatal(answer)
	}
	agent, err := client.Dial(a.Context(), fmt.Sprintf("%s/instances/%d", a.url, number))
	if err != nil {
		a.Fatal(err)
	}
	defer agent.Close()
	hello, err := base64.StdEncoding.DecodeString(a.given["HELLO"])
	if err != nil {
		a.Fatal(err)
	}
	for range 3 {
		before := time.Now()
		for range between {
			a.ask(fmt.Sprintf("GET /instances/%d/read/get_time", number))
		}
		if between > 0 && !time.Now().After(before) {
			a.Fatal("the wall clock stands still, too")
		}
		if reply, err := agent.Call(a.Context(), first, first, "run", hello); err != nil || string(reply) != "hello" {
			a.Fatalf("the agent hears %q (%v)", reply, err)
		}
	}
	return a.ask(fmt.Sprintf("GET /instances/%d/read/get_time", number))
}

func TestAnInstanceWhoseTimeStandsStillGoesTheSameWayHoweverLongAgentsTake(t *testing.T) {
	t.Parallel()
	a := served(t)
	fast, slow := a.stillRun(0), a.stillRun(20)
	if fast != slow || !strings.HasPrefix(fast, `200 {"nanos_since_epoch":16203286300000000`) {
		t.Errorf("the times at the end are %s and %s", fast, slow)
	}
}
