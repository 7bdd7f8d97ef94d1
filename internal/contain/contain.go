package contain

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/canisterd/canisterd/archive"
)

// Damage reports a page file that has changed since it was written, or cannot be read.
type Damage struct {
	Folder, File string // the state directory, and the file in it
	Err          error
}

// Error names the directory, the file and the commands that help.
func (e *Damage) Error() string {
	return fmt.Sprintf("state directory %q is damaged: %s; stop the daemon, then run canisterd state check to see what is left, and canisterd state repair to continue from it", e.Folder, e.Reason())
}

// Reason returns the error without the directory and the commands, for texts that contain both.
func (e *Damage) Reason() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the file.
func (e *Damage) Unwrap() error { return e.Err }

// Bug is a panic that is not about damage.
type Bug struct {
	Panic any
	Stack []byte // of the panic
}

// Error has the stack.
func (e *Bug) Error() string { return fmt.Sprintf("bug: %v\n%s", e.Panic, e.Stack) }

// Unwrap returns the value of the panic if it is an error.
func (e *Bug) Unwrap() error {
	err, _ := e.Panic.(error)
	return err
}

// Recovered returns the error for the result of recover: a *Damage, a *Bug, or nil if nothing panicked. The deferred
// function that recovers must call it, because it takes the stack.
func Recovered(panicked any) error {
	if panicked == nil {
		return nil
	}
	err, _ := panicked.(error)
	if known := DamageIn(err); known != nil {
		return known
	}
	if bug, ok := errors.AsType[*Bug](err); ok { // of another goroutine, with its stack
		return bug
	}
	return &Bug{panicked, debug.Stack()}
}

// DamageIn returns the damage that an error reports about a page file, nil for none.
func DamageIn(err error) *Damage {
	if known, ok := errors.AsType[*Damage](err); ok {
		return known
	}
	if file, ok := errors.AsType[*archive.PageFileError](err); ok {
		return &Damage{file.Folder, file.File, file.Err}
	}
	return nil
}

// Into is for defer: if the function panics, it returns the error of Recovered, with the error that it had.
func Into(err *error) {
	if failed := Recovered(recover()); failed != nil {
		*err = errors.Join(failed, *err)
	}
}

// Run runs a function. If it panics, the error is that of Recovered; an error about a page file becomes a *Damage.
func Run(do func() error) (err error) {
	defer Into(&err)
	err = do()
	if _, ok := errors.AsType[*Damage](err); ok {
		return err
	}
	if known := DamageIn(err); known != nil {
		return known
	}
	return err
}

// Do runs a function. If it panics, failed gets the error of Recovered.
func Do(do func(), failed func(error)) {
	if err := Run(func() error { do(); return nil }); err != nil {
		failed(err)
	}
}
