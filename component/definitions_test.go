//go:build definitions

package component

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// runner runs programs and gives their traces.
type runner interface {
	run(t testing.TB, p *program) *interpreter
}

// theDefinitions run programs with definitions.py.
type theDefinitions struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func newDefinitions(t testing.TB, path string) *theDefinitions {
	command := exec.Command("python3", "testdata/run_definitions.py", path)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &theDefinitions{in, bufio.NewScanner(out)}
}

func (d *theDefinitions) run(t testing.TB, p *program) *interpreter {
	in := newInterpreter(p)
	reply := func(args ...any) {
		if _, err := fmt.Fprintln(d.in, args...); err != nil {
			t.Fatal(err)
		}
	}
	profile := "deterministic"
	if p.free {
		profile = "free"
	}
	for reply(profile); d.out.Scan(); {
		words := strings.Fields(d.out.Text())
		switch words[0] {
		case "b":
			a := parse[uint32](t, words[1:])
			reply(in.begin(a[0], a[1], a[2], a[3]))
		case "e":
			a := parse[uint32](t, words[1:])
			in.event(a[0], a[1], a[2], a[3])
		case "s":
			a := parse[uint64](t, words[1:])
			o := in.step(uint32(a[0]), a[1])
			reply(o&0xff, o>>8&0xffffff, o>>32&0xffff, o>>48)
		case "w":
			on := 0
			if in.goesOn(identities(parse[uint32](t, words[1:]))[0]) {
				on = 1
			}
			reply(on)
		case "c":
			reply(in.option(words[1], identities(parse[uint32](t, words[2:]))))
		case "h":
			in.hostCall(parse[uint32](t, words[1:])[0])
		case "n":
			action := in.next(parseReport(parse[int](t, words[1:])))
			if reply(action...); action[0] == "end" {
				return in
			}
		case "t":
			in.note("trap")
			return in
		case "a":
			in.note("assertion %s", words[1])
			return in
		}
	}
	t.Fatalf("the definitions end in the middle of a program: %v", d.out.Err())
	return nil
}

func parse[N uint32 | uint64 | int](t testing.TB, words []string) []N {
	all := make([]N, len(words))
	for n, w := range words {
		v, err := strconv.ParseInt(w, 10, 64)
		if u, fault := strconv.ParseUint(w, 10, 64); fault == nil {
			v, err = int64(u), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		all[n] = N(v)
	}
	return all
}

func identities(words []uint32) (all []identity) {
	for four := range slices.Chunk(words, 4) {
		all = append(all, identity{four[0], four[1], four[2], four[3]})
	}
	return all
}

func parseReport(words []int) report {
	r := report{progress: words[0] == 1}
	rest := words[2:]
	for range words[1] {
		r.returned = append(r.returned, returnedCall{rest[0], rest[1]})
		rest = rest[2:]
	}
	r.cancelled = rest
	return r
}

var (
	programCount = flag.Uint64("programs", 10_000, "programs that run beside the specification's definitions")
	firstProgram = flag.Uint64("first", 0, "seed of the first one")
)

// The definitions of the specification are not a part of the repository: CANISTERD_DEFINITIONS names their file.
func TestProgramsGiveTheTracesOfTheDefinitions(t *testing.T) {
	path := os.Getenv("CANISTERD_DEFINITIONS")
	ours := newWorkers(t)
	const parts = 8 // with go test -parallel 8: the two sides of a part mostly wait for each other
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			theirs := newDefinitions(t, path)
			compared, traps, lines := 0, 0, 0
			for seed := *firstProgram + part; seed < *firstProgram+*programCount; seed += parts {
				p := drawProgram(seed)
				a, b := ours.run(t, p), theirs.run(t, p)
				if !slices.Equal(a.trace, b.trace) {
					reportDifference(t, p, ours, theirs)
				}
				compared++
				lines += len(a.trace)
				if slices.Contains(a.trace, "trap") {
					traps++
				}
			}
			t.Logf("%d programs, of which %d trap; %d events, all the same", compared, traps, lines)
		})
	}
}

// reportDifference fails with the shortest program that shows a difference.
func reportDifference(t *testing.T, p *program, ours, theirs runner) {
	p = p.shrink(func(p *program) bool { return !slices.Equal(ours.run(t, p).trace, theirs.run(t, p).trace) })
	a, b := ours.run(t, p).trace, theirs.run(t, p).trace
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	lines := func(trace []string) string { return "  " + strings.Join(trace, "\n  ") }
	t.Fatalf("a program differs:\n%v\nthe same on both sides:\n%s\nhere:\n%s\nby the definitions:\n%s", p,
		lines(a[:same]), lines(a[same:min(same+5, len(a))]), lines(b[same:min(same+5, len(b))]))
}

// shrink removes actions and operations as long as a program stays interesting.
func (p *program) shrink(interesting func(*program) bool) *program {
	for again := true; again; {
		again = false
		for at := 0; at < len(p.actions); {
			q := *p
			q.actions = slices.Delete(slices.Clone(p.actions), at, at+1)
			if interesting(&q) {
				p, again = &q, true
			} else {
				at++
			}
		}
		for n := range p.scripts {
			for at := 0; at < len(p.scripts[n]); {
				q := *p
				q.scripts = slices.Clone(p.scripts)
				q.scripts[n] = slices.Delete(slices.Clone(p.scripts[n]), at, at+1)
				if interesting(&q) {
					p, again = &q, true
				} else {
					at++
				}
			}
		}
	}
	return p
}
