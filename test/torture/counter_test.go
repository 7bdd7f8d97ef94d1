package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// operationAt is an operation between two times; answered with a count, or not (-1).
func operationAt(call, end int64, what operation, answer int) porcupine.Operation {
	o := porcupine.Operation{Input: what, Call: call, Return: end}
	if answer >= 0 {
		o.Output = uint64(answer)
	}
	return o
}

func TestAHistoryThatIsNotOfACounterIsFound(t *testing.T) {
	for _, c := range []struct {
		what    string
		history []porcupine.Operation
		last    uint64 // the count after the next start
		wrong   bool
	}{
		{"one after the other", []porcupine.Operation{operationAt(0, 1, adds, 1), operationAt(2, 3, reads, 1), operationAt(4, 5, adds, 2)}, 2, false},
		{"side by side, in the other order", []porcupine.Operation{operationAt(0, 9, adds, 2), operationAt(1, 8, adds, 1), operationAt(2, 7, reads, 1)}, 2, false},
		{"an update without an answer that took effect", []porcupine.Operation{operationAt(0, 1, adds, -1), operationAt(2, 3, adds, 2)}, 2, false},
		{"an update without an answer that took no effect", []porcupine.Operation{operationAt(0, 1, adds, -1), operationAt(2, 3, adds, 1)}, 1, false},
		{"a lost update", []porcupine.Operation{operationAt(0, 1, adds, 1), operationAt(2, 3, adds, 2)}, 1, true},
		{"an update that was done twice", []porcupine.Operation{operationAt(0, 1, adds, 1)}, 2, true},
		{"an answer that was given twice", []porcupine.Operation{operationAt(0, 1, adds, 1), operationAt(2, 3, adds, 1)}, 1, true},
		{"a query that does not see an update before it", []porcupine.Operation{operationAt(0, 1, adds, 1), operationAt(2, 3, reads, 0)}, 1, true},
		{"a query that sees an update that is gone later", []porcupine.Operation{operationAt(0, 9, adds, -1), operationAt(1, 2, reads, 1)}, 0, true},
	} {
		counted := counter{history: c.history}
		err := counted.check(func() ([]byte, error) { return answerOf(c.last, c.last), nil })
		if (err != nil) != c.wrong || err != nil && !strings.Contains(err.Error(), "is not linearizable") {
			t.Errorf("%s: %v", c.what, err)
		}
		if err == nil && (counted.from != c.last || counted.checked != len(c.history)+1 || len(counted.history) > 0) {
			t.Errorf("%s: the next history begins at %d with %d operations", c.what, counted.from, len(counted.history))
		}
	}
}

func TestAnOperationWithoutAnAnswerIsInTheHistory(t *testing.T) {
	c := &counter{}
	failed := errors.New("the daemon is gone")
	for _, what := range []operation{adds, reads} {
		if err := c.do(1, what, func() ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := c.do(1, adds, func() ([]byte, error) { return answerOf(3, 4), nil }); err == nil {
		t.Error("an update that was done in part is taken")
	}
	if len(c.history) != 2 || c.history[0].Output != nil || c.history[1].Output != nil {
		t.Errorf("the history is %+v", c.history)
	}
}
