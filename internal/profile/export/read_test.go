package export_test

import (
	"bytes"
	"compress/gzip"
	"math"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

func TestAProfileIsReadAsItWasWritten(t *testing.T) {
	full := withdrawals(3)
	full.Nodes[profile.Root].Weights, full.Folded = calls(0, 12), 4
	for name, p := range map[string]*profile.Profile{
		"usual": withdrawals(1_234_567), "hostile names": attacks(), "deep": recursion(300), "full": full, "empty": {},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := export.Read(bytes.NewReader(written(t, p)))
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, got.Profile, p)
			if again := written(t, got.Profile); p.Folded == 0 && len(p.Nodes) > 0 && name != "usual" && !bytes.Equal(again, written(t, p)) {
				t.Error("the file of the profile that was read differs")
			}
		})
	}
}

func TestAProfileThatWasReadHasTheNamesOfItsCanisters(t *testing.T) {
	p := withdrawals(5)
	p.Nodes[p.Below(profile.Root, profile.Symbol{Canister: unnamed, Name: "f"})].Calls = 1
	got, err := export.Read(bytes.NewReader(written(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := got.Names(bank), got.Names(ledger), got.Names(unnamed); a != "bank" || b != "ledger" || c != "" {
		t.Errorf("the names are %q, %q and %q", a, b, c)
	}
	before, after := export.Text(p, names, 100), export.Text(got.Profile, got.Names, 100)
	if before != after {
		t.Errorf("the tables differ:\n%s\n%s", before, after)
	}
}

func TestAProfileThatPprofWroteAgainIsRead(t *testing.T) {
	p := withdrawals(77)
	one := parsed(t, p)
	merged, err := pprof.Merge([]*pprof.Profile{one, parsed(t, p)})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := merged.Write(&file); err != nil {
		t.Fatal(err)
	}
	got, err := export.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if n, want := got.Instructions(), 2*p.Instructions(); n != want {
		t.Errorf("two profiles together have %d instructions, want %d", n, want)
	}
}

// changed returns the file of a profile after a change of its parts.
func changed(t *testing.T, change func(p *pprof.Profile)) []byte {
	t.Helper()
	p := parsed(t, withdrawals(1))
	change(p)
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestFilesThatAreNoProfilesAreRefusedWithThePartThatIsWrong(t *testing.T) {
	valid := written(t, withdrawals(1))
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "not a compressed pprof file", nil},
		{"text", "not a compressed pprof file", []byte("bank;withdraw 12\n")},
		{"cut off", "decompress", valid[:len(valid)-20]},
		{"no message", "Profile at byte 0 of the unpacked file", zipped(t, []byte{0xff, 0xff})},
		{"cut message", "Profile at byte 0 of the unpacked file: field 2", zipped(t, []byte{0x12, 0x7f, 0})},
		{"number in place of a sample type", "field 1 at byte 0 of the unpacked file has a number in place of a ValueType", zipped(t, []byte{0x08, 1})},
		{"of another program", `no comment "canisterd profile, format 1"`, changed(t, func(p *pprof.Profile) { p.Comments = p.Comments[1:] })},
		{"messages", `comment "messages: many"`, changed(t, func(p *pprof.Profile) { p.Comments[1] = "messages: many" })},
		{"sample types", "no sample type is called cycles", changed(t, func(p *pprof.Profile) { p.SampleType[2].Type = "money" })},
		{"system name", `sample 0: location 2: function 2: system name "bank::withdraw" is not that of a frame`, changed(t, func(p *pprof.Profile) { p.Function[1].SystemName = "bank::withdraw" })},
		{"build id", "sample 0: location 2: mapping 1: its build id is not that of a canister", changed(t, func(p *pprof.Profile) { p.Mapping[0].BuildID = "abc" })},
		{"no mapping", "sample 0: location 2: mapping 0: it is missing", changed(t, func(p *pprof.Profile) { p.Location[1].Mapping = nil })},
		{"no function", "sample 0: location 2: function 99 is missing", changed(t, func(p *pprof.Profile) { p.Location[1].Line[0].Function = &pprof.Function{ID: 99} })},
		{"negative value", "sample 0: its value of instructions is negative", changed(t, func(p *pprof.Profile) { p.Sample[0].Value[0] = -5 })},
		{"sum", "its value of instructions is negative or makes the sum too large", changed(t, func(p *pprof.Profile) {
			for _, s := range p.Sample {
				s.Value[0] = math.MaxInt64
			}
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := export.Read(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestSamplesRefuseMissingLocationsAndWrongNumbersOfValues(t *testing.T) {
	head := unzipped(t, written(t, &profile.Profile{}))
	for want, sample := range map[string][]byte{
		"sample 0: location 77: it is missing":                        {0x12, 12, 0x0a, 1, 77, 0x12, 4, 0, 0, 0, 0, 0x1a, 1, 0},
		"sample 0: it has 3 values, and there are 4 sample types":     {0x12, 5, 0x12, 3, 0, 0, 0},
		"sample 0: it has more values than there are sample types, 4": {0x12, 7, 0x12, 5, 0, 0, 0, 0, 0},
		"sample 0: numbers at byte ":                                  {0x12, 3, 0x0a, 1, 0xff},
		"has a number in place of a Sample":                           {0x10, 1},
		"sample 1: it has 0 values":                                   {0x12, 6, 0x12, 4, 0, 0, 0, 0, 0x12, 0},
		"sample 0: Sample at byte ":                                   {0x12, 1, 0xff},
	} {
		if _, err := export.Read(bytes.NewReader(zipped(t, append(bytes.Clone(head), sample...)))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestSystemNamesThatAreNotThoseOfFramesAreRefused(t *testing.T) {
	for _, name := range []string{
		"", "function", "function f", "function 1", "function 4294967296 f", "function -1 f", "entry update withdraw",
		`entry "update"`, `entry "update"x`, `entry "update withdraw`, `host "ic0`, `host "a"b`, "other x", "root ", "Function 1 f",
	} {
		file := changed(t, func(p *pprof.Profile) { p.Function[1].SystemName = name })
		if _, err := export.Read(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "is not that of a frame") {
			t.Errorf("the error about system name %q is %v", name, err)
		}
	}
}

// zipped returns the compressed form of a file.
func zipped(t testing.TB, unpacked []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(unpacked)
	if err != nil || w.Close() != nil {
		t.Fatal("compressing failed")
	}
	return out.Bytes()
}

func unzipped(t testing.TB, file []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func FuzzRead(f *testing.F) {
	for _, p := range []*profile.Profile{withdrawals(1_234_567), attacks(), recursion(20), {}} {
		f.Add(unzipped(f, written(f, p)))
	}
	f.Fuzz(func(t *testing.T, unpacked []byte) {
		got, err := export.Decode(unpacked)
		if err != nil {
			return
		}
		wantPlain(t, export.Text(got.Profile, got.Names, 50)+export.Tree(got.Profile, got.Names, 0.01))
		var file bytes.Buffer
		if err := export.Encode(&file, got.Profile, got.Names); err != nil {
			t.Fatal(err)
		}
		again, err := export.Decode(file.Bytes())
		if saturates(got.Profile) {
			return
		}
		if err != nil {
			t.Fatalf("a profile that was read and written cannot be read: %v", err)
		}
		wantSame(t, again.Profile, got.Profile)
	})
}

// saturates reports whether a weight of a profile is too large for pprof.
func saturates(p *profile.Profile) bool {
	for i := range p.Nodes {
		if w := &p.Nodes[i].Weights; max(w.Calls, w.Instructions, w.Cycles, w.StableBytes) > math.MaxInt64 {
			return true
		}
	}
	return false
}
