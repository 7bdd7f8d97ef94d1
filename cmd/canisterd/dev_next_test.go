package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/watch"
	"github.com/canisterd/canisterd/internal/project"
)

// lookAt returns the files of a folder of a test with some contents, by name.
func lookAt(t *testing.T, contents map[string]string) watch.Files {
	t.Helper()
	folder := t.TempDir()
	for name, content := range contents {
		writeFile(t, folder+"/"+name, content)
	}
	w, err := watch.New(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	all, err := w.Scan(watch.Set{Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestWhatToDoWithACanister has what dev has done with a canister, what it finds, and what it does next. The sources "a"
// that were looked at twice are two versions of a file with the same content.
func TestWhatToDoWithACanister(t *testing.T) {
	a, written, b := lookAt(t, map[string]string{"s": "a"}), lookAt(t, map[string]string{"s": "a"}), lookAt(t, map[string]string{"s": "b"})
	old, made := lookAt(t, map[string]string{"m": "old"}), lookAt(t, map[string]string{"m": "made"})
	plain := func(module watch.Files) *inputs { return &inputs{module: module, project: "p"} }
	built := func(sources, module watch.Files) *inputs {
		return &inputs{recipe: "make", sources: sources, module: module, project: "p"}
	}
	other := func(in inputs, change func(*inputs)) *inputs { change(&in); return &in }
	after := func(sources, module watch.Files, change func(*developed)) *developed {
		d := &developed{built: built(sources, old), left: module, deployed: built(sources, module), generated: map[string]bool{}}
		change(d)
		return d
	}
	same := func(*developed) {}
	for name, row := range map[string]struct {
		before *developed
		now    *inputs
		want   string
	}{
		"a module that was never deployed":               {&developed{}, plain(made), "deploy"},
		"a module that is as it was deployed":            {&developed{deployed: plain(made)}, plain(made), ""},
		"another module":                                 {&developed{deployed: plain(old)}, plain(made), "deploy m"},
		"another project":                                {&developed{deployed: plain(made)}, other(*plain(made), func(in *inputs) { in.project = "q" }), "deploy " + project.File},
		"a project that was written after a refusal":     {&developed{deployed: other(*plain(made), func(in *inputs) { in.own = b }), refused: true}, other(*plain(made), func(in *inputs) { in.own = a }), "deploy s"},
		"a project that was written after a deployment":  {&developed{deployed: other(*plain(made), func(in *inputs) { in.own = b })}, other(*plain(made), func(in *inputs) { in.own = a }), ""},
		"a module of a build that was refused":           {after(a, made, func(d *developed) { d.refused = true }), built(a, made), "build"},
		"a module that was refused after two builds":     {after(a, made, func(d *developed) { d.refused, d.verified = true, true }), built(a, made), ""},
		"a module that was refused after many builds":    {after(a, made, func(d *developed) { d.refused, d.repeats = true, maxRepeats }), built(a, made), ""},
		"a module that was refused":                      {&developed{deployed: plain(made), refused: true}, plain(made), ""},
		"a canister that was never built":                {&developed{}, built(a, nil), "build"},
		"sources and module as they were":                {after(a, made, same), built(a, made), ""},
		"other sources":                                  {after(a, made, same), built(b, made), "build s"},
		"a new source":                                   {after(nil, made, same), built(a, made), "build s"},
		"no source":                                      {after(a, made, same), built(nil, made), "build s"},
		"another recipe":                                 {after(a, made, same), other(*built(a, made), func(in *inputs) { in.recipe = "cargo" }), "build " + project.File},
		"another project of a canister that is built":    {after(a, made, same), other(*built(a, made), func(in *inputs) { in.project = "q" }), "deploy " + project.File},
		"a source that was touched":                      {after(a, made, same), built(written, made), ""},
		"a source that was written during the build":     {after(a, made, func(d *developed) { d.ended = true }), built(written, made), "build s"},
		"a source that each build writes":                {after(a, made, func(d *developed) { d.ended, d.generated["s"] = true, true }), built(written, made), ""},
		"a source that was written during many builds":   {after(a, made, func(d *developed) { d.ended, d.repeats = true, maxRepeats }), built(written, made), ""},
		"a source that was changed after many builds":    {after(a, made, func(d *developed) { d.ended, d.repeats = true, maxRepeats }), built(b, made), "build s"},
		"a module that something else has made":          {after(a, made, same), built(a, old), "build m"},
		"a module that something else makes each time":   {after(a, made, func(d *developed) { d.repeats = maxRepeats }), built(a, old), "deploy m"},
		"a module that was removed":                      {after(a, made, same), built(a, nil), "build m"},
		"a build that has ended":                         {after(a, made, func(d *developed) { d.ended, d.deployed = true, built(a, old) }), built(a, made), "deploy m"},
		"the first build that has ended":                 {after(a, made, func(d *developed) { d.ended, d.deployed = true, nil }), built(a, made), "deploy"},
		"a build that has failed":                        {after(a, old, func(d *developed) { d.ended, d.failed, d.deployed = true, true, nil }), built(a, old), ""},
		"other sources after a build that has failed":    {after(a, old, func(d *developed) { d.failed = true }), built(b, old), "build s"},
		"no recipe any more after a build that failed":   {after(a, old, func(d *developed) { d.failed = true }), plain(made), "deploy m"},
		"another module left by a build that has failed": {after(a, made, func(d *developed) { d.ended, d.failed, d.deployed = true, true, built(a, old) }), built(a, made), ""},
	} {
		next := row.before.next(row.now)
		var got []string
		for what, is := range map[string]bool{"build": next.build, "deploy": next.deploy} {
			if is {
				got = append(got, what)
			}
		}
		if text := strings.Join(append(got, next.because...), " "); text != row.want {
			t.Errorf("%s: %q, want %q", name, text, row.want)
		}
	}
}

// TestABuildThatWritesItsSourcesHasAnEnd builds again and again as long as that is decided.
func TestABuildThatWritesItsSourcesHasAnEnd(t *testing.T) {
	look := func() *inputs {
		return &inputs{recipe: "make", sources: lookAt(t, map[string]string{"generated": "same"}), module: watch.Files{}, project: "p"}
	}
	d, now := &developed{}, look()
	builds := func() (n int) {
		for d.next(now).build {
			n++
			d.begin(now)
			now = look()
			d.end(now.module, false)
		}
		return n
	}
	if n := builds(); n != 1+maxRepeats {
		t.Errorf("the first change leads to %d builds, want %d", n, 1+maxRepeats)
	}
	now = &inputs{recipe: "make", sources: lookAt(t, map[string]string{"generated": "same", "new": "source"}), module: watch.Files{}, project: "p"}
	look = func() *inputs {
		return &inputs{recipe: "make", sources: lookAt(t, map[string]string{"generated": "same", "new": "source"}), module: watch.Files{}, project: "p"}
	}
	d.generated["new"] = true
	if n := builds(); n != 1 {
		t.Errorf("once it is known what builds write, a change leads to %d builds, want 1", n)
	}
	if !slices.Contains(sortedKeys(d.generated), "generated") {
		t.Errorf("generated: %v", d.generated)
	}
}
