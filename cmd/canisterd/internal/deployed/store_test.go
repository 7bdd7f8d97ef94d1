package deployed

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestNamesAreOfTheNetworksTheyWereGivenIn(t *testing.T) {
	var s Store
	s.Put(Network{ID: "first"}, "default", map[string]string{"ledger": "aaa"}, 5)
	s.Put(Network{ID: "first"}, "default", map[string]string{"ledger": "aaa", "bank": "bbb"}, 8)
	from := func(height uint64) Network {
		return Network{ID: "second", Ancestors: []*controlv1.Ancestor{{NetworkId: "first", Height: height}}}
	}
	for _, c := range []struct {
		about Network
		want  map[string]string
	}{
		{Network{ID: "first"}, map[string]string{"ledger": "aaa", "bank": "bbb"}},
		{Network{ID: "second"}, map[string]string{}},
		{from(4), map[string]string{}},
		{from(5), map[string]string{"ledger": "aaa"}},
		{from(8), map[string]string{"ledger": "aaa", "bank": "bbb"}},
	} {
		if live := s.Live(c.about); !maps.Equal(live, c.want) {
			t.Errorf("%s of %v has %v, want %v", c.about.ID, c.about.Ancestors, live, c.want)
		}
	}
	for range maxStored {
		s.Put(Network{ID: s.Networks[len(s.Networks)-1].ID + "x"}, "default", nil, 0)
	}
	if len(s.Networks) != maxStored || s.of("first") != nil {
		t.Errorf("%d networks are remembered, the first: %v", len(s.Networks), s.of("first"))
	}
}

func TestIDsWithoutANetworkAreNotUsed(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, File, `{"default": {"bank": "7tjcv-pp777-77776-qaaaa-cai"}}`)
	s, err := Read(".")
	if err != nil || len(s.Instances()) != 0 {
		t.Errorf("a file of an earlier version has %v (%v)", s.Instances(), err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
