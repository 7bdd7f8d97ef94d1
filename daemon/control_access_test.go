package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// certificate writes a certificate for this machine, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "canisterd"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// knock asks a daemon for its default instance.
func knock(t *testing.T, address string, with ...remote.Option) error {
	t.Helper()
	c, err := remote.Dial(address, with...)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Instances.GetInstance(eventually.Context(t), &controlv1.GetInstanceRequest{})
	return err
}

func TestTheControlAPIWithTLSAndTokenIsForThoseWhoHaveIt(t *testing.T) {
	cert, key := certificate(t)
	d := started(t, Config{Control: Control{Address: "0.0.0.0:0", Certificate: cert, Key: key, Token: "secret"}})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(d.ControlAddress(), "https://"))
	if err != nil || !strings.HasPrefix(d.ControlAddress(), "https://") {
		t.Fatalf("it is served at %s (%v)", d.ControlAddress(), err)
	}
	address := "https://127.0.0.1:" + port
	for _, c := range []struct {
		address string
		with    []remote.Option
		code    codes.Code
		reason  string
	}{
		{address, []remote.Option{remote.WithRoots(cert), remote.WithToken("secret")}, codes.OK, ""},
		{address, []remote.Option{remote.WithRoots(cert), remote.WithToken("guess")}, codes.Unauthenticated, "TOKEN_WRONG"},
		{address, []remote.Option{remote.WithRoots(cert)}, codes.Unauthenticated, "TOKEN_MISSING"},
		{address, []remote.Option{remote.WithToken("secret")}, codes.Unavailable, ""},
		{"127.0.0.1:" + port, []remote.Option{remote.WithToken("secret")}, codes.Unavailable, ""},
	} {
		err := knock(t, c.address, c.with...)
		if reason, _ := remote.Reason(err); status.Code(err) != c.code || reason != c.reason {
			t.Errorf("at %s: %v (%s), want %s %s", c.address, err, reason, c.code, c.reason)
		}
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(preface)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("it is served at the address of HTTP, too")
	}
}

// The daemon reads nothing from a client without the token: otherwise it would wait for the request.
func TestRequestsWithoutTheTokenAreRefusedUnread(t *testing.T) {
	d := started(t, Config{Control: Control{Token: "secret"}})
	stream, err := dialed(t, d).NewStream(eventually.Context(t), &grpc.StreamDesc{ClientStreams: true}, controlv1.Calls_Update_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	err = stream.RecvMsg(new(controlv1.UpdateResponse))
	if reason, _ := remote.Reason(err); status.Code(err) != codes.Unauthenticated || reason != "TOKEN_MISSING" {
		t.Errorf("it hears %v (%s)", err, reason)
	}
}

func TestTheControlAPIIsServedAtASocketOfThisUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "control.sock")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close() // as a daemon that was killed leaves it
	d := started(t, Config{Control: Control{Address: "unix://" + path}})
	if err := knock(t, d.ControlAddress()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v (%v)", info, err)
	}
	if _, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), Control: Control{Address: "unix://" + path}}); err == nil || !strings.Contains(err.Error(), "something listens there already") {
		t.Errorf("a second daemon at the socket: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestTheControlAPIIsNotForOtherMachinesUnlessAskedFor(t *testing.T) {
	cert, key := certificate(t)
	for want, config := range map[string]Config{
		"would be open to everyone who reaches that address": {Listen: "127.0.0.1:0", Control: Control{Address: "0.0.0.0:0"}},
		"would be open to everyone":                          {Listen: "127.0.0.1:0", Control: Control{Address: "0.0.0.0:0", Token: "secret"}},
		"(--control-tls-cert, --control-tls-key)":            {Listen: "127.0.0.1:0", Control: Control{Address: "0.0.0.0:0", Certificate: cert, Key: key}},
		"set both":                                        {Listen: "127.0.0.1:0", Control: Control{Address: "127.0.0.1:0", Certificate: cert}},
		"reading the certificate":                         {Listen: "127.0.0.1:0", Control: Control{Address: "127.0.0.1:0", Certificate: key, Key: cert}},
		"only at an address of its own":                   {Listen: "127.0.0.1:0", Control: Control{Certificate: cert, Key: key}},
		`listening on "nowhere", which must be host:port`: {Listen: "127.0.0.1:0", Control: Control{Address: "nowhere"}},
	} {
		config.CacheDir = t.TempDir()
		d, err := Start(t.Context(), config)
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", config.Control, err, want)
		}
	}
	for _, c := range []struct {
		config Config
		served bool
	}{
		{Config{Listen: "0.0.0.0:0"}, false},
		{Config{Listen: "127.0.0.1:0", Control: Control{Address: NoControl}}, false},
		{Config{Listen: "0.0.0.0:0", Control: Control{Address: "127.0.0.1:0"}}, true},
		{Config{Listen: "127.0.0.1:0", Control: Control{Address: "0.0.0.0:0", Insecure: true}}, true},
	} {
		c.config.CacheDir = t.TempDir()
		d, err := Start(t.Context(), c.config)
		if err != nil {
			t.Fatal(err)
		}
		if served := d.ControlAddress() != ""; served != c.served {
			t.Errorf("%+v: served at %q", c.config.Control, d.ControlAddress())
		}
		if c.served {
			_, port, err := net.SplitHostPort(d.ControlAddress())
			if err != nil {
				t.Fatal(err)
			}
			if err := knock(t, "127.0.0.1:"+port); err != nil {
				t.Errorf("%+v: %v", c.config.Control, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
