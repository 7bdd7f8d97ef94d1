package pocketic_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// installed is a server with one instance and a canister that does what scripts say: what the
// script for calls begins with.
func installed(t *testing.T) *api {
	t.Helper()
	begin, _, found := strings.Cut(golden.Read(t, "testdata/calls.txt"), "\n\n")
	if !found {
		t.Fatal("the script has no part that installs a canister")
	}
	a := served(t)
	a.play(begin)
	return a
}

// call makes an update call of the first canister and gives the answer.
func (a *api) call(payload string) string {
	a.Helper()
	submitted := a.ask(`POST /instances/0/update/submit_ingress_message {"sender":"${USER}","canister_id":"${FIRST}","method":"run","payload":"${` + payload + `}"}`)
	if !strings.HasPrefix(submitted, `200 {"Ok"`) {
		a.Fatal(submitted)
	}
	return a.ask(`POST /instances/0/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`)
}

func TestWhatACanisterPrintsIsWrittenWholeAndAtOnce(t *testing.T) {
	a := installed(t)
	name := "[Canister " + first.String() + "] "
	long := name + strings.Repeat("long ", 2_000) + "\n" + name + "last\n"
	for _, c := range []struct{ do, want string }{
		{a.call("PRINT"), long},
		{a.call("PRINT_TRAP"), name + "before\n"},
		{a.ask(`POST /instances/0/read/query {"sender":"${USER}","canister_id":"${FIRST}","method":"query","payload":"${PRINT_TRAP}"}`), name + "before\n"},
	} {
		got := a.diagnostics.String()
		before, after, found := strings.Cut(got, c.want)
		if !found || before != "" {
			t.Errorf("after %q it is %d bytes, want %.60q next", c.do, len(got), c.want)
		}
		a.diagnostics.Reset()
		a.diagnostics.WriteString(after)
	}
	if left := a.diagnostics.String(); left != "" {
		t.Errorf("what is written beyond that is %q", left)
	}
}

func TestACallThatIsNotTakenIsALineOfItsOwn(t *testing.T) {
	a := installed(t)
	a.ask(`POST /instances/0/update/submit_ingress_message {"sender":"${USER}","canister_id":"${SECOND}","method":"run","payload":""}`)
	if got, want := a.diagnostics.String(), "Failed to submit ingress message: BadIngressMessage(\"Canister "+second.String()+" does not belong to any subnet.\")\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
