package rehearse

import (
	"strings"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestAnUpgradeIsEstimatedByItsInstructionsForEachByteOfTheState(t *testing.T) {
	const tenth = InstallInstructions / 10
	for _, test := range []struct {
		name         string
		instructions Instructions
		heap, stable uint64
		wide         bool
		want         string
		result       Result
	}{
		{"a tenth of the limit for 100 MB fails at 1 GB", Instructions{Total: tenth}, 60_000_000, 40_000_000, false, "exceeds the limit at 1,000,000,000 bytes", Failed},
		{"a little less is not within reach", Instructions{Total: tenth * 99 / 100}, 99_000_000, 0, false, "exceeds the limit at 999,999,999 bytes", Noted},
		{"a full heap stays below the limit", Instructions{Total: tenth}, HeapBytes/10 + 1, 0, false, "", Passed},
		{"a heap with 64-bit addresses can be larger", Instructions{Total: tenth}, HeapBytes/10 + 1, 0, true, "exceeds the limit at 4,294,967,300 bytes", Failed},
		{"and does not exceed it when it is full", Instructions{Total: tenth}, HeapBytes64 / 10, 0, true, "exceeds the limit at 6,442,450,940 bytes", Failed},
		{"a small upgrade is not estimated", Instructions{Total: InstallInstructions/LargeUpgrade - 1}, 1_000, 0, false, "", Passed},
		{"the smallest that is", Instructions{Total: InstallInstructions / LargeUpgrade}, 1_000, 0, false, "exceeds the limit at 100,000 bytes", Noted},
		{"compiling does not grow", Instructions{Total: tenth + 50, Compiling: tenth}, 1_000, 0, false, "", Passed},
		{"and leaves the hooks less", Instructions{Total: 2 * tenth, Compiling: tenth}, 1_000, 0, false, "exceeds the limit at 9,000 bytes", Failed},
		{"a state without bytes", Instructions{Total: tenth}, 0, 0, false, "", Passed},
	} {
		r := &rehearsal{before: &controlv1.Canister{Memory64: test.wide}, verdict: &Verdict{Cost: &Cost{
			Instructions: test.instructions, HeapBefore: test.heap, StableBefore: test.stable,
		}}}
		got, result := r.estimate()
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) || result != test.result {
			t.Errorf("%s: %s, %q, want %s, %q", test.name, result, got, test.result, test.want)
		}
	}
}

func TestAVerdictIsTheWorstOfItsChecks(t *testing.T) {
	v := &Verdict{Result: Passed}
	v.skip("one", "it does not apply")
	v.add("two", "compared", Noted, "a note")
	if v.Result != Passed {
		t.Errorf("a note makes the verdict %s", v.Result)
	}
	v.add("three", "compared", Warning, "a warning")
	if v.Result != Warning || v.First(Failed) != "" {
		t.Errorf("a warning makes the verdict %s", v.Result)
	}
	v.add("four", "compared", Failed, "first", "second")
	v.add("five", "compared", Warning, "another warning")
	if v.Result != Failed || v.First(Failed) != "first" {
		t.Errorf("the verdict is %s for %q", v.Result, v.First(Failed))
	}
}

func TestDecimalNumbersAreSubtracted(t *testing.T) {
	for _, test := range [][3]string{
		{"100000000000000000000", "99999999999999999999", "1"}, {"5", "7", "0"}, {"", "7", "0"}, {"7", "x", "0"},
	} {
		if got := less(test[0], test[1]); got != test[2] {
			t.Errorf("%s less %s is %s, want %s", test[0], test[1], got, test[2])
		}
	}
}

func TestQueriesAndAnswersAreLimited(t *testing.T) {
	for n, want := range map[int]int{0: 0, 199: 199, 200: 200, 201: 200} {
		if got := len(limited(make([]Query, n))); got != want {
			t.Errorf("of %d queries, %d are compared, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{0: 0, 300: 300, 301: 300 + len("…")} {
		if got := len(short(strings.Repeat("x", n))); got != want {
			t.Errorf("of an answer of %d bytes, %d are shown, want %d", n, got, want)
		}
	}
}
