package replica_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// forks says what a fork does with every field that holds more than plain values, which
// are copied with their struct:
//
//	share   both have it: it is read-only, or safe for both
//	fork    the fork has its own, with the same in it
//	remake  the fork has its own, with the same in another form
//	new     the fork has its own, which begins empty or is given to it
//
// Anyone who adds such a field handles it in the fork of its struct (fork.go of its package) and enters it here.
var forks = map[string]string{
	"replica.Network": `new: config runner executor sink profiler covered meter prevAnswered defaultRunner event traps journal compared legal shown; share: management signer routes rootKey;
		fork: subnets report answered rules; remake: delegations index views`,
	"replica.subnet": `fork: State net faults; remake: paused waiting; share: config key nodes publicKey shownRanges;
		remake: record ahead; new: asked jobs running spare mailboxes choices tally`,
	"state.State": `share: Admins; fork: Blocks Ids Canisters History Calls Deadlines Ready RandomBeacon Compiled ManagementCalls Heartbeats Outcalls Signing
		Postponed Touched Answered Held throttled Environment Shared Inbound Output Parked Preparing Prepared`,
	"state.Blocks":             `share: Nodes; fork: made days`,
	"state.Day":                `share: Made`,
	"state.Ids":                `share: Ranges`,
	"state.Canisters":          `fork: slots blocks free; share: order`,
	"state.block":              `fork: all; new: shared`,
	"state.Entry":              `new: Canister; fork: Mailbox Stops Waiting Staged`,
	"state.Stop":               `fork: Ticket`,
	"state.Ticket":             `fork: Origin`,
	"state.Staged":             `share: Certified`,
	"state.History":            `fork: known slots order free; new: records`,
	"state.idIndex":            `fork: pages`,
	"cow.Map":                  `fork: own gone; share: base`,
	"cow.List":                 `fork: pages`,
	"cow.Pages":                `share: pages; new: spare`,
	"state.PendingOutcall":     `fork: Ticket; share: Sent`,
	"state.Signing":            `share: Names Ring; fork: Pending`,
	"state.PendingSignature":   `fork: Ticket; share: Arg`,
	"state.Postponed":          `fork: Ticket`,
	"state.HeldMessages":       `fork: list pairs`,
	"state.Held":               `fork: Request Response`,
	"faults.Injector":          `fork: Rules State Clock`,
	"state.Rules":              `fork: List`,
	"state.RuleState":          `share: Rule`,
	"state.ManagementCall":     `fork: Host State Sender Target Origin; share: Arg`,
	"intercanister.Mailbox":    `fork: arrivals tasks responses ingress pairs; new: spare spares`,
	"intercanister.FIFO":       `remake: ring`,
	"intercanister.settled":    `fork: response`,
	"intercanister.Response":   `share: Reply Reject`,
	"intercanister.pair":       `fork: requests; new: next`,
	"intercanister.pairs":      `fork: few many`,
	"intercanister.Request":    `share: Payload`,
	"intercanister.Origin":     `share: Info`,
	"intercanister.Input":      `fork: Response Request`,
	"intercanister.CallTable":  `fork: contexts futures`,
	"intercanister.slab":       `remake: chunks index packed`,
	"intercanister.record":     `remake: value`,
	"intercanister.Context":    `fork: Origin`,
	"intercanister.Ready":      `remake: now next`,
	"timers.Table":             `fork: queue slots free`,
	"timers.queue":             `fork: pages few; share: ranges`,
	"timers.slots":             `fork: pages few`,
	"replica.Job":              `fork: Execution subnet; new: room coroutine outcome refused`,
	"state.Execution":          `fork: Entry In Install Pauses; share: Environment Message`,
	"state.Installation":       `fork: Call; new: In`,
	"state.Pauses":             `fork: Seen Wakes`,
	"state.StreamMessage":      `fork: Request Response From`,
	"state.Preparation":        `fork: In; share: Module`,
	"state.Shared":             `fork: Credited`,
	"replica.RoundReport":      `fork: Answered`,
	"ic0.Subnet":               `new: Profiled Covered; share: RootKey Keys Print`,
	"replica.SubnetConfig":     `share: Ranges Admins`,
	"intercanister.Future":     ``,
	"intercanister.Choice":     ``,
	"intercanister.SenderInfo": `share: Info`,
}

// values are plain in themselves or read-only.
var plainTypes = []string{"principal.Principal", "cycles.Amount", "cycles.Holdings", "cycles.Schedule"}

// name is a type without its parameters.
func name(t reflect.Type) string {
	short, _, _ := strings.Cut(t.String(), "[")
	return short
}

// treated is what is done with the fields of a type.
func treated(t reflect.Type) map[string]string {
	all := make(map[string]string)
	for part := range strings.SplitSeq(forks[name(t)], ";") {
		how, fields, _ := strings.Cut(part, ":")
		for _, field := range strings.Fields(fields) {
			all[field] = strings.TrimSpace(how)
		}
	}
	return all
}

// plain reports whether a value is copied whole by an assignment.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		if slices.Contains(plainTypes, t.String()) {
			return true
		}
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}

// sharing walks a network and its fork side by side.
type sharing struct {
	t    *testing.T
	to   map[uintptr]uintptr // pointers of the source, and what stands for them
	met  map[string]bool     // fields
	seen int
}

func (l *sharing) fail(path, format string, args ...any) {
	l.t.Helper()
	l.t.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
}

func (l *sharing) walk(a, b reflect.Value, path string) {
	l.seen++
	switch a.Kind() {
	case reflect.Struct:
		l.fields(a, b, path)
	case reflect.Interface:
		if !a.IsNil() {
			l.walk(a.Elem(), b.Elem(), path)
		}
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			l.fail(path, "one is nil")
		}
		if a.IsNil() || b.IsNil() {
			return
		}
		if a.Pointer() == b.Pointer() {
			l.fail(path, "source and fork have the same %s", a.Type())
			return
		}
		if to, ok := l.to[a.Pointer()]; ok {
			if to != b.Pointer() {
				l.fail(path, "two values of the fork stand for one of the source")
			}
			return
		}
		l.to[a.Pointer()] = b.Pointer()
		l.walk(a.Elem(), b.Elem(), path)
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			l.fail(path, "%d elements, the fork has %d", a.Len(), b.Len())
			return
		}
		if a.Kind() == reflect.Slice && a.Len() > 0 && a.Pointer() == b.Pointer() {
			l.fail(path, "source and fork have the same array")
		}
		for i := range a.Len() {
			l.walk(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		if a.Len() != b.Len() || a.Len() > 0 && a.Pointer() == b.Pointer() {
			l.fail(path, "%d entries, the fork has %d, or the same map", a.Len(), b.Len())
			return
		}
		for _, key := range a.MapKeys() {
			value := b.MapIndex(key)
			if !value.IsValid() {
				l.fail(path, "the fork lacks a key")
				continue
			}
			l.walk(a.MapIndex(key), value, path+"[key]")
		}
	case reflect.Func:
		l.fail(path, "a function cannot be forked")
	default:
		l.equal(a, b, path)
	}
}

func (l *sharing) equal(a, b reflect.Value, path string) {
	if !a.Equal(b) {
		l.fail(path, "%v, in the fork %v", a, b)
	}
}

func (l *sharing) fields(a, b reflect.Value, path string) {
	t := a.Type()
	if slices.Contains(plainTypes, t.String()) || plain(t) {
		l.equal(a, b, path)
		return
	}
	how := treated(t)
	for i := range t.NumField() {
		f := t.Field(i)
		at := path + "." + f.Name
		l.met[name(t)+"."+f.Name] = true
		switch {
		case how[f.Name] == "" && plain(f.Type):
			if !remade(t, f.Name) {
				l.equal(a.Field(i), b.Field(i), at)
			}
		case how[f.Name] == "":
			l.fail(at, "no entry says what a fork does with field %s of %s", f.Name, t)
		case how[f.Name] == "fork":
			l.walk(a.Field(i), b.Field(i), at)
		case how[f.Name] == "remake":
			l.apart(a.Field(i), b.Field(i), at)
		}
	}
}

// remade reports whether a plain field belongs to what has another form in a fork.
func remade(t reflect.Type, field string) bool {
	switch name(t) {
	case "intercanister.slab":
		return field == "free"
	case "intercanister.Ready":
		return field == "at"
	case "intercanister.FIFO":
		return field == "first"
	}
	return false
}

// apart checks that what has another form in the fork is not the same memory.
func (l *sharing) apart(a, b reflect.Value, path string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Map:
		if !a.IsNil() && a.Pointer() == b.Pointer() {
			l.fail(path, "source and fork have the same %s", a.Type())
		}
	case reflect.Slice:
		if a.Len() > 0 && b.Len() > 0 && a.Pointer() == b.Pointer() && b.Cap() > b.Len() {
			l.fail(path, "source and fork append to the same array")
		}
	}
}

// busy is a network in which as much as can be is under way.
func busy(t *testing.T) *real.Stage {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000, StreamMessages: 1, Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	for i, name := range canisterNames {
		s.Create(name, i/4, real.Plenty)
		s.Install(name, real.Install, variant(name).Module(), nil)
	}
	run := func(name, program string) {
		t.Helper()
		if _, refused := s.Submit(name, "run", compiled(t, s, program)); refused != "" {
			t.Fatal(refused)
		}
	}
	run("A", `drop timer(add(time, 5_000_000_000)); certify "x"; set 7; reply "x"`)
	s.Round()
	for range 4 {
		run("A", `call E.run(reply "y") on-reply(reply arg); call E.run(reply "y"); call E.run(reply "y")`)
		run("B", `call A.run(reply "y") within 30 on-reply(reply arg); call management.raw_rand("DIDL\00\00")`)
	}
	run("C", `spin 90_000_000; reply "x"`)
	run("D", `spin 90_000_000; reply "x"`)
	s.Step(replica.FIFO{})
	s.Round()
	s.SubmitManagement("D", "stop_canister", s.About("D", ""))
	s.SubmitManagement("B", "install_code", s.InstallArgs("B", real.Upgrade, variant("B").Module(), canistertest.Script().Busy(9_000_000).Bytes()))
	s.Round()
	run("C", `reply "z"`)
	for range 5 {
		s.Step(replica.FIFO{})
	}
	return s
}

func TestAForkForgetsAndSharesNothingThatChanges(t *testing.T) {
	s := busy(t)
	if c := s.Census(); c.Parked < 2 || c.Futures == 0 || c.Contexts == 0 || c.Waiting == 0 {
		t.Fatalf("too little is under way: %+v", c)
	}
	for range 2 {
		f := s.Fork(replica.ForkConfig{})
		s.UseAll() // canisters that neither has used lie in blocks of both
		f.UseAll()
		l := sharing{t: t, to: make(map[uintptr]uintptr), met: make(map[string]bool)}
		l.walk(reflect.ValueOf(s.Network), reflect.ValueOf(f.Network), "network")
		if l.seen < 300 {
			t.Errorf("%d values were looked at", l.seen)
		}
		s = f // a fork of the fork, which has done nothing
	}
}

// Every type that a network holds is looked at, even where no value of it was there.
func TestEveryFieldHasItsPlaceInAFork(t *testing.T) {
	met := make(map[string]bool)
	var visit func(reflect.Type)
	visit = func(ty reflect.Type) {
		switch ty.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(ty.Elem())
		case reflect.Map:
			visit(ty.Elem())
		case reflect.Struct:
			if met[ty.String()] || plain(ty) {
				return
			}
			met[ty.String()] = true
			how := treated(ty)
			for i := range ty.NumField() {
				f := ty.Field(i)
				switch {
				case how[f.Name] == "" && !plain(f.Type):
					t.Errorf("no entry says what a fork does with field %s of %s", f.Name, ty)
				case how[f.Name] == "fork":
					visit(f.Type)
				}
				delete(how, f.Name)
			}
			if len(how) > 0 {
				t.Errorf("%s has no fields %v", ty, slices.Sorted(maps.Keys(how)))
			}
		}
	}
	visit(reflect.TypeFor[replica.Network]())
}
