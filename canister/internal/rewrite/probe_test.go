package rewrite

import (
	"reflect"
	"testing"
)

// Options of modules with probes.
var (
	probedOptions     = withProbes(canisterOptions)
	probedConformance = withProbes(conformance)
)

func withProbes(o Options) Options {
	o.Probes = true
	return o
}

// profiledRun is runAs for modules with probes. Their profile has every instruction.
func profiledRun(t *testing.T, text string, slice int64, args ...uint64) *guest {
	t.Helper()
	probed, err := runAs(t, probedConformance, text, slice, args...)
	executed := uint64(probed.granted - probed.left())
	tree := probed.recorder.End(executed, nil, executed)
	if sum := tree.Instructions(); sum != executed {
		t.Fatalf("f%v: the profile has %d instructions, the run %d\n%s", args, sum, executed, text)
	}
	if err == nil && probed.depth != 0 {
		t.Fatalf("f%v leaves %d functions less than it enters\n%s", args, probed.depth, text)
	}
	return probed
}

// runAs calls f in two forms of a module and compares everything that the form must not change. It returns the guest of
// the form that the options ask for.
func runAs(t *testing.T, o Options, text string, slice int64, args ...uint64) (*guest, error) {
	t.Helper()
	plain, probed := start(t, rewriteText(t, text, conformance)), start(t, rewriteText(t, text, o))
	plain.reset(slice)
	probed.reset(slice)
	want, wantErr := plain.call("f", args...)
	got, err := probed.call("f", args...)
	if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
		t.Fatalf("f%v is %v (%v) in this form, %v (%v) in the other\n%s", args, got, err, want, wantErr, text)
	}
	if probed.counter.Get() != plain.counter.Get() || probed.refills != plain.refills {
		t.Fatalf("f%v leaves counter %d and %d refills in this form, %d and %d in the other\n%s",
			args, probed.left(), probed.refills, plain.left(), plain.refills, text)
	}
	if plain.module.HasMemory && digest(plain.inst.Memory()) != digest(probed.inst.Memory()) {
		t.Fatalf("f%v leaves another memory in this form\n%s", args, text)
	}
	return probed, err
}

func TestProbesChangeNothingThatRandomProgramsDo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		text := generate(seed)
		for _, slice := range []int64{1 << 40, 97} {
			profiledRun(t, text, slice, seed)
		}
	}
}

func TestEveryWayThroughAFunctionLeavesIt(t *testing.T) {
	for _, c := range waysToCall() {
		for n := range uint64(12) {
			for _, slice := range []int64{1 << 40, 3} {
				if profiledRun(t, c.module(), slice, n); t.Failed() {
					t.Fatalf("%s: see above", c.name)
				}
			}
		}
	}
}

func TestFunctionsWithSeveralResultsHaveProbes(t *testing.T) {
	const text = `(module (func $two (param i32) (result i32 i64)
			local.get 0 if i32.const 1 i64.const 2 return end i32.const 3 i64.const 4 local.get 0 br_table 0 0)
		(func (export "f") (param i32) (result i64 i32 i64) i64.const 7 local.get 0 call $two))`
	for n := range uint64(3) {
		profiledRun(t, text, 1<<40, n)
		profiledRun(t, text, 1, n)
	}
}

// The counts of this test are those of the metering rules: each call path has its own.
func TestAProfileHasTheInstructionsOfEachCallPath(t *testing.T) {
	g := profiledRun(t, `(module
		(func $leaf (param i32) (result i32) local.get 0 i32.const 1 i32.add)
		(func $twice (param i32) (result i32) local.get 0 call $leaf call $leaf)
		(func (export "f") (param i32) (result i32) local.get 0 call $leaf call $twice))`, 1<<40, 5)
	type path struct {
		functions    string
		calls, total uint64
	}
	var have []path
	nodes := g.recorder.Nodes
	name := func(i int32) string { return [...]string{"leaf", "twice", "f"}[nodes[i].Frame.Index] }
	for i := int32(1); int(i) < len(nodes); i++ {
		functions := name(i)
		for at := nodes[i].Parent; at > 0; at = nodes[at].Parent {
			functions = name(at) + " " + functions
		}
		have = append(have, path{functions, nodes[i].Calls, nodes[i].Instructions})
	}
	leaf := uint64(costEntry + 3*costDefault)
	want := []path{
		{"f", 1, costEntry + costDefault + 2*costCall},
		{"f leaf", 1, leaf},
		{"f twice", 1, costEntry + costDefault + 2*costCall},
		{"f twice leaf", 2, 2 * leaf},
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %v\nwant %v", have, want)
	}
}

// A tail call ends its function, so a recursion by tail calls is no deeper in a profile than in the program.
func TestAFunctionEndsBeforeItsTailCall(t *testing.T) {
	g := profiledRun(t, `(module (table funcref (elem $g)) (func $g (param i32) (result i32)
			local.get 0 if local.get 0 i32.const 1 i32.sub i32.const 0 return_call_indirect (param i32) (result i32) end i32.const 1)
		(func (export "f") (param i32) (result i32) local.get 0 return_call $g))`, 1<<40, 300_000)
	if n := len(g.recorder.Nodes); n != 3 {
		t.Errorf("the profile has %d nodes, want the root, f and $g", n)
	}
}

func TestAModuleWithProbesIsDescribedLikeTheOther(t *testing.T) {
	raw := assemble(t, sample)
	plain, err := Rewrite(raw, canisterOptions)
	if err != nil {
		t.Fatal(err)
	}
	probed, err := Rewrite(raw, probedOptions)
	if err != nil {
		t.Fatal(err)
	}
	same := *probed
	same.Binary, same.BinaryHash, same.Probes, same.Names = plain.Binary, plain.BinaryHash, false, nil
	if !reflect.DeepEqual(&same, plain) {
		t.Errorf("with probes %+v\nwithout %+v", &same, plain)
	}
	if probed.ReplicaIndex(int(injectedFunctions(true))+4) != plain.ReplicaIndex(int(injectedFunctions(false))+4) {
		t.Error("a function has another number in backtraces")
	}
}
