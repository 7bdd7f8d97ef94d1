package pocketic_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// startOfInstances is the time of a new instance with one subnet.
const startOfInstances = 1_620_328_630_000_000_000

// largeCreate is create with bytes that nothing reads.
type largeCreate struct {
	Specified *principal.Principal `ic:"specified_id"`
	Note      []byte               `ic:"note"`
}

// signedCall posts a call of the management canister at an effective canister id, with more bytes, from a page, and gives the status.
func (a *api) signedCall(url string, effective principal.Principal, method string, expiry uint64, forge bool, more int, page string) int {
	a.Helper()
	identity, err := wire.NewEd25519Identity(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
	if err != nil {
		a.Fatal(err)
	}
	arg, err := candid.Marshal(largeCreate{&effective, make([]byte, more)})
	if err != nil {
		a.Fatal(err)
	}
	draft := wire.NewCall(principal.Management, method, arg)
	draft.IngressExpiry = expiry
	signed, err := draft.Sign(identity)
	if err != nil {
		a.Fatal(err)
	}
	if forge {
		at := bytes.Index(signed.Body, []byte("sender_sig")) + len("sender_sig") + 8
		signed.Body[at] ^= 1
	}
	request, err := http.NewRequestWithContext(a.Context(), http.MethodPost, fmt.Sprintf("%s/canister/%s/call", url, effective), bytes.NewReader(signed.Body))
	if err != nil {
		a.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/cbor")
	if page != "" {
		request.Header.Set("Origin", page)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func TestASignedCallBringsTheSubnetOfItsCanisterOnMainnet(t *testing.T) {
	t.Parallel()
	a := served(t)
	a.ask(`POST /instances {"subnet_config_set":{"application":[{}]},"http_gateway_config":{}}`)
	subnets := func() int {
		response, err := http.Get(a.url + "/instances/0/read/topology")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte(`"subnet_kind"`))
	}
	create, soon := "provisional_create_canister_with_cycles", uint64(startOfInstances+60_000_000_000)
	direct, gateway := a.url+"/instances/0/api/v2", fmt.Sprintf("http://127.0.0.1:%d/api/v3", a.gatewayPort())
	for _, c := range []struct {
		what, url string
		number    uint64
		method    string
		expiry    uint64
		forge     bool
		page      string
		status    int
		brings    bool
	}{
		{"another method", direct, 0x1c00000, "start_canister", soon, false, "", http.StatusBadRequest, false},
		{"a forged signature", direct, 0x1c00000, create, soon, true, "", http.StatusBadRequest, false},
		{"an expired call", direct, 0x1c00000, create, startOfInstances - 60_000_000_000, false, "", http.StatusBadRequest, false},
		{"an id of no subnet of mainnet", direct, 1 << 40, create, soon, false, "", http.StatusBadRequest, false},
		{"an id of the root subnet", direct, 2, create, soon, false, "", http.StatusBadRequest, false},
		{"a call", direct, 0x1c00000, create, soon, false, "", http.StatusAccepted, true},
		{"the same subnet", direct, 0x1c00001, create, soon, false, "", http.StatusAccepted, false},
		{"a call of a stranger's page", strings.Replace(gateway, "v3", "v2", 1), 0x1b00000, create, soon, false, "https://evil.example", http.StatusBadRequest, false},
		{"a call by the gateway", strings.Replace(gateway, "v3", "v2", 1), 0x1b00000, create, soon, false, "", http.StatusAccepted, true},
	} {
		before := subnets()
		if status := a.signedCall(c.url, principal.Canister(c.number), c.method, c.expiry, c.forge, 0, c.page); status != c.status {
			t.Errorf("%s is answered with status %d, want %d", c.what, status, c.status)
		}
		if brings := subnets() > before; brings != c.brings {
			t.Errorf("%s brings a subnet: %v", c.what, brings)
		}
	}
}

func TestASignedCallOfUpTo64KiBBringsASubnet(t *testing.T) {
	t.Parallel()
	a := served(t)
	a.ask(`POST /instances {"subnet_config_set":{"application":[{}]}}`)
	for more, want := range map[int]int{60 << 10: http.StatusAccepted, 66 << 10: http.StatusBadRequest} {
		id := principal.Canister(0x1b00000 + uint64(more>>12-15)<<20) // each on another subnet
		if status := a.signedCall(a.url+"/instances/0/api/v2", id, "provisional_create_canister_with_cycles", startOfInstances+60_000_000_000, false, more, ""); status != want {
			t.Errorf("a call of %d bytes is answered with status %d, want %d", more, status, want)
		}
	}
}

// postCBOR posts a body to the Internet Computer's HTTP interface, and gives the status and the text of the answer.
func (a *api) postCBOR(path string, body io.Reader) string {
	a.Helper()
	request, err := http.NewRequestWithContext(a.Context(), http.MethodPost, a.url+path, body)
	if err != nil {
		a.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/cbor")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, text)
}

func TestASignedBodyOfMoreThan4MiBIsTooLarge(t *testing.T) {
	t.Parallel()
	a := served(t)
	a.ask(`POST /instances {"subnet_config_set":{"application":[{}]}}`)
	const limit = 4 << 20
	body := make([]byte, limit+1)
	canister := "/canister/" + first.String()
	for _, endpoint := range []string{
		"/api/v2" + canister + "/call", "/api/v3" + canister + "/call", "/api/v4" + canister + "/call", "/api/v2" + canister + "/query", "/api/v3" + canister + "/query",
		"/api/v2" + canister + "/read_state", "/api/v3" + canister + "/read_state",
	} {
		path := "/instances/0" + endpoint
		if got := a.postCBOR(path, bytes.NewReader(body)); got != "413 length limit exceeded" {
			t.Errorf("%s with 4 MiB and a byte: %s", path, got)
		}
		if got := a.postCBOR(path, bytes.NewReader(body[:limit])); !strings.HasPrefix(got, "400 Could not parse body") {
			t.Errorf("%s with 4 MiB: %s", path, got)
		}
	}
	unannounced := struct{ io.Reader }{bytes.NewReader(body)}
	if got := a.postCBOR("/instances/0/api/v2"+canister+"/call", unannounced); got != "413 Failed to buffer the request body: length limit exceeded" {
		t.Errorf("4 MiB and a byte of unknown length: %s", got)
	}
}
