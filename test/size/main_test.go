package main

import "testing"

func TestAFunctionBelongsToTheModuleWithTheLongestPath(t *testing.T) {
	modules := []string{"github.com/canisterd/canisterd", "example.com/a", "example.com/a/b", "example.com/nats.go"}
	for name, want := range map[string]string{
		"main.main":                          modules[0],
		modules[0] + "/replica.(*Node).Run":  modules[0],
		"example.com/a.F":                    "example.com/a",
		"example.com/a/b/c.F":                "example.com/a/b",
		"example.com/ab.F":                   "Go",
		"example.com/nats%2ego.Connect":      "example.com/nats.go",
		"runtime.mallocgc":                   "Go",
		"type:.eq.example.com/a/b.T":         "example.com/a/b",
		"slices.SortFunc[example.com/a.S,T]": "Go",
	} {
		if got := moduleOf(name, modules); got != want {
			t.Errorf("%s belongs to %s, want %s", name, got, want)
		}
	}
}
