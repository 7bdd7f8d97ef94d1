package export_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

// speedscopeFile is what Speedscope reads.
type speedscopeFile struct {
	Schema   string `json:"$schema"`
	Exporter string
	Name     string
	Active   int `json:"activeProfileIndex"`
	Shared   struct {
		Frames []struct{ Name, File string }
	}
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue uint64
		Samples              [][]int
		Weights              []uint64
	}
}

func speedscope(t *testing.T, p *profile.Profile) (text string, file speedscopeFile) {
	t.Helper()
	var out strings.Builder
	if err := export.Speedscope(&out, p, names, "10 withdrawals\x1b[2J"); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(out.String()))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		t.Fatalf("%v:\n%s", err, out.String())
	}
	return out.String(), file
}

func TestASpeedscopeFileHasAProfileOfEachWeightThatOccurs(t *testing.T) {
	p := withdrawals(1_234_567)
	text, file := speedscope(t, p)
	golden.Compare(t, "testdata/speedscope.txt", text)
	want := map[string]uint64{"instructions": p.Instructions(), "cycles": 2_600_000, "stable memory": 4_096}
	if len(file.Profiles) != len(want) {
		t.Fatalf("the file has %d profiles, want %d", len(file.Profiles), len(want))
	}
	for _, p := range file.Profiles {
		sum := uint64(0)
		for i, stack := range p.Samples {
			sum += p.Weights[i]
			for _, frame := range stack {
				if frame <= 0 || frame >= len(file.Shared.Frames) {
					t.Errorf("a stack has the frame %d of %d", frame, len(file.Shared.Frames))
				}
			}
		}
		if sum != want[p.Name] || p.EndValue != sum || len(p.Weights) != len(p.Samples) {
			t.Errorf("the profile of %s has %d of %d, want %d", p.Name, sum, p.EndValue, want[p.Name])
		}
	}
}

func TestASpeedscopeFileOfAnEmptyProfileHasOneProfile(t *testing.T) {
	if text, file := speedscope(t, new(profile.Profile)); len(file.Profiles) != 1 || len(file.Profiles[0].Samples) != 0 {
		t.Errorf("the file is\n%s", text)
	}
}

func TestHostileNamesInASpeedscopeFileArePlain(t *testing.T) {
	text, file := speedscope(t, attacks())
	wantPlain(t, text)
	for _, f := range file.Shared.Frames {
		wantPlain(t, f.Name)
	}
}
