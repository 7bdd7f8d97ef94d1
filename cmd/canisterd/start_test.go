package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestKindsOfSubnetsAreSpelledOneWayInFlagsBannersAndDescriptions(t *testing.T) {
	subnets, err := daemon.ParseSubnets(request.SubnetKinds())
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Start(context.WithoutCancel(t.Context()), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), Seed: []byte{0}, Subnets: subnets})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	shown := map[string]string{"banner": banner(d, &startFlags{}, "")}
	for _, command := range []string{"status", "instance show", "instance create all --subnet " + strings.Join(request.SubnetKinds(), ",")} {
		var out, errOut bytes.Buffer
		if code := run(eventually.Context(t), append([]string{"--url", d.URL()}, strings.Fields(command)...), &out, &errOut); code != exitOK {
			t.Fatalf("canisterd %s: exit code %d: %s", command, code, &errOut)
		}
		shown[command] = out.String()
	}
	for where, text := range shown {
		for _, kind := range request.SubnetKinds() {
			if strings.Count(text, "("+kind+",")+strings.Count(text, "("+kind+")") != 1 {
				t.Errorf("%s does not name a subnet of kind %s once:\n%s", where, kind, text)
			}
		}
	}
}

// startHere runs canisterd start with a module as NAME.wasm in a folder of its own, which is deployed, until it has
// written a text. It gives what was written; stop ends it and gives its notes.
func startHere(t *testing.T, name, until string, args ...string) (text string, stop func() string) {
	t.Helper()
	homeWith(t, name)
	return startAgain(t, until, args...)
}

// homeWith gives the user a home of their own, and a folder with a module as NAME.wasm.
func homeWith(t *testing.T, name string) {
	t.Helper()
	for _, name := range []string{"XDG_DATA_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	canistertest.UseCacheHome(t)
	t.Chdir(t.TempDir())
	writeFile(t, name+".wasm", string(canistertest.Fixture(name)))
}

// startAgain is startHere in the home and the folder that are there.
func startAgain(t *testing.T, until string, args ...string) (text string, stop func() string) {
	t.Helper()
	var served, notes bytes.Buffer
	started, ended := make(chan string), make(chan int)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		args = append([]string{"start", "--listen", "127.0.0.1:0", "--deploy", "."}, args...)
		ended <- run(ctx, args, &heard{Writer: &served, until: until, said: started}, &notes)
	}()
	select {
	case text = <-started:
	case code := <-ended:
		t.Fatalf("the daemon ended with code %d: %s%s", code, &served, &notes)
	}
	return text, func() string {
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("the daemon ended with code %d", code)
		}
		return notes.String()
	}
}

func TestADaemonSaysThatItsStateIsGoneWhenItStopsAndWhereTheDocumentationIs(t *testing.T) {
	text, stop := startHere(t, "counter", "(1 : nat)\n", "--ephemeral", "--call", "counter inc")
	for _, want := range []string{"documentation: https://", "canisters are gone when this stops", "counter   ", "http://CANISTER.localhost:"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if notes := stop(); !strings.Contains(notes, "stopping; canisters and their state are discarded") {
		t.Error(notes)
	}
}

// heard waits for a text to be written.
type heard struct {
	io.Writer
	until string
	said  chan<- string
	text  strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.text.Write(p)
	if strings.Contains(h.text.String(), h.until) {
		h.said <- h.text.String()
		h.until = "\x00"
	}
	return h.Writer.Write(p)
}

func TestKindsOfSubnetsAreReadInAnyCaseWithOrWithoutUnderscores(t *testing.T) {
	for _, kind := range []string{"NNS", "verified_application", "VerifiedApplication", "TEST_KEYS", "testkeys"} {
		of := &instanceFlags{subnets: []string{kind}}
		made, err := of.request("")
		if err != nil {
			t.Errorf("instance create: %v", err)
			continue
		}
		started, err := daemon.ParseSubnets([]string{kind})
		if err != nil {
			t.Errorf("start: %v", err)
		} else if asked := word(made.GetSubnets()[0].GetKind(), "SUBNET_KIND_"); asked != started[0].Kind.String() {
			t.Errorf("%s is %s for instances and %s for the daemon", kind, asked, started[0].Kind)
		}
	}
}

func TestAStateDirectoryIsKeptAndAFolderOfMemoriesIsNot(t *testing.T) {
	root := (&cli{}).root()
	for path, want := range map[string][2]bool{ // with --state-dir and --memory-dir in its help
		"start": {true, false}, "doctor": {true, false}, "instance create": {false, true}, "instance import": {false, true}, "exec": {false, true},
	} {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		shown := func(name string) bool {
			f := cmd.Flags().Lookup(name)
			return f != nil && !f.Hidden
		}
		if got := [2]bool{shown("state-dir"), shown("memory-dir")}; got != want {
			t.Errorf("canisterd %s has --state-dir and --memory-dir: %v, want %v", path, got, want)
		}
	}
	code, _, errOut := invoke(t, "instance", "create", "lab", "--state-dir", ".") // the earlier name
	if code != exitFailed || !strings.Contains(errOut, "no daemon answers") {
		t.Errorf("exit code %d, %s", code, errOut)
	}
}
