package main

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/watch"
	"github.com/canisterd/canisterd/internal/project"
)

// maxRepeats is how often a canister is built again although its sources have the content that they had: they were written
// during the build, or another program has replaced the module. A build that writes sources itself would have no end.
const maxRepeats = 2

// inputs are what a look at the project finds of a canister: what its build and its deployment would read.
type inputs struct {
	recipe  string      // how its module is built; "" if it is not
	sources watch.Files // that the build reads
	module  watch.Files // that a deployment reads: the module and files about it
	project string      // description of the project
	own     watch.Files // that the project is read from
}

// unwritten reports whether nothing that a deployment reads was written between two looks.
func (in *inputs) unwritten(later *inputs) bool {
	written := slices.Concat(later.module.Changed(in.module), later.module.Rewritten(in.module), later.own.Changed(in.own), later.own.Rewritten(in.own))
	return len(written) == 0
}

// developed is what dev has done with a canister.
type developed struct {
	built     *inputs         // what the last build began with; nil before the first one
	left      watch.Files     // the module after the last build
	failed    bool            // the last build
	ended     bool            // the last build has ended, and nothing was decided since
	repeats   int             // builds since the sources changed
	generated map[string]bool // sources that builds write themselves
	deployed  *inputs         // what the last deployment was given; nil before the first one, and if that is not certain
	refused   bool            // the last deployment, perhaps because the project could not be read
	verified  bool            // the refused module was built again
}

// decision is what to do with a canister, and the files because of which.
type decision struct {
	build, deploy bool
	because       []string
}

// next decides what to do with a canister. It changes what the canister is compared with only where nothing is to be
// built.
func (d *developed) next(now *inputs) decision {
	if now.recipe != "" {
		if because, build := d.reasonToBuild(now); build {
			return decision{build: true, because: because}
		}
		d.built.sources, d.ended = now.sources, false
		if d.failed {
			return decision{}
		}
	}
	switch {
	case d.deployed == nil:
		return decision{deploy: true}
	case now.project != d.deployed.project:
		return decision{deploy: true, because: []string{project.File}}
	}
	changed := now.module.Changed(d.deployed.module)
	if d.refused {
		changed = append(changed, now.own.Changed(d.deployed.own)...)
	}
	return decision{deploy: len(changed) > 0, because: changed}
}

// reasonToBuild returns whether the module of a canister is to be built, and because of which files.
func (d *developed) reasonToBuild(now *inputs) (because []string, build bool) {
	switch {
	case d.built == nil:
		return nil, true
	case now.recipe != d.built.recipe:
		return []string{project.File}, true
	}
	if changed := now.sources.Changed(d.built.sources); len(changed) > 0 {
		return changed, true
	}
	rewritten := d.rewritten(now)
	if d.repeats == maxRepeats {
		for _, path := range rewritten {
			d.generated[path] = true
		}
		return nil, false
	}
	if len(rewritten) > 0 {
		return rewritten, true
	}
	replaced := now.module.Changed(d.left)
	return replaced, len(replaced) > 0 || d.unverified()
}

// unverified reports whether a refused module is to be built once more: another program may have replaced it between the
// end of its build and the look at what the build has left.
func (d *developed) unverified() bool { return d.refused && !d.verified && !d.failed }

// rewritten returns the sources that were written during the last build and have the same content again: the build may
// have read another one.
func (d *developed) rewritten(now *inputs) []string {
	if !d.ended {
		return nil
	}
	return slices.DeleteFunc(now.sources.Rewritten(d.built.sources), func(path string) bool { return d.generated[path] })
}

// begin records the beginning of a build.
func (d *developed) begin(now *inputs) {
	switch {
	case d.built == nil:
		d.generated = map[string]bool{}
	case now.recipe == d.built.recipe && len(now.sources.Changed(d.built.sources)) == 0:
		d.repeats++
	default:
		d.repeats = 0
	}
	d.verified = d.refused
	began := *now
	began.sources = maps.Clone(now.sources)
	d.built = &began
}

// end records the end of a build, and the module that it left.
func (d *developed) end(module watch.Files, failed bool) {
	d.left, d.failed, d.ended = module, failed, true
}
