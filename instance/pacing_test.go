package instance

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEveryPacingModeIsDeclaredWhole(t *testing.T) {
	names := map[string]bool{}
	for _, m := range PacingModes() {
		declared := modes[m]
		if declared == nil || m.String() == "" || m.Says() == "" || names[m.String()] {
			t.Fatalf("mode %d is %+v", m, declared)
		}
		names[m.String()] = true
		if driven := declared.newTicker != nil; driven != (declared.byWallClock || declared.rounds == byTicker) {
			t.Errorf("mode %s has a driver: %t", m, driven)
		}
		p, err := Pacing{Mode: m, Interval: time.Minute}.decided()
		if err != nil || (p.Interval == time.Minute) != m.HasInterval() {
			t.Errorf("mode %s with an interval is %+v, %v", m, p, err)
		}
	}
}

func TestAPacingOfNoModeIsRefusedWithTheModes(t *testing.T) {
	_, err := Pacing{Mode: pacingModes}.decided()
	want := fmt.Sprintf("there is no pacing mode %d: the modes are auto, manual, interval, still", pacingModes)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("it is refused with %v, want %s", err, want)
	}
	if got := pacingModes.String(); got != fmt.Sprintf("mode %d", pacingModes) {
		t.Errorf("it is called %q", got)
	}
}
