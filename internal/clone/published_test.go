package clone_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// choices installs published modules with the bytes of a text as the argument.
func choices(init map[principal.Principal]string, standIns ...principal.Principal) *clone.Choices {
	return &clone.Choices{Init: init, StandIns: standIns, Encode: func(_ []byte, text string) ([]byte, string, error) {
		if text == "" {
			return nil, "", errors.New("its installation takes an argument")
		}
		return []byte(text), text, nil
	}}
}

// echo replies with the argument of its installation. It does not begin with an argument of one byte.
const echo = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(memory 1)
	(func (export "canister_init")
		(if (i32.eq (call $size) (i32.const 1)) (then (unreachable)))
		(i32.store (i32.const 0) (call $size))
		(call $arg (i32.const 4) (i32.const 0) (call $size)))
	(func (export "canister_query get") (call $append (i32.const 4) (i32.load (i32.const 0))) (call $reply)))`

func TestAKnownModuleIsInstalledWithEmptyStateOrAStandInTakesItsPlace(t *testing.T) {
	from, to := mainnet(t), local(t)
	module, err := wat.Assemble(echo)
	if err != nil {
		t.Fatal(err)
	}
	called := from.create("SUBNET_KIND_SNS", nil)
	from.install(called, module, []byte("production"))
	id := from.chain("SUBNET_KIND_APPLICATION")[0]
	from.transfer(called)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	s := to.set(source, cache)
	s.Named = func(principal.Principal) []principal.Principal { return []principal.Principal{called} }
	s.Calls = nil
	hash := sha256.Sum256(module)
	s.Known = func(got []byte) (*clone.KnownModule, error) {
		if string(got) != string(hash[:]) {
			t.Errorf("the source certifies the hash %x, want %x", got, hash)
		}
		return &clone.KnownModule{Name: "echo", Init: "default", Module: module}, nil
	}
	if _, err := s.Gather(to.ctx, []principal.Principal{id}); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Cached(id, "elsewhere"); err != nil {
		t.Error(err)
	}
	members, err := cache.Cached(id, from.url)
	if err != nil || len(members) != 2 || members[1].Published == nil || members[1].Published.Name != "echo" {
		t.Fatalf("in the cache are %+v (%v)", members, err)
	}
	m := members[1]
	text := message{method: "get", query: true}
	given := map[principal.Principal]string{called: "given"}
	for _, row := range []struct {
		about   string
		change  func(*clone.Member)
		choices *clone.Choices
		init    string // of the module that is installed
		err     string
	}{
		{"the argument of its entry", nil, choices(nil), "default", ""},
		{"an argument that is given", nil, choices(given), "given", ""},
		{"a stand-in that was chosen", nil, choices(given, called), "", ""},
		{"no argument", func(m *clone.Member) { m.Published.Init = "" }, choices(nil), "", "its installation takes an argument"},
		{"an argument that traps", nil, choices(map[principal.Principal]string{called: "1"}), "", "unreachable"},
		{"no bytes", func(m *clone.Member) { m.Published.Module = nil }, choices(nil), "", clone.ErrNotAtHand.Error()},
	} {
		t.Run(row.about, func(t *testing.T) {
			to := local(t)
			published, with := *m.Published, *m
			with.Published = &published
			if row.change != nil {
				row.change(&with)
			}
			done, err := to.destination().Substitute(to.ctx, &with, row.choices, developer)
			if err != nil {
				t.Fatal(err)
			}
			if done.Init != row.init || (done.Published != nil) != (row.init != "") || (done.Err == nil) != (row.err == "") || done.Err != nil && !strings.Contains(done.Err.Error(), row.err) {
				t.Errorf("it is %+v", done)
			}
			if row.init != "" {
				if got := to.send(called, text); got != row.init {
					t.Errorf("the module replies %q", got)
				}
				if _, err := to.destination().Substitute(to.ctx, &with, row.choices, developer); err == nil || !strings.Contains(err.Error(), "exists already") {
					t.Errorf("it is replaced: %v", err)
				}
			}
		})
	}
}

func TestAPublishedModuleOf100MiBIsReadFromTheCache(t *testing.T) {
	cache, id := clone.Cache(t.TempDir()), principal.Canister(7)
	folder := filepath.Join(string(cache), id.String())
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(folder, "published.wasm")
	for path, text := range map[string]string{module: "", filepath.Join(folder, "published.json"): `{"module_hash": ""}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for size, read := range map[int64]bool{100 << 20: true, 100<<20 + 1: false} {
		if err := os.Truncate(module, size); err != nil {
			t.Fatal(err)
		}
		_, err := cache.Published(id)
		if err == nil || strings.Contains(err.Error(), "its SHA-256 is") != read || !strings.Contains(err.Error(), "canisterd clone forget "+id.String()) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
