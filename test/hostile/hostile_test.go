package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"time"
)

func TestPausesAreReadFromLinesOfTheCollector(t *testing.T) {
	var s stderrReader
	for _, part := range []string{
		"time=2026 level=INFO msg=serving\n",
		"gc 1 @0.031s 2%: 0.25+1.2+0.05 ms clock, 0.5+0.1/1.0/0.2+0.1 ms cpu, 4->4->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n",
		"gc 2 @1.031s 2%: 0.10+900+37", ".5 ms clock, 0.5+0.1/1.0/0.2+0.1 ms cpu, 4->4->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\nlast",
	} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.longestPause(); got != 37500*time.Microsecond {
		t.Errorf("the longest pause is %s, want 37.5ms", got)
	}
	if got := s.tail(); got != "time=2026 level=INFO msg=serving" {
		t.Errorf("the log is %q", got)
	}
	s.resetPause()
	if got := s.longestPause(); got != 0 {
		t.Errorf("after the reset the longest pause is %s", got)
	}
	for _, line := range []string{"gc: 3", "gc 3 @0.1s 2%: 1+2 ms clock", "gc 3 @0.1s 2%: a+2+3 ms clock"} {
		if _, ok := parseGCTrace(line); ok {
			t.Errorf("%q is taken for a collection", line)
		}
	}
}

// The example of the interface specification ("Request ids").
func TestRequestIDsAreThoseOfTheSpecification(t *testing.T) {
	got := requestID([]field{
		{"request_type", "call"},
		{"sender", []byte{4}},
		{"ingress_expiry", uint64(1685570400000000000)},
		{"canister_id", []byte{0, 0, 0, 0, 0, 0, 4, 0xd2}},
		{"method_name", "hello"},
		{"arg", []byte("DIDL\x00\xfd*")},
	})
	if hex.EncodeToString(got[:]) != "1d1091364d6bb8a6c16b203ee75467d59ead468f523eb058880ae8ec80e2b101" {
		t.Errorf("got %x", got)
	}
}

func TestRowsFailAboveEachLimitAndNotAtIt(t *testing.T) {
	at := row{
		Same: latency{P99: standard.same, Requests: 1}, Other: latency{P99: standard.other, Requests: 1},
		Memory: standard.memory, Back: standard.back, Pause: standard.pause,
	}
	at.check(&standard, false)
	if len(at.Failures) > 0 {
		t.Errorf("at its limits a row fails: %v", at.Failures)
	}
	for want, change := range map[string]func(*row){
		"same instance p99":             func(r *row) { r.Same.P99++ },
		"other instance p99":            func(r *row) { r.Other.P99++ },
		"memory 640 MiB":                func(r *row) { r.Memory++ },
		"after 5.0 s":                   func(r *row) { r.Back++ },
		"GC pause":                      func(r *row) { r.Pause++ },
		"same instance: 1 of 1":         func(r *row) { r.Same.Failed++ },
		"other instance: nothing was":   func(r *row) { r.Other.Requests = 0 },
		"other instance: 1 of 1 reques": func(r *row) { r.Other.Failed++ },
	} {
		r := at
		change(&r)
		r.check(&standard, false)
		if len(r.Failures) != 1 || !strings.Contains(r.Failures[0], want) {
			t.Errorf("%s: the row says %q", want, r.Failures)
		}
	}
}

func TestInTheShortVersionLimitsOfLatenciesAreWiderAndGrowWithTheQuietOnes(t *testing.T) {
	quiet := latency{P99: 30 * time.Millisecond}
	at := row{
		Same: latency{P99: 500 * time.Millisecond, Requests: 1}, QuietSame: quiet,
		Other: latency{P99: 150 * time.Millisecond, Requests: 1}, QuietOther: quiet,
	}
	at.check(&standard, true)
	if len(at.Failures) > 0 {
		t.Errorf("at its limits a row fails: %v", at.Failures)
	}
	for want, short := range map[string]bool{"other instance p99 150.0 ms > 50.0": false, "other instance p99 150.0 ms > 150.0": true} {
		r := at
		r.Same.P99, r.Other.P99 = standard.same, r.Other.P99+1
		r.check(&standard, short)
		if len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0], want) {
			t.Errorf("the row says %q, want %q", r.Failures, want)
		}
	}
	at.Same.P99++
	at.check(&standard, true)
	if want := "same instance p99 500.0 ms > 500.0"; len(at.Failures) != 1 || !strings.HasPrefix(at.Failures[0], want) {
		t.Errorf("the row says %q, want %q", at.Failures, want)
	}
}

func TestMemoryIsBackUpTo64MiBAboveWhatItWas(t *testing.T) {
	for after, want := range map[int64]bool{1_000: true, 67_109_864: true, 67_109_865: false} {
		if r := (&row{Quiet: 1_000, After: after}); r.isBack() != want {
			t.Errorf("%d bytes after 1000: back is %t", after, r.isBack())
		}
	}
}

func TestPercentilesAreOfAllRequests(t *testing.T) {
	var s series
	for i := range 200 {
		s.add(time.Duration(200-i), nil)
	}
	if p50, p99 := s.percentile(50), s.percentile(99); p50 != 101 || p99 != 199 {
		t.Errorf("p50 is %d, p99 is %d", p50, p99)
	}
	if got := new(series).percentile(99); got != 0 {
		t.Errorf("of nothing it is %d", got)
	}
}

func TestAttacksHaveNamesReasonsAndLimits(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range attacks() {
		if a.name == "" || a.why == "" || a.run == nil || seen[a.name] {
			t.Errorf("attack %q lacks something or is there twice", a.name)
		}
		seen[a.name] = true
		if l := a.limits; l.same == 0 || l.other == 0 || l.memory == 0 || l.back == 0 || l.pause == 0 {
			t.Errorf("attack %s lacks a limit", a.name)
		}
	}
	for name, why := range leftOut {
		if !seen[name] || why == "" {
			t.Errorf("%q is left out and no attack, or without a reason", name)
		}
	}
	if len(seen) < 15 {
		t.Errorf("there are only %d attacks", len(seen))
	}
}

func TestTheTableSaysWhichRowFailed(t *testing.T) {
	var out bytes.Buffer
	rows := []row{{Name: "calm", Same: latency{P99: 3 * time.Millisecond}, QuietSame: latency{P99: 2 * time.Millisecond}}, {Name: "wild", Failures: []string{"too much"}}}
	if err := printTable(&out, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "ok") || !strings.Contains(lines[1], "1.5") || !strings.Contains(lines[2], "FAILED") || lines[3] != "wild: too much" {
		t.Errorf("the table says\n%s", out.String())
	}
}

func TestFramesHaveTheLayoutOfHTTP2(t *testing.T) {
	request := http2Request{head: []byte("head"), body: []byte("body")}
	want := "\x00\x00\x04\x01\x04\x00\x00\x01\x03head" + "\x00\x00\x04\x00\x01\x00\x00\x01\x03body" + "\x00\x00\x04\x03\x00\x00\x00\x01\x03\x00\x00\x00\x08"
	if got := string(request.appendReset(nil, 0x103)); got != want {
		t.Errorf("a request and its reset are %q, want %q", got, want)
	}
	// RFC 7541, C.1.2 and C.2.2.
	if got := literal(strings.Repeat("x", 1337))[:3]; got != "\x7f\xba\x09" {
		t.Errorf("a text of 1,337 bytes begins with %x", got)
	}
	if got := fieldPath + literal("/sample/path"); got != "\x04\x0c/sample/path" {
		t.Errorf("a literal is %q", got)
	}
}

func TestABodyForPathsHasAllOfThem(t *testing.T) {
	body := string(readState([][][]byte{{[]byte("time")}, {[]byte("canister"), {1, 2}}}))
	if want := "\x65paths\x82\x81\x44time\x82\x48canister\x42\x01\x02"; !strings.Contains(body, want) {
		t.Errorf("the body is %q, without %q", body, want)
	}
}

func TestABlobOfZerosInflatesToItsSize(t *testing.T) {
	packed := gzipOfZeros(128 << 20)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); n != 128<<20 || err != nil || len(packed) > 256<<10 {
		t.Errorf("%d bytes inflate to %d: %v", len(packed), n, err)
	}
}
