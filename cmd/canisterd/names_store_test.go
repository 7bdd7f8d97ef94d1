package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestNamesAreOfTheNetworksTheyWereGivenIn(t *testing.T) {
	var s store
	s.put(network{id: "first"}, "default", names{"ledger": "aaa"}, 5)
	s.put(network{id: "first"}, "default", names{"ledger": "aaa", "bank": "bbb"}, 8)
	from := func(height uint64) network {
		return network{id: "second", ancestors: []*controlv1.Ancestor{{NetworkId: "first", Height: height}}}
	}
	for _, c := range []struct {
		about network
		want  names
	}{
		{network{id: "first"}, names{"ledger": "aaa", "bank": "bbb"}},
		{network{id: "second"}, names{}},
		{from(4), names{}},
		{from(5), names{"ledger": "aaa"}},
		{from(8), names{"ledger": "aaa", "bank": "bbb"}},
	} {
		if live := s.live(c.about); !maps.Equal(live, c.want) {
			t.Errorf("%s of %v has %v, want %v", c.about.id, c.about.ancestors, live, c.want)
		}
	}
	for range maxStored {
		s.put(network{id: s.Networks[len(s.Networks)-1].ID + "x"}, "default", nil, 0)
	}
	if len(s.Networks) != maxStored || s.of("first") != nil {
		t.Errorf("%d networks are remembered, the first: %v", len(s.Networks), s.of("first"))
	}
}

func TestIDsWithoutANetworkAreNotUsed(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, namesFile, `{"default": {"bank": "7tjcv-pp777-77776-qaaaa-cai"}}`)
	s, err := readStore(".")
	if err != nil || len(s.instances()) != 0 {
		t.Errorf("a file of an earlier version has %v (%v)", s.instances(), err)
	}
}

func TestNamesOfCanistersAreKeptInTheFolderItself(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	s := &store{Networks: []storedNetwork{{ID: "n", Canisters: map[string]storedCanister{"a": {ID: "aaaaa-aa"}}}}}
	if err := s.write(elsewhere); err != nil {
		t.Fatal(err)
	}
	if ignored := mustRead(t, filepath.Join(elsewhere, ".canisterd", ".gitignore")); ignored != "*\n" {
		t.Errorf("git ignores %q", ignored)
	}
	if err := os.Symlink(filepath.Join(elsewhere, ".canisterd"), filepath.Join(here, ".canisterd")); err != nil {
		t.Skipf("no links: %v", err)
	}
	const want = ".canisterd is a link: remove it"
	if _, err := readStore(here); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("reading: %v", err)
	}
	if err := s.write(here); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("writing: %v", err)
	}
}
