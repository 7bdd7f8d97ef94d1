package quantity

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Bytes is a number of bytes as flags and canisterd.yaml take it: digits, or with a unit as 512MiB.
type Bytes uint64

// Set reads it.
func (b *Bytes) Set(text string) error {
	n, err := ParseBytes(strings.ReplaceAll(text, "_", ""))
	if err != nil {
		return fmt.Errorf("invalid size %q: expected a number of bytes, such as 1048576, or one with KiB, MiB, GiB or TiB, such as 512MiB", text)
	}
	*b = Bytes(n)
	return nil
}

// String is the number.
func (b *Bytes) String() string { return strconv.FormatUint(uint64(*b), 10) }

// Type is what help shows.
func (b *Bytes) Type() string { return "bytes" }

// UnmarshalYAML reads it.
func (b *Bytes) UnmarshalYAML(node *yaml.Node) error { return scalar(node, b.Set) }

// Seconds is a number of seconds: digits, or a duration as 30d.
type Seconds uint64

// Set reads it.
func (s *Seconds) Set(text string) error {
	if n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64); err == nil {
		*s = Seconds(n)
		return nil
	}
	d, err := ParseDuration(text)
	if err != nil || d%time.Second != 0 {
		return fmt.Errorf("invalid duration %q: expected a number of seconds, such as 2592000, or one with w, d, h, m or s, such as 30d", text)
	}
	*s = Seconds(d / time.Second)
	return nil
}

// String is the number.
func (s *Seconds) String() string { return strconv.FormatUint(uint64(*s), 10) }

// Type is what help shows.
func (s *Seconds) Type() string { return "duration" }

// UnmarshalYAML reads it.
func (s *Seconds) UnmarshalYAML(node *yaml.Node) error { return scalar(node, s.Set) }

// Instructions is a number of instructions: digits, or with a unit as 2.5M, and the word instructions after it or not.
type Instructions uint64

// Set reads it.
func (i *Instructions) Set(text string) error {
	number := strings.TrimSpace(strings.TrimSuffix(text, "instructions"))
	digits, ok := decimal(number)
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		return fmt.Errorf("invalid number of instructions %q: expected one such as 2_000_000 instructions, or with k, M, G or T, such as 2.5M", text)
	}
	*i = Instructions(n)
	return nil
}

// String is the number.
func (i *Instructions) String() string { return strconv.FormatUint(uint64(*i), 10) }

// UnmarshalYAML reads it.
func (i *Instructions) UnmarshalYAML(node *yaml.Node) error { return scalar(node, i.Set) }

// scalar reads one word of a YAML file.
func scalar(node *yaml.Node, set func(string) error) error {
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: expected one value", node.Line)
	}
	if err := set(node.Value); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}

// ParseBytes reads a number of bytes: 1073741824, 1GiB, 512MiB, 64KiB.
func ParseBytes(text string) (int64, error) {
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if before, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = before, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 63)
	if err != nil || bits.Len64(n)+shift > 63 || n > math.MaxInt64 {
		return 0, fmt.Errorf("invalid size %q: expected a number of bytes, such as 1048576, or one with KiB, MiB, GiB or TiB, such as 512MiB", text)
	}
	return int64(n) << shift, nil
}

// ParseCycles reads an amount with or without a unit (k M G T P) as decimal digits; nothing for no text.
func ParseCycles(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	amount, ok := decimal(text)
	if !ok {
		return "", fmt.Errorf("invalid amount of cycles %q: expected a number, optionally followed by k, M, G, T or P, such as 1.5T", text)
	}
	return amount, nil
}

// decimal returns a number with or without a unit (k M G T P) as decimal digits, and false if it is not a whole number.
func decimal(text string) (string, bool) {
	digits, zeros := text, 0
	for i, unit := range []string{"k", "M", "G", "T", "P"} {
		if before, found := strings.CutSuffix(text, unit); found {
			digits, zeros = before, 3*(i+1)
		}
	}
	whole, part, _ := strings.Cut(strings.ReplaceAll(digits, "_", ""), ".")
	part = strings.TrimRight(part, "0")
	all := whole + part
	if strings.Trim(all, "0123456789") != "" || whole == "" || len(part) > zeros {
		return "", false
	}
	amount := strings.TrimLeft(all+strings.Repeat("0", zeros-len(part)), "0")
	if amount == "" {
		amount = "0"
	}
	return amount, true
}

// ParseDuration is time.ParseDuration with days and weeks.
func ParseDuration(text string) (time.Duration, error) {
	var total time.Duration
	rest := text
	for _, unit := range []struct {
		name  string
		hours int64
	}{{"w", 7 * 24}, {"d", 24}} {
		count, after, found := strings.Cut(rest, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(count, 10, 31)
		if err != nil || int64(n) > maxHours/unit.hours {
			return 0, fmt.Errorf("invalid duration %q: expected 7d, 1w2d, 90m or 1.5s", text)
		}
		total += time.Duration(int64(n)*unit.hours) * time.Hour
		rest = after
	}
	if rest == "" && rest != text {
		return total, nil
	}
	small, err := time.ParseDuration(rest)
	if err != nil || small < 0 || total+small < total {
		return 0, fmt.Errorf("invalid duration %q: expected 7d, 1w2d, 90m or 1.5s", text)
	}
	return total + small, nil
}

// maxHours is what a time.Duration holds at most.
const maxHours = int64(1<<63-1) / int64(time.Hour)
