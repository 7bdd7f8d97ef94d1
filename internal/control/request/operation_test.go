package request_test

import (
	"errors"
	"testing"

	"github.com/canisterd/canisterd/internal/control/request"
)

func TestTheCallerOfAnOperationFollowsItsArguments(t *testing.T) {
	for text, want := range map[string][2]string{
		`bank open`:                                {`bank open`, ""},
		`bank open as bob`:                         {`bank open`, "bob"},
		`bank open "seven as nine"`:                {`bank open "seven as nine"`, ""},
		`bank open "seven as nine" as bob`:         {`bank open "seven as nine"`, "bob"},
		`bank open "a \" as \" b" as 2vxsx-fae`:    {`bank open "a \" as \" b"`, "2vxsx-fae"},
		`bank open "a \\" as bob`:                  {`bank open "a \\"`, "bob"},
		`bank open (record { was = 1 }) as alice `: {`bank open (record { was = 1 })`, "alice"},
	} {
		if call, as := request.CutCaller(text); [2]string{call, as} != want {
			t.Errorf("%s is %q as %q, want %q", text, call, as, want)
		}
	}
}

// given finds one canister and one user.
type given struct{}

func (given) Canister(text string) (string, error) {
	if text != "bank" {
		return "", errors.New("no such canister")
	}
	return "7tjcv-pp777-77776-qaaaa-cai", nil
}

func (given) Caller(name string) (string, error) {
	if name != "" && name != "bob" {
		return "", errors.New("no such user")
	}
	return name, nil
}

func (given) Resolve(text string) (string, error) {
	if text == "${x}" {
		return "", errors.New("no such name")
	}
	return text, nil
}

func TestAnOperationIsACallWithItsTitle(t *testing.T) {
	got, err := request.Operation("bank withdraw 100 as bob", given{})
	call := got.GetCall()
	if err != nil || call.GetCanisterId() != "7tjcv-pp777-77776-qaaaa-cai" || call.GetMethod() != "withdraw" || call.GetArgument().GetText() != "(100)" ||
		call.GetSender() != "bob" || got.GetTitle() != "bank withdraw 100 as bob" {
		t.Errorf("the operation is %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"bank": "expected CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]", "shop open": "no such canister", "bank open as eve": "no such user", "bank open ${x}": "no such name",
	} {
		if _, err := request.Operation(text, given{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
