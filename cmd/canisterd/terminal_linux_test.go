package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/project"
)

// openTerminal is a terminal of so many columns: what is written to it is read from its other end.
func openTerminal(t *testing.T, columns uint16) (end, screen *os.File) {
	t.Helper()
	end, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(end.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end.Close(); err != nil {
			t.Error(err)
		}
		if err := screen.Close(); err != nil {
			t.Error(err)
		}
	})
	return end, screen
}

// readUntil reads what is shown until some text has been.
func readUntil(t *testing.T, end *os.File, text string) string {
	t.Helper()
	var shown strings.Builder
	part := make([]byte, 4096)
	for !strings.Contains(shown.String(), text) {
		n, err := end.Read(part)
		if err != nil {
			t.Fatalf("%v after %q, without %q", err, shown.String(), text)
		}
		shown.Write(part[:n])
	}
	return shown.String()
}

const escape = "\x1b["

func TestColoursAreForTerminalsAndForThoseWhoWantThem(t *testing.T) {
	t.Setenv("CANISTERD_URL", serving(t, daemon.Control{}).URL())
	t.Setenv("NO_COLOR", "")
	t.Setenv("CANISTERD_ALLOW_OUTSIDE", "1")
	list := func(out *os.File) {
		if code := run(context.Background(), []string{"instance", "list"}, out, out); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
	}
	end, screen := openTerminal(t, 100)
	list(screen)
	if shown := readUntil(t, end, "http://"); !strings.Contains(shown, escape+"32mrunning") {
		t.Errorf("a terminal shows %q", shown)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "list"))
	if err != nil {
		t.Fatal(err)
	}
	list(file)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || bytes.Contains(text, []byte(escape)) || !bytes.Contains(text, []byte("running")) {
		t.Errorf("a file has %q (%v)", text, err)
	}
	t.Setenv("NO_COLOR", "1")
	list(screen)
	if shown := readUntil(t, end, "http://"); strings.Contains(shown, escape) {
		t.Errorf("with NO_COLOR a terminal shows %q", shown)
	}
}

func TestTheTimeThatPassesIsShownInALineThatIsTakenAway(t *testing.T) {
	d := serving(t, daemon.Control{})
	end, screen := openTerminal(t, 20)
	c := &cli{url: d.URL(), out: screen, err: screen}
	connection, err := c.remote()
	if err != nil {
		t.Fatal(err)
	}
	done := c.passing(t.Context(), connection)
	shown := readUntil(t, end, "T")
	done()
	if err := connection.Close(); err != nil {
		t.Error(err)
	}
	if _, err := screen.WriteString("END"); err != nil {
		t.Fatal(err)
	}
	shown += readUntil(t, end, "END")
	if !strings.HasSuffix(shown, "\r\x1b[KEND") {
		t.Errorf("the line stays: %q", shown)
	}
	for line := range strings.SplitSeq(shown, "\r\x1b[K") {
		if len(line) >= 20 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
	c.json = true
	c.passing(t.Context(), connection)()
	if _, err := screen.WriteString("END"); err != nil {
		t.Fatal(err)
	}
	if shown := readUntil(t, end, "END"); shown != "END" {
		t.Errorf("with --json there is %q", shown)
	}
}

// erased begins a line from the start.
const erased = "\r" + escape + "K"

// left is what a terminal shows in the end: lines of progress are gone, and colours are left out.
func left(shown string) string {
	for _, colour := range []colour{"0", faint} {
		shown = strings.ReplaceAll(shown, escape+string(colour)+"m", "")
	}
	var text strings.Builder
	for line := range strings.Lines(shown) {
		if at := strings.LastIndex(line, erased); at >= 0 {
			line = line[at+len(erased):]
		}
		text.WriteString(line)
	}
	return text.String()
}

func TestWhatDeployHasDoneIsShownOnceOnATerminal(t *testing.T) {
	t.Setenv("CANISTERD_URL", serving(t, daemon.Control{}).URL())
	t.Setenv("NO_COLOR", "")
	t.Setenv("CANISTERD_ALLOW_OUTSIDE", "1")
	folder, fixtures := t.TempDir(), mustAbs(t, "../../test/canistertest/fixtures")
	project := func(bank string) {
		text := fmt.Sprintf("canisters:\n  ledger: {wasm: %s/ledger.wasm}\n  bank: {wasm: %s, after: [ledger]}\n", fixtures, bank)
		if err := os.WriteFile(filepath.Join(folder, project.File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	end, screen := openTerminal(t, 100)
	deploy := func(out, errOut *os.File, want int, args ...string) string {
		t.Helper()
		if code := run(context.Background(), append([]string{"deploy", folder}, args...), out, errOut); code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
		if _, err := screen.WriteString("END"); err != nil {
			t.Fatal(err)
		}
		return readUntil(t, end, "END")
	}

	empty := filepath.Join(folder, "empty.wasm") // a module with code that is cut off: only its compiler sees that
	if err := os.WriteFile(empty, []byte("\x00asm\x01\x00\x00\x00\x0a\x05\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	project(empty)
	shown := deploy(screen, screen, exitReject)
	if text := left(shown); !strings.HasPrefix(text, "ledger: installed\r\nerror: installing bank: ") {
		t.Errorf("where it fails, a terminal shows %q", text)
	}
	project(filepath.Join(fixtures, "counter.wasm"))
	shown = deploy(screen, screen, exitOK)
	if text := left(shown); strings.Count(text, "unchanged") != 1 || strings.Count(text, "installed") != 1 || !strings.HasPrefix(text, "CANISTER") {
		t.Errorf("a terminal shows %q", text)
	}
	if !strings.Contains(shown, erased+"installing bank"+erased) {
		t.Errorf("what is under way is not shown: %q", shown)
	}

	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	shown = deploy(file, screen, exitOK)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file.Name())
	if left(shown) != "ledger: unchanged\r\nbank: unchanged\r\nEND" || err != nil || strings.Count(string(text), "unchanged") != 2 {
		t.Errorf("where stdout is a file, the terminal shows %q and the file has %q (%v)", left(shown), text, err)
	}
}

func TestABuildIsAnnouncedOnATerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, project.File, "canisters: {bank: {build: touch bank.wasm, wasm: bank.wasm}}")
	end, screen := openTerminal(t, 100)
	if code := run(t.Context(), []string{"build"}, screen, screen); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	if shown := readUntil(t, end, "bank: built in "); !strings.HasPrefix(shown, "bank: building\r\n") {
		t.Errorf("a terminal shows %q", shown)
	}
}

func TestAfterTheLastByteTheDaemonIsWaitedFor(t *testing.T) {
	end, screen := openTerminal(t, 100)
	c := &cli{out: screen, err: screen}
	tell, done := c.progress("sending a.wasm", 2048)
	tell(1024)
	tell(2048)
	done()
	want := "\r\x1b[Ksending a.wasm [============            ] 1.0 KiB of 2.0 KiB" +
		"\r\x1b[Ksending a.wasm [========================] 2.0 KiB of 2.0 KiB, waiting for the daemon\r\x1b[K"
	if shown := readUntil(t, end, "daemon\r\x1b[K"); shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
}

func TestHelpIsAsWideAsTheTerminal(t *testing.T) {
	end, screen := openTerminal(t, 60)
	go func() { // a terminal takes only a few bytes that are not read
		run(context.Background(), []string{"canister", "query", "--help"}, screen, screen)
		_, _ = screen.WriteString("END")
	}()
	_, flags, _ := strings.Cut(readUntil(t, end, "END"), "Global Flags:")
	for line := range strings.Lines(flags) {
		if len(strings.TrimRight(line, "\r\n")) > 60 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestTracesHaveColoursAndFitTheTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("CANISTERD_ALLOW_OUTSIDE", "1")
	const tree = "ingress c7fa912c to ledger.record\n├─ update            round 8  25_719 instructions  5_051_438 cycles\n└─ rejected NOTHING  round 8"
	_, screen := openTerminal(t, 40)
	text := (&cli{out: screen, err: screen}).coloured(tree)
	for _, want := range []string{escape + "36mingress c7fa912c", escape + "31mrejected NOTHING", "25_719 in…"} {
		if !strings.Contains(text, want) {
			t.Errorf("a terminal of 40 cells shows %q, without %q", text, want)
		}
	}
	if text := (&cli{out: &strings.Builder{}}).coloured(tree); text != tree {
		t.Errorf("elsewhere it is %q", text)
	}
}
