//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAProcessThatATestLeavesBehindIsKilled(t *testing.T) {
	tester, err := newTester(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "beats")
	const left = `(while :; do echo beat >>"$0"; sleep 0.02; done) >/dev/null 2>&1 & while ! [ -s "$0" ]; do sleep 0.02; done`
	if out, err := tester.command(t.Context(), "sh", "-c", left, file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if after, err := os.Stat(file); err != nil || after.Size() != before.Size() {
		t.Errorf("the process goes on: %d bytes, %d before, %v", after.Size(), before.Size(), err)
	}
}
