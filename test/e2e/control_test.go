//go:build clients

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// address is where the daemon listens, without http://.
func (d *daemon) address() string { return strings.TrimPrefix(d.url, "http://") }

// run runs a program in a folder of the repository and gives what it printed.
func runIn(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestTheExamplesOfTheControlAPIDoWhatTheySay(t *testing.T) {
	d := start(t)
	for name, example := range map[string]struct {
		folder  string
		command []string
		want    string
	}{
		"Go":         {"../..", []string{"go", "run", "./examples/control", "-daemon", d.address()}, "the clock ticked 28 times"},
		"JavaScript": {"../../examples/control/javascript", []string{"node", "weeks.mjs", d.url}, "the clock ticked 28 times"},
		"grpcurl":    {"../..", []string{"sh", "examples/control/weeks.sh", d.address()}, "(28 : nat)"},
	} {
		t.Run(name, func(t *testing.T) {
			if out := runIn(t, example.folder, example.command[0], example.command[1:]...); !strings.Contains(out, example.want) {
				t.Errorf("it printed %s, want %q", out, example.want)
			}
		})
	}
	out := runIn(t, "../../examples/control/javascript", "node", "conserved.mjs", d.url)
	if !strings.HasPrefix(out, "money is conserved does not hold: of 100, the vault has paid 120.\n") {
		t.Errorf("the function in JavaScript is not asked, or not heard:\n%s", out)
	}
	if out := d.command(t, "instance", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("instances are left behind:\n%s", out)
	}
}

// TestGrpcurlListsAndCallsEveryRPCByReflectionAlone asks each RPC for an instance that is not there: it must be known,
// take the request and say why it cannot serve it.
func TestGrpcurlListsAndCallsEveryRPCByReflectionAlone(t *testing.T) {
	d := start(t)
	grpcurl := func(args ...string) (string, error) {
		out, err := exec.Command("grpcurl", append([]string{"-plaintext"}, args...)...).CombinedOutput()
		return string(out), err
	}
	services, err := grpcurl(d.address(), "list")
	if err != nil {
		t.Fatalf("list: %v\n%s", err, services)
	}
	rpcs := 0
	for service := range strings.FieldsSeq(services) {
		methods, err := grpcurl(d.address(), "list", service)
		if err != nil {
			t.Fatalf("list %s: %v\n%s", service, err, methods)
		}
		for method := range strings.FieldsSeq(methods) {
			if !strings.HasPrefix(method, "canisterd.control.v1.") {
				continue
			}
			rpcs++
			if out, err := grpcurl(d.address(), "describe", method); err != nil {
				t.Errorf("describe %s: %v\n%s", method, err, out)
			}
			if answersAnyone[method] {
				continue // weeks.sh, and the command line, call them
			}
			out, err := grpcurl("-max-time", "5", "-d", requestFor(method), d.address(), method)
			if err == nil {
				t.Errorf("%s serves an instance that is not there:\n%s", method, out)
			}
			if err != nil && !strings.Contains(out, `"reason": "`) {
				t.Errorf("%s: an error without a reason:\n%s", method, out)
			}
		}
	}
	if rpcs < 60 {
		t.Errorf("reflection shows %d RPCs", rpcs)
	}
}

// answersAnyone are the RPCs that are about no instance.
var answersAnyone = map[string]bool{
	"canisterd.control.v1.Instances.ListInstances": true,
	"canisterd.control.v1.Instances.HoldLease":     true,
}

// requestFor names an instance that is not there, where the request has a place for one.
func requestFor(method string) string {
	switch filepath.Ext(method) {
	case ".CreateInstance":
		return `{"instance": "No Name"}`
	case ".ListInstances", ".HoldLease":
		return `{}`
	case ".Diff":
		return `{"before": {"instance": "nobody"}, "after": {"instance": "nobody"}}`
	case ".InstallCode", ".Mock":
		return `{"head": {"instance": "nobody"}}`
	case ".AnswerQuestions", ".EndExploration":
		return `{"exploration": "none"}`
	case ".ReplayAsking":
		return `{"replay": {"instance": "nobody"}}`
	case ".ImportInstance":
		return `{"options": {"instance": "No Name"}}`
	}
	return `{"instance": "nobody"}`
}
