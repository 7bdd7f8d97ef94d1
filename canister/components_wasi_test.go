package canister_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestFunctionsOfWASIInComponentsDoWhatTheirScriptsSay(t *testing.T) {
	golden.Scripts(t, "testdata/components", func(t testing.TB) golden.Performer { return newClerk(t) })
}

// clerk calls methods of a component that uses all functions of WASI that a canister has.
//
//	variable NAME VALUE    gives the canister an environment variable
//	time NANOSECONDS       moves the time
//	upgrade                upgrades the canister to the same component
//	call METHOD ARGUMENTS  calls a method, and says what it logged, its reply or its failure
type clerk struct {
	place  *canistertest.Place
	module *canister.Module
	c      *canister.Canister
	file   *did.File
	logged uint64
	said   strings.Builder
}

func newClerk(t testing.TB) *clerk {
	p := &clerk{place: canistertest.NewPlace(t)}
	p.module = p.place.Module(componentFile(t, "clerk.wasm"))
	p.c, p.file = p.place.Canister(p.module, nil), interfaceOf(t, p.module)
	return p
}

func (p *clerk) Perform(command string) error {
	words := strings.SplitN(strings.TrimSpace(command), " ", 3)
	switch words[0] {
	case "variable":
		p.c.Settings.SetEnvironment(append(p.c.Settings.Environment, canister.Variable{Name: words[1], Value: words[2]}))
	case "time":
		more, err := strconv.ParseUint(words[1], 10, 64)
		p.place.Subnet.Time += more
		return err
	case "upgrade":
		in := canister.Install{Mode: canister.Upgrade, Module: p.module, Caller: canistertest.Controller}
		if out := p.c.Install(&p.place.Subnet, &in); out.Failure != nil {
			return errors.New(out.Failure.Text)
		}
	case "call":
		return p.call(words[1], words[2])
	default:
		return fmt.Errorf("no command %q", words[0])
	}
	return nil
}

func (p *clerk) call(name, args string) error {
	text, err := calledWith(p.place, p.c, p.file, name, args)
	p.logged = sayLog(&p.said, p.c, p.logged)
	text, _, _ = strings.Cut(text, "\n")
	fmt.Fprintln(&p.said, strings.TrimPrefix(text, fmt.Sprintf("Error from Canister %s: ", p.c.ID)))
	return err
}

func (p *clerk) Said() string {
	said := p.said.String()
	p.said.Reset()
	return said
}

func TestStartFunctionsOfComponentsWithWASIMayAskForTheTime(t *testing.T) {
	place := canistertest.NewPlace(t)
	m := place.Module(componentFile(t, "starts.wasm"))
	c, file := place.Canister(m, []byte("abc")), interfaceOf(t, m)
	says := func(method, want string) {
		t.Helper()
		if got := called(t, place, c, file, method, "()"); got != want {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
	says("started", "(1_700_000_000_000_000_000 : nat64)")
	says("told", "(3 : nat32)")
	says("empty", "(0 : nat32)")
	upgrade := func(arg string) {
		t.Helper()
		place.Subnet.Time++
		in := canister.Install{Mode: canister.Upgrade, Module: m, Caller: canistertest.Controller, Arg: []byte(arg)}
		if out := c.Install(&place.Subnet, &in); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
	upgrade("ab")
	says("started", "(1_700_000_000_000_000_001 : nat64)")
	says("told", "(102 : nat32)")
	upgrade("") // the list has no bytes, and the program may free them
	says("told", "(100 : nat32)")
	says("empty", "(1 : nat32)")
}
