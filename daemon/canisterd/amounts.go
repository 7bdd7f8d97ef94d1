package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd/daemon"
)

// byteCount is a number of bytes as flags and canisterd.yaml take it: digits, or with a unit as 512MiB.
type byteCount uint64

// Set reads it.
func (b *byteCount) Set(text string) error {
	n, err := daemon.ParseBytes(strings.ReplaceAll(text, "_", ""))
	if err != nil {
		return fmt.Errorf("%q is not a number of bytes: write 1048576, or 512MiB, with KiB, MiB, GiB or TiB", text)
	}
	*b = byteCount(n)
	return nil
}

// String is the number.
func (b *byteCount) String() string { return strconv.FormatUint(uint64(*b), 10) }

// Type is what help shows.
func (b *byteCount) Type() string { return "bytes" }

// UnmarshalYAML reads it.
func (b *byteCount) UnmarshalYAML(node *yaml.Node) error { return scalar(node, b.Set) }

// secondCount is a number of seconds: digits, or a duration as 30d.
type secondCount uint64

// Set reads it.
func (s *secondCount) Set(text string) error {
	if n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64); err == nil {
		*s = secondCount(n)
		return nil
	}
	d, err := parseDuration(text)
	if err != nil || d%time.Second != 0 {
		return fmt.Errorf("%q is not a number of seconds: write 2592000, or 30d, with w, d, h, m or s", text)
	}
	*s = secondCount(d / time.Second)
	return nil
}

// String is the number.
func (s *secondCount) String() string { return strconv.FormatUint(uint64(*s), 10) }

// Type is what help shows.
func (s *secondCount) Type() string { return "duration" }

// UnmarshalYAML reads it.
func (s *secondCount) UnmarshalYAML(node *yaml.Node) error { return scalar(node, s.Set) }

// scalar reads one word of a YAML file.
func scalar(node *yaml.Node, set func(string) error) error {
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: one value is expected here", node.Line)
	}
	if err := set(node.Value); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}
