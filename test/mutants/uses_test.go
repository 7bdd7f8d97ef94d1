package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	for constant, want := range map[string]string{
		"MaxA": "MaxA MaxB table", "MaxB": "MaxB table", "MaxC": "MaxC", "MaxD": "MaxD check most", "MaxE": "MaxE",
	} {
		got := u.target(mutant{file: "a/limits.go", subject: constant, constant: true})
		if names := strings.Join(slices.Sorted(maps.Keys(got.names)), " "); names != want || got.subject != constant {
			t.Errorf("%s defines %s, want %s", constant, names, want)
		}
	}
}
