package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
)

// certified is a certificate for this machine and its key, as files: those of the standard library's tests.
func certified(t *testing.T) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// asked is the status with --json.
func asked(t *testing.T, args ...string) statusResult {
	t.Helper()
	var out, errOut bytes.Buffer
	var status statusResult
	if code := run(eventually.Context(t), append([]string{"--json", "status"}, args...), &out, &errOut); code != exitOK {
		t.Fatalf("canisterd status %s: exit code %d: %s", strings.Join(args, " "), code, &errOut)
	}
	if err := json.Unmarshal(out.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	return status
}

func TestStatusIsThatOfTheDaemonCommandsTalkTo(t *testing.T) {
	other, token := serving(t, daemon.Control{}), filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CANISTERD_URL", other.URL()) // with --control it is not meant
	cert, key := certified(t)
	socket := "unix://" + filepath.Join(t.TempDir(), "control")
	plain, local := serving(t, daemon.Control{}), serving(t, daemon.Control{Address: socket})
	guarded := serving(t, daemon.Control{Address: "127.0.0.1:0", Certificate: cert, Key: key, Token: "secret"})
	for _, c := range []struct {
		d    *daemon.Daemon
		args []string
	}{
		{other, nil},
		{plain, []string{"--url", plain.URL()}},
		{local, []string{"--control", socket}},
		{guarded, []string{"--control", guarded.ControlAddress(), "--tls-roots", cert, "--token-file", token}},
	} {
		got := asked(t, c.args...)
		if got.URL != c.d.URL() || got.Control == "" || got.Instance != "default" || got.Health != "healthy" || got.Version != daemon.Version() || got.Height == 0 || got.RootKey == "" {
			t.Errorf("status %v of the daemon at %s is %+v", c.args, c.d.URL(), got)
		}
		if len(got.Subnets) != 2 || got.Subnets[0].Kind != "nns" || got.Subnets[1].Kind != "application" {
			t.Errorf("its subnets are %+v", got.Subnets)
		}
	}
}

func TestADaemonWithATokenSaysWhichFlagHasIt(t *testing.T) {
	d := serving(t, daemon.Control{Token: "secret"})
	wrong := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(wrong, []byte("guess\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"":                      "error: this daemon requires a token (use --token-file)\n",
		"--token-file " + wrong: "error: the token is not this daemon's (check --token-file)\n",
	} {
		var out, errOut bytes.Buffer
		code := run(eventually.Context(t), append(strings.Fields(flags), "--url", d.URL(), "instance", "list"), &out, &errOut)
		if code != exitFailed || errOut.String() != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", flags, code, &out, &errOut, want)
		}
	}
}

func TestWithoutAControlAPIStatusIsThatOfTheHTTPInterfaceAndOtherCommandsSayWhatTheyMiss(t *testing.T) {
	d := serving(t, daemon.Control{Address: "off"})
	got := asked(t, "--url", d.URL())
	if got.URL != d.URL() || got.Control != "" || got.Health != "healthy" || got.Version != daemon.Version() || len(got.Subnets) != 2 {
		t.Errorf("the status is %+v", got)
	}
	for _, s := range got.Subnets {
		if s.Type != "system" && s.Type != "application" || s.Kind != "" {
			t.Errorf("a subnet is %+v", s)
		}
	}
	plain := strings.TrimPrefix(serving(t, daemon.Control{}).URL(), "http://")
	for command, want := range map[string]string{
		"status --control https://" + plain: "(write http:// before the address of one that has no TLS)",
		"instance list":                     "has its control API at another address, or none: --control says where",
		"status -i lab":                     `requesting the status of http://127.0.0.1:PORT/instances/lab: `,
		"status --control 127.0.0.1:1":      "no daemon answers at 127.0.0.1:PORT: connection refused (start the daemon with canisterd start --control, or set another --control)",
		"status --control unix:///nobody":   "no daemon answers at unix:///nobody",
	} {
		var out, errOut bytes.Buffer
		code := run(eventually.Context(t), append([]string{"--url", d.URL()}, strings.Fields(command)...), &out, &errOut)
		if code != exitFailed || !strings.Contains(masked(errOut.String()), want) {
			t.Errorf("canisterd %s: exit code %d, stdout %q, stderr %q, want %q", command, code, &out, &errOut, want)
		}
	}
}
