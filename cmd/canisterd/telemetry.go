package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

// telemetryFlags set what the daemon logs, and where it sends spans.
type telemetryFlags struct {
	format, level, otlp string
	verbose             bool
}

// The values of --log-format and --log-level.
var (
	logFormats = []string{"text", "json"}
	logLevels  = []string{"debug", "info", "warn", "error"}
)

func (f *telemetryFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "log-format", logFormats[0], "format of the log on standard error: text (key=value) or json, one object per line (docs/observability.md)")
	flags.StringVar(&f.level, "log-level", "", "lowest level to log: debug, info, warn or error (default: info, or warn with --json)")
	flags.BoolVar(&f.verbose, "verbose", false, "log all requests and events of instances, as --log-level debug does")
	flags.StringVar(&f.otlp, "otlp-endpoint", "", "send a trace of every message to this OpenTelemetry collector, such as http://127.0.0.1:4318 (default: none; environment: OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables)")
}

// logger returns the log of the flags. quiet is for programs that read results and want no messages.
func (f *telemetryFlags) logger(to io.Writer, quiet bool) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	level := strings.ToLower(f.level)
	switch {
	case level != "":
		var given slog.Level
		if !slices.Contains(logLevels, level) || given.UnmarshalText([]byte(level)) != nil {
			return nil, fmt.Errorf("invalid --log-level %q: expected %s", f.level, strings.Join(logLevels, ", "))
		}
		options.Level = given
	case f.verbose:
		options.Level = slog.LevelDebug
	case quiet:
		options.Level = slog.LevelWarn
	}
	switch f.format {
	case "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return nil, fmt.Errorf("invalid --log-format %q: expected %s", f.format, strings.Join(logFormats, ", "))
}

// spans returns where the flags and the environment send spans.
func (f *telemetryFlags) spans() (daemon.Spans, error) {
	spans, err := daemon.SpansFromEnvironment(f.otlp, os.Getenv)
	if err != nil && f.otlp != "" {
		return spans, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	return spans, err
}
