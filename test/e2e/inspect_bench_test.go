//go:build clients && inspect

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// frameBound is how long script, style and layout of a frame may take: half of a frame of a display with 60 a second.
const frameBound = 8 * time.Millisecond

// frameLimit is how many times as long as a frame of plain rows a frame may take. It is 3.7 on a quiet machine; the rest
// is for the floor, which is about 1 ms, so that a short interruption changes it by more than the frame.
const frameLimit = 6

// BenchmarkRatioFrameOfTheInspector is the median of the frames in which the page Now scrolls the 16,384 events that an
// instance remembers; the floor is a page of as many plain rows.
func BenchmarkRatioFrameOfTheInspector(b *testing.B) {
	home := b.TempDir()
	b.Setenv("XDG_DATA_HOME", home)
	d := start(b, "--state-dir", filepath.Join(home, "state"))
	plan := &inspectPlan{Binary: d.binary, URL: d.url, Project: b.TempDir(), Screens: b.TempDir(), IDs: map[string]string{}}
	inspectProject(b, d, plan)
	text, err := json.Marshal(plan)
	if err != nil {
		b.Fatal(err)
	}
	var drawn, floor []float64
	for b.Loop() {
		node := exec.Command("node", "frames.mjs")
		node.Dir = "inspect"
		node.Env = append(os.Environ(), "CANISTERD_PLAN="+string(text))
		var errOut bytes.Buffer
		node.Stderr = &errOut
		if out, err := node.Output(); err != nil {
			b.Fatalf("%v\n%s%s", err, out, errOut.String())
		}
		var frames struct{ Drawn, Floor []float64 } // ms
		if err := json.Unmarshal(errOut.Bytes(), &frames); err != nil {
			b.Fatalf("%v in\n%s", err, errOut.String())
		}
		drawn, floor = append(drawn, frames.Drawn...), append(floor, frames.Floor...)
	}
	sorted := slices.Sorted(slices.Values(drawn))
	ratio.Report(b, frameLimit, medianOf(drawn)*1e6, medianOf(floor)*1e6)
	b.ReportMetric(float64(frameBound), "bound-ns")
	b.ReportMetric(sorted[len(sorted)*99/100]*1e6, "p99-ns")
}

// medianOf returns the median of values.
func medianOf(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
