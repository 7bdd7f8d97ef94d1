package introspect

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTimesOfDifferencesAreThoseOfTheCalendar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ns := rapid.Uint64Range(1, 1<<63-1).Draw(rt, "ns")
		if got, want := timeText(ns), time.Unix(0, int64(ns)).UTC().Format(time.RFC3339Nano); got != want {
			rt.Errorf("%d is written as %s, it is %s", ns, got, want)
		}
	})
	for year := range 293 {
		for _, day := range []int{59, 60, 365} {
			at := time.Date(1970+year, 1, day, 23, 59, 59, 0, time.UTC)
			if at.Year() > 2261 {
				break
			}
			if got, want := timeText(uint64(at.UnixNano())), at.Format(time.RFC3339Nano); got != want {
				t.Errorf("%s is written as %s", want, got)
			}
		}
	}
}
