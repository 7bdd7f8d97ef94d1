package component

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Trap says why a call ended without a result. The instance cannot be called afterwards.
type Trap struct {
	Reason string
	cause  error // of the engine, if core code trapped
}

func (t *Trap) Error() string { return "wasm trap: " + t.Reason }

// Unwrap gives the engine's error, which has a backtrace.
func (t *Trap) Unwrap() error { return t.cause }

// trap ends the running call. It unwinds through the engine, which gives it to the caller of the core function as an error.
func trap(format string, args ...any) {
	panic(&Trap{Reason: reason(format, args...)})
}

// rethrow ends the running call with the error of a core function that it called.
func rethrow(err error) {
	if err != nil {
		panic(trapOf(err))
	}
}

// trapOf gives the trap that an error of the engine is. The engine makes errors of panics, too: those of bugs go on.
func trapOf(err error) *Trap {
	var bug runtime.Error
	if errors.As(err, &bug) {
		panic(fmt.Errorf("running a component: %w", err))
	}
	t := new(Trap)
	if errors.As(err, &t) {
		return t
	}
	text, _, _ := strings.Cut(err.Error(), "\n") // a backtrace follows
	return &Trap{Reason: short(strings.TrimPrefix(text, "wasm error: "), maxShownReason), cause: err}
}

// trapped is deferred by the entry points that run components.
func trapped(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *Trap:
		*err = fault
	default:
		panic(fault)
	}
}
