package main

import "testing"

func TestALineOfProgressHasRoomInTheTerminal(t *testing.T) {
	for _, c := range []struct {
		line  string
		cells int
		want  string
	}{
		{"sending größe.wasm", 40, "sending größe.wasm"},
		{"sending größe.wasm", 10, "sending gr"},
		{"a\x1b[2J\nb", 40, "a·[2J·b"},
		{"sending 銀行.wasm", 11, "sending 銀"},
		{"anything", 0, ""},
		{"anything", -1, ""},
	} {
		if got := narrow(c.line, c.cells); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.line, c.cells, got, c.want)
		}
	}
}
