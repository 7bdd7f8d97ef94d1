//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// repository is the root of the repository, from the folder of the tests.
const repository = "../.."

// TestPagesDoWhatTheySay reads each page of docs and README.md from top to bottom, as a reader would in a clone of the
// repository with canisterd on the PATH. What becomes of a block depends on what stands behind its ```:
//
//	console          a line that begins with "$ " is run, the lines after it are what it prints
//	LANG file=PATH   the block is written to the file
//	LANG from=PATH   the block is an excerpt of a file of the repository that a test runs
//	sh usage         its commands are such as canisterd accepts
//	LANG tested-by=PATH   the test in that file runs it
//	text printed="COMMAND"   the command, which a page has started, prints these lines next
//	LANG not-run="REASON" nothing
//
// Another block fails. Commands in the text are checked as those of a block with usage. In what a command prints, … stands for anything on one line, and a line of … for any number of
// lines; columns are as wide as what stands in them. -rewrite writes what the commands print now, with … for times.
func TestPagesDoWhatTheySay(t *testing.T) {
	for _, path := range pages(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			if got := newReader(t).read(golden.Read(t, path)); golden.Rewriting() {
				golden.Compare(t, path, got)
			}
		})
	}
}

// pages are the pages for users, and README.md.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(mustAbs(t, repository+"/docs/*.md"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	return append(all, mustAbs(t, repository+"/README.md"))
}

// fenced is a block of a page: what stands behind its ```, and its lines.
var fenced = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// inLine is a command in the text.
var inLine = regexp.MustCompile("`(canisterd [a-z][^`]*)`")

// read runs the blocks of a page and gives the page as it should be.
func (r *reader) read(page string) string {
	r.t.Helper()
	if found := len(fenced.FindAllString(page, -1)); 2*found != strings.Count(page, "```") {
		r.t.Errorf("there are %d blocks, and ``` stands %d times", found, strings.Count(page, "```"))
	}
	var named strings.Builder
	for _, found := range inLine.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		named.WriteString(strings.ReplaceAll(found[1], "\n", " ") + "\n")
	}
	if err := r.usable(named.String(), false); named.Len() > 0 && err != nil {
		r.t.Errorf("a command in the text: %v", err)
	}
	r.prepare(page)
	return fenced.ReplaceAllStringFunc(page, func(found string) string {
		parts := fenced.FindStringSubmatch(found)
		info, text := parts[1], parts[2]
		lang, rest, _ := strings.Cut(info, " ")
		if lang == "console" && rest == "" {
			text = r.console(text)
		} else if err := r.block(rest, text); err != nil {
			r.t.Errorf("the block ```%s\n%s: %v", info, text, err)
		}
		return "```" + info + "\n" + text + "```"
	})
}

// attribute is how a block says what becomes of it.
var attribute = regexp.MustCompile(`^(file|from|tested-by|printed|not-run|usage)(?:=("[^"]+"|[^ "]+))?$`)

// block does with a block what its attribute says.
func (r *reader) block(info, text string) error {
	parts := attribute.FindStringSubmatch(info)
	if parts == nil || (parts[1] == "usage") != (parts[2] == "") {
		return fmt.Errorf("%q does not say what runs it: file=, from=, tested-by=, usage or not-run=\"REASON\"", info)
	}
	value := strings.Trim(parts[2], `"`)
	switch parts[1] {
	case "file":
		writeFile(r.t, filepath.Join(r.clone, r.folder, value), text)
	case "from":
		return r.excerpt(value, text)
	case "tested-by":
		_, err := os.Stat(filepath.Join(r.repository, value))
		return err
	case "printed":
		return r.printed(value, text)
	case "usage":
		return r.usable(text, true)
	}
	return nil
}

// excerptsFrom are the folders of programs that tests run, with the target that does it.
var excerptsFrom = map[string]string{
	"component/":                "make test, make test-components",
	"canister/":                 "make test",
	"docker-compose.yml":        "make test",
	"examples/":                 "make test, make test-clients",
	"explore/":                  "make test",
	"test/e2e/js/":              "make test-clients",
	"test/e2e/pocketic/":        "make test-clients",
	"test/e2e/pocketic/python/": "make test-clients-python",
	"test/e2e/pocketic/rust/":   "make test-clients-rust-snippets, make test-clients-rust",
	"example_test.go":           "make test",
	"guide_test.go":             "make test",
	"test/canistertest/":        "make fixtures",
}

// excerpt checks that lines stand in a file of the repository, indented or not.
func (r *reader) excerpt(path, text string) error {
	known := false
	for prefix := range excerptsFrom {
		known = known || strings.HasPrefix(path, prefix)
	}
	if !known {
		return fmt.Errorf("no test is known to run %s: add it to excerptsFrom", path)
	}
	file, err := os.ReadFile(filepath.Join(r.repository, path))
	if err != nil {
		return err
	}
	if !strings.Contains("\n"+unindented(string(file)), "\n"+unindented(text)) {
		return fmt.Errorf("%s does not have these lines", path)
	}
	return nil
}

// unindented is a text without the spaces that lines begin with.
func unindented(text string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, "")
}

// console runs the commands of a block and gives the block with what they print.
func (r *reader) console(text string) string {
	var shown strings.Builder
	for _, step := range steps(text) {
		shown.WriteString("$ " + step.command + "\n" + r.step(step))
	}
	return shown.String()
}

// step is a command of a page and what it is to print.
type step struct{ command, output string }

// steps are the commands of a block. One that ends with \ goes on in the next line.
func steps(text string) (all []step) {
	continued := false
	for line := range strings.Lines(text) {
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case is:
			all = append(all, step{command: strings.TrimSuffix(command, "\n")})
		case continued:
			all[len(all)-1].command += "\n" + strings.TrimSuffix(line, "\n")
		case len(all) > 0:
			all[len(all)-1].output += line
		}
		continued = strings.HasSuffix(line, "\\\n")
	}
	return all
}

// step runs one command and gives what the page should say that it prints.
func (r *reader) step(s step) string {
	if r.starts(s.command) {
		r.serve(s)
		return s.output
	}
	got := r.shown(r.run(s.command))
	switch {
	case matches(s.output, got):
		return s.output
	case !golden.Rewriting():
		r.t.Errorf("$ %s\nprints\n%s(-rewrite, then review the diff), and the page says\n%s", s.command, got, s.output)
	}
	return elided(got)
}

// matches reports whether a text is what a page says, where … stands for anything.
func matches(page, text string) bool {
	var pattern strings.Builder
	page, text = spaces.ReplaceAllString(page, "  "), spaces.ReplaceAllString(text, "  ")
	for line := range strings.Lines(page) {
		if line == "…\n" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`))
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(text)
}

// passing is what differs from run to run: times of the wall clock, and how long things took.
var passing = []*regexp.Regexp{
	regexp.MustCompile(`()202[0-9]-[0-9-]{5}T[0-9:.]+Z`),
	regexp.MustCompile(`( )? *\b[0-9.]+ [nµm]?s\b`),
	regexp.MustCompile(`\b(network +)[0-9a-f]{32}`),
}

// elided is a text with … for what differs from run to run.
func elided(text string) string {
	for _, what := range passing {
		text = what.ReplaceAllString(text, "${1}…")
	}
	return text
}

// recorder stands for canisterd where a page says how it is used: it writes down its arguments, and prints a word. It
// writes them at once, since a page can run two in parallel.
const recorder = "#!/bin/sh\nprintf '%s\\0' \"$@\" \"$(printf '\\001')\" >>\"$RECORD\"\necho word\n"

// usable checks that the commands of a block are such as canisterd accepts: there is such a command, and it takes the
// flags and as many arguments; one that is not complete may leave all arguments out. The other programs of the block are not run.
func (r *reader) usable(text string, complete bool) error {
	if r.recording == "" {
		r.recording = r.t.TempDir()
		writeProgram(r.t, filepath.Join(r.recording, "canisterd"), recorder)
	}
	folder, record := r.recording, filepath.Join(r.recording, "record")
	defer func() { _ = os.Remove(record) }()             // it is not there if no command was run
	sh := exec.Command("/bin/sh", "-c", text+"\nwait\n") // for commands in the background
	sh.Dir, sh.Env = folder, []string{"PATH=" + folder, "RECORD=" + record, "id=word"}
	_ = sh.Run() // programs that are not there fail
	if !exists(record) {
		return fmt.Errorf("no command of canisterd is run by %s", text)
	}
	for used := range strings.SplitSeq(strings.TrimSuffix(mustRead(r.t, record), "\x01\x00"), "\x01\x00") {
		args := strings.Split(strings.TrimSuffix(used, "\x00"), "\x00")
		root := (&cli{}).root()
		cmd, rest, err := root.Find(withNegatives(root, args))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil && (complete || cmd.Flags().NArg() > 0) {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			return fmt.Errorf("canisterd %s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// command is the line of docker-compose.yml with the arguments of canisterd.
var command = regexp.MustCompile(`(?m)^ *command: \[(.*)\]$`)

func TestTheComposeFileStartsTheDaemon(t *testing.T) {
	found := command.FindStringSubmatch(mustRead(t, filepath.Join(repository, "docker-compose.yml")))
	if found == nil {
		t.Fatal("docker-compose.yml has no command")
	}
	used := "canisterd " + strings.NewReplacer(`"`, "", ",", "").Replace(found[1])
	if err := newReader(t).usable(used, true); err != nil {
		t.Error(err)
	}
}

// link is a link of a page to another file of the repository.
var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestLinksOfPagesLeadToFiles(t *testing.T) {
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(mustRead(t, page), ""), -1) {
			if target := filepath.Join(filepath.Dir(page), found[1]); !exists(target) {
				t.Errorf("%s: the link to %s leads nowhere", page, found[1])
			}
		}
	}
}
