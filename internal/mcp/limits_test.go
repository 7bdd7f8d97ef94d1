package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAShortTraceHasFourteenLines(t *testing.T) {
	fourteen := strings.Repeat("a line   round 5  100 instructions\n", 14)
	if got := shortTrace(fourteen); got != strings.Repeat("a line\n", 14) {
		t.Errorf("the trace is\n%s", got)
	}
	if got := shortTrace(fourteen + "one\nmore\n"); got != strings.Repeat("a line\n", 14)+"… 2 more lines (full: true)\n" {
		t.Errorf("the trace is\n%s", got)
	}
}

func TestAnAnswerListsTwentyCanisters(t *testing.T) {
	n := &names{ids: map[string]string{}}
	for i := range 22 {
		n.ids[fmt.Sprintf("c%02d", i)] = "aaaaa-aa"
		want := max(0, i+1-20)
		if listed, more := n.listed(); more != want || len(listed) != i+1-want || listed[len(listed)-1] != fmt.Sprintf("c%02d", i-want) {
			t.Errorf("of %d canisters it lists %v, and %d more", i+1, listed, more)
		}
	}
}

func TestAHundredFindingsAreRemembered(t *testing.T) {
	s := &Server{}
	for i := range 102 {
		s.rememberFinding(&finding{file: fmt.Sprint(i)})
	}
	s.rememberFinding(&finding{file: "50", schedule: "newer"})
	if first, last := s.findings[0], s.findings[len(s.findings)-1]; len(s.findings) != 100 || first.file != "2" || last.schedule != "newer" {
		t.Errorf("%d findings are remembered, from %s to %s", len(s.findings), first.file, last.file)
	}
}

func TestAnExplorationTakesAMinuteByDefault(t *testing.T) {
	for seconds, want := range map[uint32]time.Duration{0: time.Minute, 5: 5 * time.Second} {
		if got := (exploreInput{Seconds: seconds}).limit(); got != want {
			t.Errorf("with %d seconds it takes %s, want %s", seconds, got, want)
		}
	}
}
