package quantity

import (
	"testing"
	"time"
)

func TestDurationsHaveDaysAndWeeks(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"7d": 7 * 24 * time.Hour, "1w": 7 * 24 * time.Hour, "1w2d": 9 * 24 * time.Hour, "1d12h": 36 * time.Hour,
		"90m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond, "0s": 0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "7", "-1s", "1.5d", "2d1w", "99999999w", "106751d24h", "1x", "9223372036854775807ns1d"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestCyclesHaveUnits(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "0": "0", "5T": "5000000000000", "1.5T": "1500000000000", "100": "100", "1_000k": "1000000", "0.000T": "0", "007": "7",
	} {
		if got, err := ParseCycles(text); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"many", "-1", "1.5", "T", ".5T", "1.0005k", "1e3", "5 T", "1.2.3T"} {
		if got, err := ParseCycles(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestInstructionsHaveUnitsAndAWord(t *testing.T) {
	for text, want := range map[string]Instructions{
		"2_000_000 instructions": 2_000_000, "2M": 2_000_000, "2.5M instructions": 2_500_000, "40000000000": 40_000_000_000, "50k": 50_000, "0": 0,
	} {
		var got Instructions
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "instructions", "-1", "many", "1.5", "2 M", "2_000_000 cycles", "20000000T"} {
		var got Instructions
		if err := got.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestNumbersOfBytesAreReadWithTheirUnits(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "4GiB": 4 << 30, "64 KiB": 64 << 10, "1073741824": 1 << 30, "1TiB": 1 << 40} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1MiB", "1.5GiB", "4GB", "9223372036854775808", "8388608TiB"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
