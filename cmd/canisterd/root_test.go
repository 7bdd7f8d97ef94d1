package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// invoke runs the program in this process against an address without a listener.
func invoke(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("CANISTERD_URL", "http://127.0.0.1:1")
	t.Setenv("CANISTERD_IDENTITY", "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	var stdout, stderr bytes.Buffer
	code = run(eventually.Context(t), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// serving is a daemon that ends with the test.
func serving(t *testing.T, control daemon.Control) *daemon.Daemon {
	t.Helper()
	d, err := daemon.Start(context.WithoutCancel(t.Context()), daemon.Config{Listen: "127.0.0.1:0", Control: control, CacheDir: canistertest.CacheDir(t), Seed: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestWrongCommandLinesFailOnStderrAndSayWhatIsRight(t *testing.T) {
	for args, want := range map[string]string{
		"nonsense":                            `unknown command "nonsense"`,
		"canister nonsense":                   "canisterd canister --help",
		"--nonsense":                          "unknown flag: --nonsense",
		"canister call one":                   "canisterd canister call CANISTER METHOD [ARGUMENTS]",
		"stop now":                            "expected canisterd stop, but got 1 argument",
		"status":                              "no daemon answers at http://127.0.0.1:1: connection refused (start one with canisterd start, or set --url)",
		"stop":                                "no daemon answers at http://127.0.0.1:1",
		"--url here status":                   `invalid address "here": expected a host and a port, such as 127.0.0.1:4943`,
		"--url here stop":                     `invalid --url "here": expected an address such as http://127.0.0.1:4943`,
		"--url ftp://here stop":               `invalid --url "ftp://here"`,
		"canister status nobody":              `"nobody" is not a canister id, and no canisters were deployed from this directory`,
		"canister create --cycles many":       `invalid amount of cycles "many"`,
		"canister install aaaaa-aa a --x":     "unknown flag: --x",
		"--identity /nowhere identity whoami": "reading the identity: open /nowhere",

		"--identity root_test.go identity whoami": "the identity root_test.go: not an Ed25519, secp256k1 or P-256 key in PEM",
		"--identity alice stop":                   "--identity has no effect on canisterd stop",
		"--as aaaaa-aa canister stop aaaaa-aa":    "--as has no effect on canisterd canister stop",
		"completion tcsh":                         `unknown command "tcsh" for "canisterd completion"`,
		"canister list --all":                     "unknown flag: --all (see canisterd canister list --help",
		"exec ls -l":                              "write -- before a command with flags of its own",
		"canister call aaaaa-aa m --as me":        "--as: ",
		"settle --held 1 hold":                    `invalid answer "hold": expected unknown, reply CANDID or reject [CODE] TEXT`,
		"rule add hold 1":                         "hold takes 0 arguments, but got 1",
		"rule add delay":                          "delay takes 1 argument, but got 0",
		"instance diff lab":                       "lab would be compared with itself: name another state, such as lab@SNAPSHOT",
		"trace 39a0304x":                          `invalid request id "39a0304x": expected an id of 64 hex digits, or a prefix of it`,
		"--url 127.0.0.1:1 stop":                  "no daemon answers at http://127.0.0.1:1: ",
		"start --subnet palace":                   `invalid kind of subnet "palace": expected one of application, nns, ii, sns, fiduciary, bitcoin, test_keys, system, verified_application, cloud_engine`,
		"start --subnet-admin me":                 "the subnet admin:",
		"start --outcalls perhaps":                `invalid HTTP outcall mode "perhaps": expected one of allow, hold, deny, strict, replicated`,
		"start --listen here":                     `listening on "here", which must be host:port`,
		"start --state-dir root_test.go/in":       "--state-dir root_test.go/in cannot be used: creating the directory for root_test.go/in: ",
	} {
		code, out, errOut := invoke(t, strings.Fields(args)...)
		if code != exitFailed || out != "" || !strings.HasPrefix(errOut, "error: ") || !strings.Contains(errOut, want) {
			t.Errorf("canisterd %s: exit code %d, stdout %q, stderr %q; want code %d and %q on stderr", args, code, out, errOut, exitFailed, want)
		}
	}
}

func TestWithJSONErrorsAreObjectsOnStderr(t *testing.T) {
	code, out, errOut := invoke(t, "--json", "canister", "status", "nobody")
	var f failure
	if err := json.Unmarshal([]byte(errOut), &f); err != nil || code != exitFailed || out != "" || !strings.Contains(f.Error, "nobody") {
		t.Errorf("exit code %d, stdout %q, stderr %q (%v)", code, out, errOut, err)
	}
}

func TestHelpAndVersionAreResults(t *testing.T) {
	for _, args := range []string{"", "help", "--help", "canister", "canister --help", "start --help", "--version"} {
		code, out, errOut := invoke(t, strings.Fields(args)...)
		if code != exitOK || errOut != "" || !strings.Contains(out, "canister") {
			t.Errorf("canisterd %s: exit code %d, stdout %q, stderr %q", args, code, out, errOut)
		}
	}
}

func TestOnlyThisMachinesDaemonIsStopped(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:4943": true, "http://localhost:4943": true, "http://[::1]:4943": true, "http://0.0.0.0:4943": true,
		"http://192.0.2.7:4943": false, "http://elsewhere.example:4943": false, "::": false,
	} {
		if here(address) != want {
			t.Errorf("%s is here: %t", address, !want)
		}
	}
}

func TestADaemonIsRecordedByItsPort(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	address := "http://" + net.JoinHostPort("192.0.2.7", "4943")
	remove, err := register(&running{URL: address}, pflag.NewFlagSet("start", pflag.ContinueOnError))
	if err != nil {
		t.Fatal(err)
	}
	path, err := place("http://127.0.0.1:4943")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{address: "", "http://localhost:4943": "", "http://192.0.2.8:4943": "listens at " + address} {
		c := &cli{url: url}
		r, err := c.recorded(path)
		if want == "" && (err != nil || r.URL != address) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("recorded for %s: %+v (%v)", url, r, err)
		}
	}
	remove()
	c := &cli{url: address}
	if _, err := c.recorded(path); err == nil || !strings.Contains(err.Error(), "stop it where it runs") {
		t.Errorf("after it is taken back: %v", err)
	}
}
