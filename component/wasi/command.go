package wasi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// Exit is the error with which a call ends if the program exits: [errors.AsType] finds it in the trap.
type Exit struct{ Code uint8 }

func (e *Exit) Error() string { return fmt.Sprintf("the program exited with code %d", e.Code) }

// Command gives the name of the function that runs a program; empty if the component is none.
func Command(c *component.Component) string {
	for _, e := range c.Exports() {
		name, version, _ := strings.Cut(e.Name, "@")
		if e.Sort == "instance" && name == "wasi:cli/run" && (track(version) == "0.2" || track(version) == "0.3") {
			return e.Name + "#run"
		}
	}
	return ""
}

// Run runs a program ([Command]) in an instance, and gives its exit code: 0, or 1 if it failed, or the one that it exited with.
// Another trap is an error.
func Run(ctx context.Context, i *component.Instance, command string) (code uint8, err error) {
	result, err := i.Call(ctx, command)
	exit := new(Exit)
	switch {
	case errors.As(err, &exit):
		return exit.Code, nil
	case err != nil:
		return 0, err
	}
	switch ended, ok := result.(component.Variant); {
	case !ok || ended.Payload != nil || ended.Case > 1:
		return 0, fmt.Errorf("%s has another result than a program of WASI", command)
	default:
		return uint8(ended.Case), nil
	}
}
