package instance_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// damageCase is one run of the damage suite.
type damageCase struct {
	instance, dir string // the damaged one
	file          string
	damage        string // a key of damages
	at            int    // byte of the file
	operation     string // a key of operations
}

func (c *damageCase) String() string {
	return fmt.Sprintf("%s of %s at %d, then %s", c.damage, c.file, c.at, c.operation)
}

// damages are the ways in which a file is damaged. nil means that it is deleted.
var damages = map[string]func(content []byte, at int) []byte{
	"flip": func(content []byte, at int) []byte {
		if len(content) > 0 {
			content[at] ^= 1 << (at % 8)
		}
		return content
	},
	"truncate":  func(content []byte, at int) []byte { return content[:at:at] },
	"zero":      func(content []byte, at int) []byte { clear(content[at:min(at+512, len(content))]); return content },
	"delete":    func([]byte, int) []byte { return nil },
	"duplicate": func(content []byte, _ int) []byte { return append(content, content...) },
}

// damageStage has a state directory with three instances, as a kill left it.
type damageStage struct {
	engine  *canister.Engine
	cache   string
	files   map[string][]byte // by path
	counter principal.Principal
	other   principal.Principal // remembering
	heights [2]uint64           // of lab: rounds in its history
	counted byte                // by the counter of each instance
	damaged int                 // files
}

// damagedInstances are the instances of the stage.
var damagedInstances = []string{instance.Default, "lab", "other"}

// damageStageSeed makes all instances assign the same ids.
var damageStageSeed [instance.SeedBytes]byte

func newDamageStage(t *testing.T) *damageStage {
	s := &damageStage{engine: canistertest.NewEngine(t), cache: canistertest.CacheDir(t)}
	fs := vfs.NewMem()
	for generation := range 3 {
		r, err := s.open(t, fs)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range damagedInstances {
			i, err := r.Instance(name)
			if generation == 0 && name != instance.Default {
				i, err = r.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: name}, Seed: &damageStageSeed, Pacing: instance.Pacing{Mode: instance.Manual}})
			}
			if err != nil {
				t.Fatal(err)
			}
			s.live(t, i, generation)
		}
		s.counted++
		if generation == 2 {
			s.files = readFiles(t, fs, "/state")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// live lets an instance do something.
func (s *damageStage) live(t *testing.T, i *instance.Instance, generation int) {
	t.Helper()
	if generation == 0 {
		s.counter = instancetest.Deploy(t, i, canistertest.Fixture("counter"), nil)
		s.other = instancetest.Deploy(t, i, wat.MustAssemble(strings.Replace(remembering, `(func (export "canister_inspect_message") (call $accept))`, "", 1)), nil)
		if _, err := i.TakeSnapshot(t.Context(), "begun", false); err != nil {
			t.Fatal(err)
		}
		s.heights[0] = i.Driver().Height()
	}
	instancetest.Update(t, i, s.counter, s.counter, "inc", []byte("DIDL\x00\x00"))
	instancetest.Update(t, i, s.other, s.other, "recollect", nil)
	s.heights[1] = i.Driver().Height()
}

func (s *damageStage) config(fs vfs.FS) instance.Config {
	return instance.Config{CacheDir: s.cache, Wall: time.Now, Engine: s.engine, StateDir: "/state", Workers: 1, Journal: journal.Options{FS: fs, MemTableBytes: 16 << 10, Retention: journal.DefaultRetention()}}
}

// open starts the instances of a state directory as a daemon does.
func (s *damageStage) open(t *testing.T, fs vfs.FS) (*instance.Registry, error) {
	r := instance.NewRegistry(s.config(fs))
	_, err := r.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: instance.Default}, Seed: &damageStageSeed, Pacing: instance.Pacing{Mode: instance.Manual}})
	if err == nil {
		err = r.Resume(t.Context())
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// readFiles returns the contents of all files in a folder.
func readFiles(t *testing.T, fs vfs.FS, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		at := path.Join(dir, name)
		info, err := fs.Stat(at)
		if errors.Is(err, iofs.ErrNotExist) {
			continue // a running store has removed it
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			maps.Copy(all, readFiles(t, fs, at))
			continue
		}
		file, err := fs.Open(at)
		if errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(file)
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		all[at] = content
	}
	return all
}

// disk returns the state directory on a new disk.
func (s *damageStage) disk(t *testing.T) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	for name, content := range s.files {
		if err := fs.MkdirAll(path.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, fs, name, content)
	}
	return fs
}

func writeFile(t *testing.T, fs vfs.FS, name string, content []byte) {
	t.Helper()
	file, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = file.Write(slices.Clone(content)) // a vfs.File may change it
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// apply damages the file of a case, in place if it stays: a daemon may have it open. The store replaces its files, so
// that one of the same kind is damaged if the file is gone, and none if there is none.
func (s *damageStage) apply(t *testing.T, fs vfs.FS, c *damageCase) {
	t.Helper()
	now := readFiles(t, fs, path.Dir(c.file))
	if now[c.file] == nil {
		for name := range now {
			if kindOf(name) == kindOf(c.file) && path.Dir(name) == path.Dir(c.file) {
				c.file = name
			}
		}
	}
	before, found := now[c.file]
	if !found {
		return
	}
	s.damaged++
	c.at = max(0, min(c.at, len(before)-1))
	after := damages[c.damage](slices.Clone(before), c.at)
	if c.damage == "delete" || c.damage == "truncate" {
		if err := fs.Remove(c.file); err != nil {
			t.Fatal(err)
		}
		if after != nil {
			writeFile(t, fs, c.file, after)
		}
		return
	}
	file, err := fs.OpenReadWrite(c.file, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) > 0 {
		_, err = file.WriteAt(after, 0)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// kindOf groups files: the names of one kind differ in digits and letters that are drawn.
func kindOf(file string) string {
	base := path.Base(file)
	kind, _, _ := strings.Cut(base, "-")
	if path.Base(path.Dir(file)) == "store" {
		kind = "store/" + strings.TrimLeft(kind, "0123456789")
	}
	return kind
}

// targets returns the files of the damaged instances by their kind.
func (s *damageStage) targets() map[string][]string {
	kinds := map[string][]string{}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		if !strings.HasPrefix(file, "/state/instances/other/") && path.Base(file) != "LOCK" {
			kinds[kindOf(file)] = append(kinds[kindOf(file)], file)
		}
	}
	return kinds
}

// caseOf returns a case for a file.
func caseOf(file, damage string, at int, operation string) damageCase {
	c := damageCase{instance.Default, "/state", file, damage, at, operation}
	if strings.HasPrefix(file, "/state/instances/lab/") {
		c.instance, c.dir = "lab", "/state/instances/lab"
	}
	return c
}

// drawn returns a number of cases: each kind of file with each damage and each operation in turns.
func (s *damageStage) drawn(random *rand.Rand, count int) (cases []damageCase) {
	type mix struct{ kind, damage, operation string }
	var all []mix
	targets := s.targets()
	for _, kind := range slices.Sorted(maps.Keys(targets)) {
		for _, damage := range slices.Sorted(maps.Keys(damages)) {
			for _, operation := range slices.Sorted(maps.Keys(operations)) {
				all = append(all, mix{kind, damage, operation})
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range count {
		m := all[i%len(all)]
		files := targets[m.kind]
		file := files[random.IntN(len(files))]
		places := landmarks(file, s.files[file], random)
		cases = append(cases, caseOf(file, m.damage, places[random.IntN(len(places))], m.operation))
	}
	return cases
}

// everyByte returns a start after a flip of each byte of small files of instance lab, and of each landmark of larger
// ones.
func (s *damageStage) everyByte(random *rand.Rand) (cases []damageCase) {
	targets := s.targets()
	for _, kind := range slices.Sorted(maps.Keys(targets)) { // in the same order in each run, for -damage-skip
		for _, file := range targets[kind] {
			if !strings.HasPrefix(file, "/state/instances/lab/") {
				continue // the default one has files of the same kinds, and is among the drawn ones
			}
			for _, at := range landmarks(file, s.files[file], random) {
				cases = append(cases, caseOf(file, "flip", at, "start"))
			}
		}
	}
	return cases
}

// smallFile is the size below which each byte of a file is damaged, drawnBytes how many bytes of a larger one are.
const (
	smallFile  = 4 << 10
	drawnBytes = 64
)

// landmarks returns the places in a file at which it is damaged: all bytes of a small file; otherwise the headers and
// checksums of records, the first byte of each page, the last bytes, and drawn ones.
func landmarks(file string, content []byte, random *rand.Rand) (at []int) {
	if len(content) < smallFile {
		for i := range max(1, len(content)) {
			at = append(at, min(i, max(0, len(content)-1)))
		}
		return at
	}
	switch {
	case strings.HasSuffix(file, ".log") || strings.HasPrefix(path.Base(file), "MANIFEST"):
		at = recordHeaders(content)
	case strings.HasPrefix(path.Base(file), "pages-"):
		for i := 0; i < len(content); i += 4096 {
			at = append(at, i)
		}
	}
	for i := len(content) - 53; i < len(content); i++ { // the footer of a table
		at = append(at, i)
	}
	for range drawnBytes {
		at = append(at, random.IntN(len(content)))
	}
	return at
}

// recordHeaders returns the bytes of the headers of the records in a log of the store: a checksum, a length, a type.
func recordHeaders(content []byte) (at []int) {
	const block = 32 << 10
	for i := 0; i+7 <= len(content); {
		if left := block - i%block; left < 7 {
			i += left
			continue
		}
		size, kind := int(binary.LittleEndian.Uint16(content[i+4:])), content[i+6]
		header := 7
		switch {
		case kind == 0:
			i += block - i%block
			continue
		case kind >= 9:
			header = 19
		case kind >= 5:
			header = 11
		}
		for k := range header {
			at = append(at, min(i+k, len(content)-1))
		}
		i += header + size
	}
	return at
}

// run makes one run, and returns the errors that came of it.
func (s *damageStage) run(t *testing.T, c *damageCase) (errs []error) {
	t.Helper()
	fs := s.disk(t)
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	do := operations[c.operation]
	if do.run == nil {
		s.apply(t, fs, c)
	}
	if do.rest != nil {
		add(do.rest(t, s, fs, c))
		return errs
	}
	r, err := s.open(t, fs)
	if err != nil && (do.run != nil || c.instance != instance.Default) {
		t.Errorf("%s: the daemon does not start: %v", c, err)
		return nil
	}
	if err != nil {
		return []error{err}
	}
	if do.run != nil {
		s.apply(t, fs, c)
		add(do.run(t, s, r, c))
	}
	for _, name := range damagedInstances {
		add(s.answers(t, r, c, name))
	}
	add(r.Close())
	return errs
}

// answers checks that an instance answers, or is the damaged one.
func (s *damageStage) answers(t *testing.T, r *instance.Registry, c *damageCase, name string) error {
	t.Helper()
	i, err := r.Instance(name)
	var reply []byte
	if err == nil {
		reply, err = instancetest.TryUpdate(t.Context(), i, s.counter, s.counter, "inc", []byte("DIDL\x00\x00"))
	}
	switch {
	case err != nil && name == c.instance:
		return err
	case err != nil:
		t.Errorf("%s: instance %s answers no longer: %v", c, name, err)
	case reply[len(reply)-1] != s.counted+1:
		t.Errorf("%s: the counter of instance %s is at %d, want %d", c, name, reply[len(reply)-1], s.counted+1)
	}
	return nil
}
