package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// module has a constant with uses of each kind.
var module = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.26\n",
	"a/limits.go": `package a

const (
	MaxA = 1
	MaxB = MaxA + 1
	MaxC = 3
	MaxD = 4
	MaxE = 5
)

type room [MaxC]byte
`,
	"a/a.go": `package a

var table = map[string]int{"b": MaxB}

func Look(s string) int { return table[s] }

func use(n int) bool {
	MaxE := 6
	return n < MaxA && n < MaxE
}
`,
	"b/b.go": `package b

import "example.org/m/a"

const most = a.MaxD

var check = func(n int) bool { return n < a.MaxD }

func Fits(n int) bool { return n < most }
`,
}

func TestAConstantIsFollowedToAllThatItDefines(t *testing.T) {
	root := t.TempDir()
	for path, text := range module {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u, err := readUses(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		constant string
		lines    []string // file and line of each place
		anywhere bool
	}{
		{"MaxA", []string{"a/a.go:5", "a/a.go:9"}, false},
		{"MaxB", []string{"a/a.go:5"}, false},
		{"MaxC", nil, true},
		{"MaxD", []string{"b/b.go:7", "b/b.go:9"}, false},
		{"MaxE", nil, false},
	} {
		got := u.target(mutant{file: "a/limits.go", subject: c.constant, constant: true})
		var lines []string
		for _, p := range got.places {
			lines = append(lines, p.file+":"+string(rune('0'+p.at.Line)))
		}
		if slices.Sort(lines); !slices.Equal(lines, c.lines) || got.anywhere != c.anywhere || !got.names[c.constant] {
			t.Errorf("%s is used at %v (anywhere: %t), want %v (%t)", c.constant, lines, got.anywhere, c.lines, c.anywhere)
		}
	}
}
