package replica_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// named is a stage with canisters whose functions have names.
func named(t *testing.T) *real.Stage {
	s := real.NewStage(t, replica.Config{})
	for _, name := range []string{"A", "B", "C"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Variant{Named: true}.Module(), nil)
	}
	return s
}

// backtrace is where the reject of a user's message comes from, a frame on a line.
func backtrace(t *testing.T, s *real.Stage, id replica.RequestID) string {
	t.Helper()
	s.Await(id)
	answer, ok := s.IngressAnswer(s.View().Subnets[0].ID, id)
	if !ok {
		t.Fatal("the message is not known")
	}
	return frames(s, answer.Backtrace)
}

func frames(s *real.Stage, all []replica.Frame) string {
	var text strings.Builder
	hash := sha256.Sum256(canistertest.Variant{Named: true}.Module())
	for _, f := range all {
		if f.Module != hash {
			return fmt.Sprintf("%s is of the module %x", f.Function, f.Module)
		}
		for name, id := range s.Names {
			if id == f.Canister {
				fmt.Fprintf(&text, "%s %s %d\n", name, f.Function, f.Context)
			}
		}
	}
	return text.String()
}

func submitted(t *testing.T, s *real.Stage, name, program string) replica.RequestID {
	t.Helper()
	id, refused := s.Submit(name, "run", compiled(t, s, program))
	if refused != "" {
		t.Fatal(refused)
	}
	return id
}

// passing is a call whose reject is passed on as it is.
func passing(callee, program string) string {
	return fmt.Sprintf(`call %s.run(%s) on-reject(reject reject-message)`, callee, program)
}

// trapped are the frames of a canister whose argument is a program that traps, in a context.
// Of the function that reads the argument only the index is known.
func trapped(name string, index, context int) string {
	var text strings.Builder
	for _, function := range []string{"op.trap", "interpret", "body", "run", "argument", fmt.Sprintf("unknown function at index %d", index)} {
		fmt.Fprintf(&text, "%s %s %d\n", name, function, context)
	}
	return text.String()
}

func sameFrames(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the backtrace is\n%s, want\n%s", got, want)
	}
}

func TestARejectThatIsPassedOnSaysWhereItComesFrom(t *testing.T) {
	s := named(t)
	id := submitted(t, s, "A", passing("B", passing("C", `trap "boom"`)))
	sameFrames(t, backtrace(t, s, id), trapped("C", 96, 3)+"C run 3\nB run 2\nA run 1\n")
}

func TestACallerThatTrapsOverARejectIsInItsBacktrace(t *testing.T) {
	s := named(t)
	id := submitted(t, s, "A", `call B.run(trap "boom") on-reject(trap concat("called: ", reject-message))`)
	sameFrames(t, backtrace(t, s, id), trapped("B", 96, 2)+`B run 2
A op.trap 1
A interpret 1
A body 1
A run 1
A run_kept 1
A on_reject 1
A unknown function at index 194 1
A run 1
`)
}

func TestABacktraceIsOfNoOtherFailure(t *testing.T) {
	s := named(t)
	for _, program := range []string{
		`call B.run(trap "boom") on-reject(reject "sorry")`,
		`call B.run(trap "boom") on-reject(call C.run(reject "no") on-reject(reject reject-message))`,
		`reject "Error"`,
	} {
		if got := backtrace(t, s, submitted(t, s, "A", program)); got != "" {
			t.Errorf("%s has the backtrace\n%s", program, got)
		}
	}
}

func TestOfFailuresTheNewestAreRemembered(t *testing.T) {
	s := named(t)
	first := submitted(t, s, "A", `trap "boom"`)
	if backtrace(t, s, first) == "" {
		t.Error("there is no backtrace")
	}
	for range 1023 {
		submitted(t, s, "A", `trap "boom"`)
	}
	s.Round()
	if backtrace(t, s, first) == "" {
		t.Error("one of 1024 failures is forgotten")
	}
	last := submitted(t, s, "A", `trap "boom"`)
	s.Round()
	if got := backtrace(t, s, first); got != "" {
		t.Errorf("the oldest failure is remembered:\n%s", got)
	}
	if backtrace(t, s, last) == "" {
		t.Error("the newest failure is forgotten")
	}
}

func TestACompositeQuerySaysWhereItsRejectComesFrom(t *testing.T) {
	s := named(t)
	ask := func(method, program string) string {
		return frames(s, s.Query("A", method, compiled(t, s, program)).Backtrace)
	}
	sameFrames(t, ask("ask", `call B.ask(call C.query(trap "boom") on-reject(reject reject-message)) on-reject(reject reject-message)`),
		trapped("C", 97, 0)+"C query 0\nB ask 0\nA ask 0\n")
	sameFrames(t, ask("query", `trap "boom"`), trapped("A", 97, 0)+"A query 0\n")
}

func TestAnInstallationThatFailsSaysWhere(t *testing.T) {
	s := named(t)
	id, _ := s.SubmitManagement("B", "install_code", s.InstallArgs("B", real.Reinstall, canistertest.Variant{Named: true}.Module(), compiled(t, s, `trap "boom"`)))
	sameFrames(t, backtrace(t, s, id), trapped("B", 99, 0))
}
