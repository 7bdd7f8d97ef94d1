//go:build pythonclient

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The interpreters are CANISTERD_PYTHON, which has the newest client, and CANISTERD_PYTHON_PREVIOUS, which has the one before.
func TestThePythonClientOfPocketICWorksUnmodified(t *testing.T) {
	fixtures, err := filepath.Abs(filepath.Dir(fixture("counter")))
	if err != nil {
		t.Fatal(err)
	}
	for version, interpreter := range map[string]string{"3.1.2": "CANISTERD_PYTHON", "3.1.1": "CANISTERD_PYTHON_PREVIOUS"} {
		t.Run(version, func(t *testing.T) {
			cmd := exec.Command(os.Getenv(interpreter), "pocketic/python/client.py")
			cmd.Env = append(os.Environ(), "POCKET_IC_MUTE_SERVER=1", "TMPDIR="+t.TempDir(), "CANISTERD_FIXTURES="+fixtures)
			cmd.Env = append(cmd.Env, paste(t, "Python `pocket-ic`", "")...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("the client's program: %v\n%s", err, out)
			}
			if got := strings.Count(string(out), ": passed\n"); got != 5 {
				t.Errorf("%d of 5 parts ran:\n%s", got, out)
			}
			checkMethods(t, "Python "+version, methodsIn(out))
		})
	}
}

func TestTheTestOfThePageForPythonPasses(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Getenv("CANISTERD_PYTHON"), "pocketic/python/greeter.py")
	cmd.Env = append(os.Environ(), "POCKET_IC_BIN="+pocketIC(t, "pocket-ic"), "POCKET_IC_MUTE_SERVER=1", "TMPDIR="+t.TempDir(), "CANISTERD_EXAMPLES="+examples)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "greeted\n") {
		t.Fatalf("the test: %v\n%s", err, out)
	}
}
