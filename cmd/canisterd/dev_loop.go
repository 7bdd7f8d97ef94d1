package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/build"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/watch"
	"github.com/canisterd/canisterd/internal/project"
)

// retryPause is the time between two attempts to deploy to a daemon that does not answer.
const retryPause = time.Second

// development is one run of dev.
type development struct {
	cli     *cli
	daemon  *remote.Daemon
	folder  string
	watcher *watch.Watcher

	project   *project.Project // as it was when it could be read last
	text      string           // its description
	sources   map[string][]string
	broken    string // why the project cannot be read now, "" if it can
	canisters map[string]*developed
	network   string // id of the network of the last deployments
	lost      bool   // the daemon did not answer the last time

	printing sync.Mutex        // held while lines are printed, and for names
	names    map[string]string // of canisters by id, for logs
}

// newDevelopment prepares one run. It looks at files at the interval poll, or after events if that is 0.
func newDevelopment(c *cli, d *remote.Daemon, folder string, poll time.Duration) (*development, error) {
	var w *watch.Watcher
	if poll > 0 {
		w = watch.NewPolling(folder, poll)
	} else {
		var err error
		if w, err = watch.New(folder); err != nil {
			return nil, err
		}
	}
	return &development{cli: c, daemon: d, folder: folder, watcher: w, canisters: map[string]*developed{}, names: map[string]string{}}, nil
}

// run deploys what has changed until the context ends.
func (x *development) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		cancel(x.follow(ctx))
	}()
	err := x.loop(ctx)
	cancel(nil)
	<-followed
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return nil // Ctrl-C
	}
	return err
}

// loop deploys what has changed, waits for a change, and so on.
func (x *development) loop(ctx context.Context) error {
	if err := x.update(ctx); err != nil {
		return err
	}
	if err := x.print(fmt.Sprintf("ready     watching %s; stop with Ctrl-C", count(uint64(len(x.project.Canisters)), "canister")), map[string]int{"watching": len(x.project.Canisters)}); err != nil {
		return err
	}
	for {
		var again <-chan time.Time
		if x.lost {
			again = time.After(retryPause)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-x.watcher.Changes():
		case <-again:
		}
		if err := x.update(ctx); err != nil {
			return err
		}
	}
}

// update builds and deploys what has changed since it was built and deployed, until nothing has. Changes during a build
// lead to another one.
func (x *development) update(ctx context.Context) error {
	x.lost = false
	for busy := true; busy && !x.lost; {
		if err := x.readProject(ctx); err != nil {
			return err
		}
		all, err := x.look()
		if err != nil {
			return err
		}
		if x.broken != "" {
			return nil
		}
		busy = false
		for _, name := range x.order() {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if next := x.canisters[name].next(all[name]); next.build || next.deploy {
				busy = true
				if err := x.turn(ctx, name, all[name], next); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// order returns the canisters of the project in the order of their installation.
func (x *development) order() []string {
	order, err := x.project.Order()
	if err != nil { // readProject has refused it
		return nil
	}
	return order
}

// readProject reads the project again. If it cannot be read, what was read before counts, and the reason is printed once.
func (x *development) readProject(ctx context.Context) error {
	p, text, err := x.describedProject()
	if err != nil {
		if said := err.Error(); said != x.broken {
			x.broken = said
			return x.print(x.cli.paint(red, "the project cannot be read: "+said), &change{Error: said})
		}
		return nil
	}
	if x.broken = ""; text == x.text {
		return nil
	}
	x.project, x.text, x.sources = p, text, map[string][]string{}
	for _, name := range sortedKeys(p.Canisters) {
		if x.canisters[name] == nil {
			x.canisters[name] = &developed{}
		}
		if p.Canisters[name].Built() {
			if err := x.findSources(ctx, name); err != nil {
				return err
			}
			if len(x.sources[name]) == 0 {
				x.cli.note("note: %s: nothing says what its build reads: set sources: in %s, so that changes are noticed", name, project.File)
			}
		}
	}
	maps.DeleteFunc(x.canisters, func(name string, _ *developed) bool { return p.Canisters[name] == nil })
	return nil
}

// describedProject reads the project and its description.
func (x *development) describedProject() (p *project.Project, text string, err error) {
	if p, err = x.cli.readProject(x.folder); err != nil {
		return nil, "", err
	}
	if _, err = p.Order(); err != nil {
		return nil, "", err
	}
	text, err = p.Description()
	return p, text, err
}

// findSources finds what the build of a canister reads. If that is not known now, every file of the project may be what
// is missing.
func (x *development) findSources(ctx context.Context, name string) error {
	sources, err := build.Sources(ctx, x.project, name)
	if err != nil {
		sources = []string{"."}
	}
	x.sources[name] = sources
	return ctx.Err()
}

// look reads the files of the project and of its canisters.
func (x *development) look() (map[string]*inputs, error) {
	own := watch.Set{Files: x.project.OwnFiles()}
	if x.broken != "" {
		own = watch.Set{Patterns: []string{"."}} // what is missing may be anywhere
	}
	sets, names := []watch.Set{own}, sortedKeys(x.project.Canisters)
	for _, name := range names {
		sets = append(sets, x.setsOf(name)...)
	}
	files, err := x.watcher.Scan(sets...)
	if err != nil {
		return nil, err
	}
	all := map[string]*inputs{}
	for i, name := range names {
		all[name] = &inputs{recipe: x.project.Canisters[name].Recipe(), sources: files[1+2*i], module: files[2+2*i], project: x.text, own: files[0]}
	}
	return all, nil
}

// setsOf returns the sets of files of a canister: its sources, without modules that builds make, and its module.
func (x *development) setsOf(name string) []watch.Set {
	var made []string
	for _, other := range x.project.Canisters {
		if other.Built() {
			made = append(made, other.Wasm)
		}
	}
	return []watch.Set{{Patterns: x.sources[name], Except: made}, {Files: x.project.ModuleFiles(name)}}
}

// turn does with a canister what was decided, and says what happened.
func (x *development) turn(ctx context.Context, name string, now *inputs, next decision) error {
	h, line := x.canisters[name], &change{Canister: name, Changed: next.because}
	if next.build {
		verifies := len(next.because) == 0 && h.unverified()
		h.begin(now)
		if len(next.because) == 0 { // the first build, which no save announces
			x.cli.announceBuild(name)
		}
		took, err := x.cli.buildModule(ctx, x.project, name)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if found := x.findSources(ctx, name); found != nil {
			return found
		}
		all, failed := x.look()
		if failed != nil {
			return failed
		}
		now = all[name]
		h.end(now.module, err != nil)
		if err != nil {
			line.Done, line.Error = "build failed", strings.TrimPrefix(err.Error(), "canister "+name+": ")
			return x.report(line)
		}
		line.built(took)
		if next = h.next(now); next.build {
			line.Done = "changed again"
			return x.report(line)
		}
		if !next.deploy {
			if verifies { // the reason for the refusal was said
				return nil
			}
			line.Done = "unchanged"
			return x.report(line)
		}
	}
	return x.deploy(ctx, now, line)
}

// deploy deploys one canister.
func (x *development) deploy(ctx context.Context, now *inputs, line *change) error {
	name, begun := line.Canister, time.Now()
	outcome, err := x.deployed(ctx, name)
	took := time.Since(begun)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if remote.Code(err) == codes.Unavailable { // it is tried again
		x.lost = true
		return nil
	}
	later, failed := x.look()
	if failed != nil {
		return failed
	}
	h := x.canisters[name]
	if h.deployed, h.refused, h.verified = now, err != nil, false; !now.unwritten(later[name]) {
		h.deployed = nil // it may have read something else
	}
	if err != nil {
		line.Done, line.Error = "deployment failed", x.cli.explained(ctx, err).Error()
		return x.report(line)
	}
	line.Done, line.ID = outcome.text(), outcome.ID
	line.deployed(took)
	return x.report(line)
}

// deployed deploys one canister of the project, and all if the network is not the one of the last deployment.
func (x *development) deployed(ctx context.Context, name string) (deployment, error) {
	about, err := x.cli.networkOf(ctx, x.daemon)
	if err != nil {
		return deployment{}, err
	}
	if about.ID != x.network {
		x.network = about.ID
		for _, other := range x.canisters {
			other.deployed = nil
		}
	}
	flags := &deployFlags{mode: "auto", only: []string{name}, noBuild: true}
	outcomes, err := x.cli.deployFolder(ctx, x.daemon, x.folder, flags, func(string, string) {})
	if err != nil {
		return deployment{}, err
	}
	x.printing.Lock()
	defer x.printing.Unlock()
	for name, outcome := range outcomes {
		x.names[outcome.ID] = name
	}
	return outcomes[name], nil
}

// known returns the names of canisters by id.
func (x *development) known() map[string]string {
	x.printing.Lock()
	defer x.printing.Unlock()
	return maps.Clone(x.names)
}

// change is what dev has done because of a change, and prints.
type change struct {
	Canister string   `json:"canister,omitempty"`
	ID       string   `json:"canister_id,omitempty"`
	Changed  []string `json:"changed,omitempty"` // files
	Built    *int64   `json:"built_ms,omitempty"`
	Done     string   `json:"done,omitempty"`
	Deployed *int64   `json:"deployed_ms,omitempty"`
	Error    string   `json:"error,omitempty"`
	times    []string // as people read them
}

func (l *change) built(took time.Duration) {
	l.Built = new(took.Milliseconds())
	l.times = append(l.times, "built "+brief(took))
}

func (l *change) deployed(took time.Duration) {
	l.Deployed = new(took.Milliseconds())
	l.times = append(l.times, l.Done+" "+brief(took))
}

// asBefore stands before the reason for a failure.
const asBefore = ", and the canister is as it was: "

// report prints what was done.
func (x *development) report(l *change) error {
	var text strings.Builder
	text.WriteString(l.Canister + ": ")
	if len(l.Changed) > 0 {
		text.WriteString(l.Changed[0])
		if more := len(l.Changed) - 1; more > 0 {
			fmt.Fprintf(&text, " and %d more", more)
		}
		text.WriteString(": ")
	}
	steps := slices.Clone(l.times)
	if l.Deployed == nil && l.Done != "" {
		steps = append(steps, l.Done)
	}
	text.WriteString(strings.Join(steps, ", "))
	as := green
	if l.Error != "" {
		as = red
		text.WriteString(asBefore + l.Error)
	}
	return x.print(x.cli.paint(as, text.String()), l)
}

// print prints a line among those of logs.
func (x *development) print(text string, value any) error {
	x.printing.Lock()
	defer x.printing.Unlock()
	return x.cli.print(text, value)
}
