package pocketic_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/test/canistertest"
)

// certificateFiles are the files of a certificate for 127.0.0.1 and example.com, which roots trusts.
func certificateFiles(t *testing.T) (certificate, key string, roots *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler()) // has a certificate of its own
	defer server.Close()
	pair := server.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return write("cert.pem", "CERTIFICATE", pair.Certificate[0]), write("key.pem", "PRIVATE KEY", private), roots
}

// gatewayPort is the port of the only gateway.
func (a *api) gatewayPort() int {
	a.Helper()
	response, err := http.Get(a.url + "/http_gateway")
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	var all []struct {
		Port int `json:"port"`
	}
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil || len(all) != 1 {
		a.Fatalf("the gateways are %v, %v", all, err)
	}
	return all[0].Port
}

// Each stream of HTTP/2 has a goroutine: 250, as Go allows, let other requests wait when a client opened streams and
// reset them at once.
func TestAConnectionToAGatewayHas32StreamsAtMost(t *testing.T) {
	t.Parallel()
	certificate, key, roots := certificateFiles(t)
	a := served(t)
	for _, line := range []string{
		`POST /instances {"subnet_config_set":{"application":[{}]}}`,
		fmt.Sprintf(`POST /http_gateway {"forward_to":{"PocketIcInstance":0},"https_config":{"cert_path":%q,"key_path":%q}}`, certificate, key),
	} {
		if answer := a.ask(line); !strings.HasPrefix(answer, "201") {
			t.Fatalf("%s: %s", line, answer)
		}
	}
	conn, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", a.gatewayPort()), &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(conn, head); err != nil || head[3] != 4 {
		t.Fatalf("the first frame is %x: %v", head, err)
	}
	settings := make([]byte, int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(conn, settings); err != nil {
		t.Fatal(err)
	}
	if limit := "\x00\x03\x00\x00\x00\x20"; !strings.Contains(string(settings), limit) {
		t.Errorf("the settings %x do not limit streams to 32", settings)
	}
}

func TestAGatewayServesPagesOverTLSAtItsDomains(t *testing.T) {
	t.Parallel()
	certificate, key, roots := certificateFiles(t)
	domains := filepath.Join(t.TempDir(), "domains.txt")
	if err := os.WriteFile(domains, []byte("my.page:"+first.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := served(t)
	module, err := candid.Marshal(install{installMode{new(candid.Null)}, first, canistertest.Fixture("assets"), []byte("DIDL\x00\x00")})
	if err != nil {
		t.Fatal(err)
	}
	a.given["PAGES"] = base64.StdEncoding.EncodeToString(module)
	for _, line := range []string{
		fmt.Sprintf(`POST /instances {"subnet_config_set":{"application":[{}]},"http_gateway_config":{"domains":["localhost","example.com"],`+
			`"https_config":{"cert_path":%q,"key_path":%q},"domain_custom_provider_local_file":%q}}`, certificate, key, domains),
		`POST /instances/0/update/submit_ingress_message {"sender":"${USER}","canister_id":"","effective_principal":"None","method":"provisional_create_canister_with_cycles","payload":"${CREATE}"}`,
		`POST /instances/0/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`,
		`POST /instances/0/update/submit_ingress_message {"sender":"${USER}","canister_id":"","effective_principal":{"CanisterId":"${FIRST}"},"method":"install_code","payload":"${PAGES}"}`,
		`POST /instances/0/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`,
	} {
		if answer := a.ask(line); !strings.HasPrefix(answer, "20") || strings.Contains(answer, "Err") {
			t.Fatalf("%s: %s", line, answer)
		}
	}
	address := fmt.Sprintf("127.0.0.1:%d", a.gatewayPort())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	for _, row := range []struct{ host, path, want string }{
		{first.String() + ".localhost", "/", `200 OK.*<script src="/app.js">`},
		{first.String() + ".example.com", "/", `200 OK.*<script src="/app.js">`},
		{"my.page", "/stream", `200 OK.*one two three`},
		{first.String() + ".localhost", "/changed.html", `502 Bad Gateway.*ResponseVerificationFailed`},
		{first.String() + ".other.com", "/", `403 Forbidden.*UnknownDomain`},
		{"127.0.0.1", "/page", `400 Bad Request.*CanisterIdNotFound`},
		{"127.0.0.1", "/_/topology", `200 OK.*default_effective_canister_id`},
		{"127.0.0.1", "/_/dashboard", `200 OK.*` + first.String() + `.*<td><code>rj7m3-ytgu5-d72fg-xmcaw-4ibcj-ev7f3-rd3ff-roglj-dbxom-yhaij-fae</code></td>`},
		{"127.0.0.1", "/api/v2/status", `200 OK.*root_key`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+row.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = row.host
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if got := response.Status + " " + string(body); err != nil || !regexp.MustCompile("(?s)"+row.want).MatchString(got) {
			t.Errorf("%s%s: %s, %v", row.host, row.path, got, err)
		}
		_ = response.Body.Close()
	}
	if answer := a.ask("DELETE /instances/0"); answer != "200 " {
		t.Errorf("deleting: %q", answer)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		t.Error("the gateway of an instance that was deleted still listens")
	}
}
