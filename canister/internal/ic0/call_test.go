package ic0

import (
	"strings"
	"testing"
)

func TestTheNameOfACalledMethodIsTheOneThatTheCodeGave(t *testing.T) {
	x := new(Execution)
	for _, name := range []string{"", "transfer", "transfer", "transfers", "", "transf", "b\xffd", "b\uFFFDd", "b\xffd"} {
		if got, want := x.methodName([]byte(name)), lossy([]byte(name)); got != want {
			t.Errorf("the name %q is taken as %q, want %q", name, got, want)
		}
	}
}

func TestOnlyShortNamesOfCalledMethodsAreKept(t *testing.T) {
	x := new(Execution)
	for length, want := range map[int]float64{64: 0, 65: 1} {
		name := []byte(strings.Repeat("n", length))
		if got := testing.AllocsPerRun(100, func() { x.methodName(name) }); got != want {
			t.Errorf("a name of %d bytes is allocated %v times in each call, want %v", length, got, want)
		}
	}
}
