package contain_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/internal/contain"
)

var damaged = &archive.PageFileError{Folder: "/state", File: "pages-1", Err: io.ErrUnexpectedEOF}

func TestAPanicAboutAPageFileIsDamageThatNamesTheFileAndTheRemedy(t *testing.T) {
	for what, do := range map[string]func() error{
		"a panic":             func() error { panic(damaged) },
		"a wrapped panic":     func() error { panic(fmt.Errorf("wasm: make guest resident: %w", damaged)) },
		"an error":            func() error { return damaged },
		"a wrapped error":     func() error { return fmt.Errorf("writing a checkpoint: %w", damaged) },
		"damage, once again":  func() error { panic(&contain.Damage{Folder: "/state", File: "pages-1", Err: io.ErrUnexpectedEOF}) },
		"a panic beside that": func() (err error) { defer contain.Into(&err); panic(damaged) },
	} {
		err := contain.Run(do)
		found, ok := errors.AsType[*contain.Damage](err)
		const want = `state directory "/state" is damaged: pages-1: unexpected EOF; stop the daemon, then run canisterd state check`
		if !ok || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(found.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAnyOtherPanicIsABugWithTheStackOfItsPlace(t *testing.T) {
	err := contain.Run(func() error { return breaks(nil) })
	bug, ok := errors.AsType[*contain.Bug](err)
	if !ok || !strings.Contains(err.Error(), "nil map") || !strings.Contains(string(bug.Stack), "contain_test.breaks") {
		t.Errorf("%v", err)
	}
	passed := contain.Run(func() error { panic(bug) })
	if again, ok := errors.AsType[*contain.Bug](passed); !ok || again != bug {
		t.Errorf("a bug that another goroutine passes on loses its stack: %v", passed)
	}
}

func breaks(m map[string]int) error {
	m["a"] = 1
	return nil
}

func TestAFunctionThatDoesNotPanicReturnsItsError(t *testing.T) {
	if err := contain.Run(func() error { return io.EOF }); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Errorf("%v", err)
	}
	contain.Do(func() {}, func(err error) { t.Errorf("nothing panicked: %v", err) })
	failed := error(nil)
	contain.Do(func() { panic("so") }, func(err error) { failed = err })
	if _, ok := errors.AsType[*contain.Bug](failed); !ok {
		t.Errorf("a panic is reported as %v", failed)
	}
}
