package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/test/mutants/probe"
)

// inside is set where the test binary runs itself.
const inside = "CANISTERD_PROBE_INSIDE"

// results are what the calls say for a limit of 3 that is doubled (1), and for comparisons of 2 with 2 (2 to 6).
func results() string {
	said := ""
	for _, is := range []bool{
		probe.Pick(1, 4 > 3, 4 > 6), probe.Less(2, 2, 2), probe.LessOrEqual(3, 2, 2), probe.Greater(4, 2, 2),
		probe.GreaterOrEqual(5, 2, 2), probe.Not(6, true), probe.Pick(7, 9 > 3, 9 > 6), probe.Less(8, 1, 2),
	} {
		if is {
			said += "1"
		} else {
			said += "0"
		}
	}
	return said
}

func run(t *testing.T, variables ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestTheActiveMutantMakesADifferenceAndNoOther$")
	cmd.Env = append(append(os.Environ(), variables...), inside+"="+filepath.Join(t.TempDir(), "said"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said, err := os.ReadFile(cmd.Env[len(cmd.Env)-1][len(inside)+1:])
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

func TestTheActiveMutantMakesADifferenceAndNoOther(t *testing.T) {
	if path := os.Getenv(inside); path != "" {
		if err := os.WriteFile(path, []byte(results()+results()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for active, want := range map[string]string{
		"": "10101111", "1": "00101111", "2": "11101111", "3": "10001111", "4": "10111111", "5": "10100111", "6": "10101011", "7": "10101111", "8": "10101111",
	} {
		if got := run(t, probe.ActiveVariable+"="+active); got != want+want {
			t.Errorf("with mutant %q active the calls say %s, want %s twice", active, got, want)
		}
	}
}

func TestEachMutantThatWouldMakeADifferenceIsNotedOnce(t *testing.T) {
	infected := filepath.Join(t.TempDir(), "infected")
	run(t, probe.InfectedVariable+"="+infected)
	text, err := os.ReadFile(infected)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "1\n2\n3\n4\n5\n6\n"; got != want {
		t.Errorf("%q is noted, want %q", got, want)
	}
}
