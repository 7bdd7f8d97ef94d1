package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

func TestTheNameOfTheProgramMakesItTheNetworkLauncher(t *testing.T) {
	for name, want := range map[string][]string{
		"/usr/bin/canisterd-launcher":  {"network-launcher", "x"},
		"icp-cli-network-launcher.exe": {"network-launcher", "x"},
		"canisterd-launchers":          {"x"},
		"pocket-ic":                    {"pocket-ic", "x"},
	} {
		if got := asCalled(name, []string{"x"}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := asCalled("canisterd-launcher", []string{compileWorkerName, "folder"}); got[0] != compileWorkerName {
		t.Errorf("a compile worker is %q", got)
	}
}

// The version of the interface decides about flags that are unknown: a newer icp-cli may give some.
func TestTheLauncherRefusesWhatCanisterdCannotDo(t *testing.T) {
	status := t.TempDir()
	for arguments, want := range map[string]string{
		"--interface-version 1.1":                             `invalid --interface-version "1.1": expected three numbers, such as 1.1.0`,
		"--interface-version 2.0.0":                           "canisterd supports 1.x.y",
		"--interface-version 1.1.0 --new-flag=1":              "unknown flag --new-flag: version 1.1.0 of the interface does not have it",
		"--interface-version 1.0.0 --ii":                      "canisterd has no module for ii: download internet_identity_dev.wasm.gz",
		"--interface-version 1.0.0 --nns":                     "canisterd has no governance (its module governance-canister.wasm.gz is published at https://github.com/dfinity/ic/releases), SNS (",
		"--interface-version 1.0.0 --bitcoind-addr=1.2.3.4:5": "canisterd has no Bitcoin",
		"--interface-version 1.1.0 --subnet=moon":             `--subnet: invalid kind of subnet "moon"`,
	} {
		var out, errOut bytes.Buffer
		arguments := append([]string{launcherName, "--status-dir", status}, strings.Fields(arguments)...)
		if code := run(t.Context(), arguments, &out, &errOut); code == 0 || !strings.Contains(errOut.String(), want) {
			t.Errorf("%q: exit code %d, %s, want %q", arguments, code, &errOut, want)
		}
	}
}

// In a container, icp-cli gives the version of the interface in the environment, and mounts the folder of the status.
func TestInAContainerTheLauncherTakesThePlacesOfTheImage(t *testing.T) {
	t.Setenv(launcherVersionVariable, "1.0.0")
	config, err := new(launcherFlags).config()
	if err != nil || config.Listen != ":4943" || config.Control.Address != "off" || config.Gateway.DomainsFile != "/app/status/custom-domains.txt" {
		t.Errorf("it listens at %q, with the control API at %q and the domains of %q (%v)", config.Listen, config.Control.Address, config.Gateway.DomainsFile, err)
	}
	if version, err := new(cli).launcherServer(nil).Flags().GetString("interface-version"); err != nil || version != "1.0.0" {
		t.Errorf("the version of the interface is %q (%v)", version, err)
	}
}

func TestTheLauncherSaysInAFileWhereItServes(t *testing.T) {
	canistertest.UseCacheHome(t)
	status := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{launcherName, "--interface-version", "1.9.0", "--state-dir", t.TempDir(), "--status-dir", status, "--subnet=application", "--new-flag=1"}, &out, &out)
	}()
	var got launcherStatus
	line := portOf(t, filepath.Join(status, "status.json"))
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "1" || len(got.RootKey) != 2*133 || got.Default == "" || !slices.Equal(got.Features, []string{"custom-domains"}) {
		t.Errorf("the status is %+v", got)
	}
	response, err := http.Get("http://127.0.0.1:" + strconv.Itoa(got.GatewayPort) + "/_/topology")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the topology is %v (%v)", response, err)
	}
	_ = response.Body.Close()
	cancel()
	if code := <-done; code != 0 || !strings.Contains(out.String(), "warning: ignoring the unknown flag --new-flag") {
		t.Errorf("exit code %d, %s", code, &out)
	}
	if _, err := os.Stat(filepath.Join(status, "status.json")); err != nil {
		t.Error(err)
	}
}
