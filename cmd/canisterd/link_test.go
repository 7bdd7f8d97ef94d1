package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinksLeadToCanisterdAndShellsReadTheirVariables(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "it's here")
	for _, version := range []string{"", "13.0.0"} {
		args, name := []string{"link", folder}, "pocket-ic"
		if version != "" {
			args, name = append(args, "--version", version), name+"-"+version
		}
		for range 2 { // the second replaces the links of the first
			code, out, errOut := invoke(t, args...)
			if code != exitOK || errOut != "" {
				t.Fatalf("link ends with exit code %d and says %s", code, errOut)
			}
			seen, err := exec.Command("sh", "-c", out+`printf '%s|%s' "$POCKET_IC_BIN" "$DFX_POCKET_IC_PATH"`).Output()
			if want := filepath.Join(folder, name); err != nil || string(seen) != want+"|"+want {
				t.Errorf("a shell reads %q (%v)", seen, err)
			}
			if target, err := os.Readlink(filepath.Join(folder, name)); err != nil || target != own {
				t.Errorf("the link leads to %s (%v)", target, err)
			}
		}
	}
}

func TestLinkReplacesNoFileAndTakesNoOtherVersion(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "pocket-ic"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errOut := invoke(t, "link", folder); code != exitFailed || !strings.Contains(errOut, "pocket-ic is a file, not a link: remove it") {
		t.Errorf("it ends with exit code %d and says %s", code, errOut)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "pocket-ic")); err != nil || !bytes.Equal(text, []byte("mine")) {
		t.Errorf("the file is %q (%v)", text, err)
	}
	if code, _, errOut := invoke(t, "link", "--version", "13", folder); code != exitFailed || !strings.Contains(errOut, `invalid --version "13": expected three numbers`) {
		t.Errorf("it ends with exit code %d and says %s", code, errOut)
	}
}

func TestACommandFindsCanisterdInThePlaceOfPocketIC(t *testing.T) {
	for _, as := range []string{"pocket-ic", "all"} {
		folder := t.TempDir()
		t.Chdir(folder)
		ended := make(chan string, 1)
		go func() {
			code, out, errOut := invoke(t, "exec", "--as", as, "--", "sh", "-c",
				`echo "$POCKET_IC_BIN $DFX_POCKET_IC_PATH $MOPS_POCKET_IC_URL" >said; until [ -e seen ]; do sleep 0.01; done`)
			ended <- fmt.Sprint(code, out, errOut)
		}()
		said := strings.Fields(portOf(t, "said"))
		if len(said) != 3 {
			t.Fatalf("--as %s: the command reads %q", as, said)
		}
		own, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range said[:2] {
			if target, err := os.Readlink(link); err != nil || target != own || filepath.Base(link) != "pocket-ic" {
				t.Errorf("--as %s: %s leads to %s (%v)", as, link, target, err)
			}
		}
		response, err := http.Get(said[2] + "/status")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("--as %s: the status is %v (%v)", as, response, err)
		}
		_ = response.Body.Close()
		if err := os.WriteFile("seen", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := <-ended; got != "0" {
			t.Errorf("--as %s: it ends with %s", as, got)
		}
		if _, err := os.Stat(filepath.Dir(said[0])); !os.IsNotExist(err) {
			t.Errorf("--as %s: the folder of the links is left: %v", as, err)
		}
		if conn, err := net.Dial("tcp", strings.TrimPrefix(said[2], "http://")); err == nil {
			_ = conn.Close()
			t.Errorf("--as %s: the server still listens", as)
		}
	}
}
