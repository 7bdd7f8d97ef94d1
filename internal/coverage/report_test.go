package coverage_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/coverage"
)

// single is a canister with one function of two blocks.
func single(name string, first, second bool) coverage.Module {
	return coverage.Module{Name: name, Functions: []coverage.Function{
		{Name: "f", Index: 1, Blocks: []coverage.Block{{10, 20, first}, {20, 30, second}}},
	}}
}

func TestABlockRanIfItRanInAnyReport(t *testing.T) {
	for _, c := range []struct{ a, b, want [2]bool }{
		{[2]bool{false, false}, [2]bool{false, false}, [2]bool{false, false}},
		{[2]bool{true, false}, [2]bool{false, false}, [2]bool{true, false}},
		{[2]bool{true, false}, [2]bool{false, true}, [2]bool{true, true}},
	} {
		r := report(t, single("a", c.a[0], c.a[1]))
		if err := r.Add(single("a", c.b[0], c.b[1])); err != nil {
			t.Fatal(err)
		}
		blocks := r.Modules[0].Functions[0].Blocks
		if got := [2]bool{blocks[0].Ran, blocks[1].Ran}; len(r.Modules) != 1 || got != c.want {
			t.Errorf("%v and %v are %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestAReportKeepsACopyOfBlocks(t *testing.T) {
	m := single("a", false, false)
	r := report(t, m)
	if err := r.Add(single("a", true, true)); err != nil || m.Functions[0].Blocks[0].Ran {
		t.Errorf("the caller's blocks changed with the report (%v)", err)
	}
	m.Functions[0].Blocks[1].Ran, m.Functions[0].Name = false, "other"
	if f := r.Modules[0].Functions[0]; !f.Blocks[1].Ran || f.Name != "f" {
		t.Errorf("the report changed with the caller's blocks")
	}
}

func TestMergedReportsKeepWhatOnlyOneKnows(t *testing.T) {
	without, with := summer(t), summer(t)
	without.Lines = nil
	without.Functions[1].Kind = ""
	r := report(t, without, with)
	if m := r.Modules[0]; len(r.Modules) != 1 || m.Lines.Empty() || m.Functions[1].Kind != "code" {
		t.Errorf("%d modules, lines %t, kind %q", len(r.Modules), !m.Lines.Empty(), m.Functions[1].Kind)
	}
}

func TestReportsOfTheSameModuleWithOtherBlocksDoNotMerge(t *testing.T) {
	for name, change := range map[string]func(f *coverage.Function){
		"another index": func(f *coverage.Function) { f.Index++ },
		"fewer blocks":  func(f *coverage.Function) { f.Blocks = f.Blocks[:1] },
		"another begin": func(f *coverage.Function) { f.Blocks[1].From++ },
		"another end":   func(f *coverage.Function) { f.Blocks[1].To++ },
	} {
		r, other := report(t, single("a\n", false, false)), single("a\n", true, true)
		change(&other.Functions[0])
		if err := r.Add(other); err == nil || !strings.Contains(err.Error(), `canister a\n have the same module, 00000000,`) {
			t.Errorf("%s: %v", name, err)
		}
		if r.Modules[0].Functions[0].Blocks[0].Ran {
			t.Errorf("%s: the report changed", name)
		}
	}
}

func TestTheOrderInWhichModulesAreAddedDoesNotMatter(t *testing.T) {
	upgraded := bare()
	upgraded.Hash[31]++
	shuffled := bare()
	shuffled.Functions[0], shuffled.Functions[1] = shuffled.Functions[1], shuffled.Functions[0]
	a := coverage.Summarize(report(t, summer(t), finder(t), bare(), upgraded), coverage.Options{})
	b := coverage.Summarize(report(t, upgraded, shuffled, finder(t), summer(t), finder(t)), coverage.Options{})
	if written(t, a.WritePage) != written(t, b.WritePage) || written(t, a.WriteLCOV) != written(t, b.WriteLCOV) || written(t, a.WriteCobertura) != written(t, b.WriteCobertura) {
		t.Error("reports differ with the order of modules")
	}
}

func TestALineOfAFileThatTwoCanistersHaveCountsOnce(t *testing.T) {
	a, b := summer(t), summer(t)
	b.Name, b.Hash[0] = "adder", 9
	for i := range b.Functions {
		for j := range b.Functions[i].Blocks {
			b.Functions[i].Blocks[j].Ran = true
		}
	}
	s := coverage.Summarize(report(t, a, b), coverage.Options{})
	if s.Lines != (coverage.Ratio{Ran: 12, Total: 12}) || s.Canisters[1].Lines != (coverage.Ratio{Ran: 9, Total: 12}) {
		t.Errorf("all have %v lines, summer %v", s.Lines, s.Canisters[1].Lines)
	}
}

func TestPercentIsRoundedDown(t *testing.T) {
	for want, r := range map[string]coverage.Ratio{
		"-":     {},
		"0.0":   {Ran: 0, Total: 7},
		"33.3":  {Ran: 1, Total: 3},
		"66.6":  {Ran: 2, Total: 3},
		"99.9":  {Ran: 99_999, Total: 100_000},
		"100.0": {Ran: 7, Total: 7},
	} {
		if got := r.Percent(); got != want {
			t.Errorf("%v is %s%%, want %s", r, got, want)
		}
	}
}

// full is a writer that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAWriterThatFailsEndsAReport(t *testing.T) {
	s := coverage.Summarize(report(t, bare()), coverage.Options{})
	for name, err := range map[string]error{
		"lcov": s.WriteLCOV(full{}), "text": s.WriteText(full{}), "cobertura": s.WriteCobertura(full{}), "page": s.WritePage(full{}),
	} {
		if err == nil {
			t.Errorf("%s goes on without its writer", name)
		}
	}
}
