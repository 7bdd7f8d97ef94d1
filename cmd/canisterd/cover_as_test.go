//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// twoMethods is a module with two functions.
const twoMethods = `(module (import "ic0" "msg_reply" (func $reply))
	(func $first (export "canister_update first") call $reply) (func $second (export "canister_update second") call $reply))`

// suite is a test suite that calls a method of a canister in a server in place of PocketIC's: "first" in the one that runs
// already, "second" in one that it starts and does not stop, as the Rust crate does.
const suite = `set -e
run() {
	"$SELF" --url "$1" instance create lab >made
	id=$("$SELF" --url "$1" -i lab canister create --jq .canister_id)
	"$SELF" --url "$1" -i lab canister install "$id" two.wasm >made
	"$SELF" --url "$1" -i lab canister call "$id" "$2" --hex 00 >made
}
case "$1" in
first) run "$MOPS_POCKET_IC_URL" first ;;
second)
	"$POCKET_IC_BIN" --port-file port --ttl 600 >log 2>&1 &
	echo $! >pid
	until [ -s port ]; do sleep 0.02; done
	run "http://127.0.0.1:$(cat port)" second ;;
esac`

func TestCoverageHasWhatServersInPlaceOfPocketICRan(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{ // in any order
		asCommand: "1", "SELF": self, "XDG_CONFIG_HOME": t.TempDir(), "HOME": t.TempDir(), "CANISTERD_CONTROL": "",
	} {
		t.Setenv(name, value)
	}
	canistertest.UseCacheHome(t)
	for _, method := range []string{"first", "second"} {
		t.Chdir(t.TempDir())
		writeFile(t, "two.wasm", string(wat.MustAssemble(twoMethods)))
		t.Cleanup(endServer)
		code, out, errOut := invoke(t, "exec", "--as", "pocket-ic", "--cover", "ran.info", "--", "sh", "-c", suite, "suite", method)
		if code != exitOK {
			t.Fatalf("%s: exit code %d\n%s%s", method, code, out, errOut)
		}
		lcov := mustRead(t, "ran.info")
		for _, function := range []string{"first", "second"} {
			ran := 0
			if function == method {
				ran = 1
			}
			if want := fmt.Sprintf("FNDA:%d,%s\n", ran, function); !strings.Contains(lcov, want) {
				t.Errorf("%s: there is no %q in\n%s", method, want, lcov)
			}
		}
	}
}

// endServer ends the server whose process is in the file pid.
func endServer() {
	text, err := os.ReadFile("pid")
	if err != nil {
		return
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		return
	}
	if server, err := os.FindProcess(pid); err == nil {
		_ = server.Kill() // it may have ended
	}
}

func TestAProfileDuringACommandSaysWhereServersAreProfiled(t *testing.T) {
	for _, as := range []string{"pocket-ic", "icp", "all"} {
		code, _, errOut := invoke(t, "profile", "--during", "--as", as, "--", "true")
		if code != exitFailed || !strings.Contains(errOut, "--as "+as+" is for canisterd exec") || !strings.Contains(errOut, "/canisterd/start_profile") {
			t.Errorf("--as %s: exit code %d, %s", as, code, errOut)
		}
	}
	code, _, errOut := invoke(t, "exec", "--as", "pocket-ic", "--", "true")
	if code != exitOK || errOut != "" {
		t.Errorf("exec: exit code %d, %s", code, errOut)
	}
}
