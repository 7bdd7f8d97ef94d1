package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestADamagedPageOfTheHistoryEndsNothing damages the page file from which the past of an instance is made: what needs
// the page is refused with the name of the instance and the file, and the daemon goes on with all instances.
func TestADamagedPageOfTheHistoryEndsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: dir})
	a.mask(dir, "STATE")
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	inc := func(instance string) *controlv1.UpdateRequest {
		return &controlv1.UpdateRequest{Instance: instance, Call: &controlv1.Call{CanisterId: id, Method: "inc", Argument: textOf("()")}}
	}
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "lab"})
	first := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "lab"}).GetInstance().GetHeight()
	must(a, a.calls.Update, inc("lab"))
	last := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "lab"}).GetInstance().GetHeight()
	a.mask(a.damagePages(filepath.Join(dir, "instances", "lab")), "PAGES")

	a.note("the replay of the update needs the page")
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", Name: "then", At: &controlv1.ForkInstanceRequest_Height{Height: last}})
	a.note("a fork of the time before needs it later, when it is explored")
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", Name: "then", Ephemeral: true, At: &controlv1.ForkInstanceRequest_Height{Height: first}})
	in := &controlv1.ExploreRequest{Instance: "then", Operations: []*controlv1.ExploreOperation{{Call: inc("then").GetCall()}}}
	a.asked(in)
	if _, err := a.exploreAnswering(in, nil); err == nil {
		t.Error("a network whose memory cannot be read was explored")
	} else {
		a.failed(err)
	}
	a.note("and when it is called, which stops it alone")
	call(a, a.calls.Update, inc("then"))
	for _, instance := range []string{"", "lab"} {
		must(a, a.calls.Update, inc(instance))
	}
	a.compare("instances_page_damaged")
}

// damagePages changes a byte of each page in the page file of a directory, and returns the name of the file.
func (a *api) damagePages(dir string) string {
	a.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "pages-*"))
	if err != nil || len(files) != 1 {
		a.Fatalf("page files %q: %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		a.Fatal(err)
	}
	for at := 0; at < len(content); at += 4096 {
		content[at]++
	}
	if err := os.WriteFile(files[0], content, 0o600); err != nil {
		a.Fatal(err)
	}
	return filepath.Base(files[0])
}
