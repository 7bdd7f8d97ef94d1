package compile

import (
	"context"
	"os"
	"os/exec"
	"slices"
)

// Flags are the flags of go build for a release. docs/internals/size.md has what they save.
var Flags = []string{
	"-trimpath",
	// Without this tag, package grpc brings the pages of golang.org/x/net/trace, which canisterd does not serve, and with them
	// html/template: it calls methods by their names, and for that the linker keeps all exported methods of all types.
	"-tags=grpcnotrace",
}

// Stripped are the flags of the linker for a release: no symbols for debuggers.
const Stripped = "-s -w"

// Command returns the command that compiles the checkout in the working directory for an operating system and an
// architecture, with flags for the linker. Go writes the commit and its time into the binary.
func Command(ctx context.Context, goos, goarch, linkerFlags, binary string) *exec.Cmd {
	args := slices.Concat([]string{"build", "-buildvcs=true"}, Flags, []string{"-ldflags=" + linkerFlags, "-o", binary, "./cmd/canisterd"})
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=")
	command.Stderr = os.Stderr
	return command
}
