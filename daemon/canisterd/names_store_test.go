package main

import (
	"maps"
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
