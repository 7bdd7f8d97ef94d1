package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
)

func TestTheLogHasTheFormatAndTheLevelOfItsFlags(t *testing.T) {
	for _, c := range []struct {
		flags telemetryFlags
		quiet bool
		least slog.Level
	}{
		{telemetryFlags{format: "text"}, false, slog.LevelInfo},
		{telemetryFlags{format: "text"}, true, slog.LevelWarn},
		{telemetryFlags{format: "json", verbose: true}, true, slog.LevelDebug},
		{telemetryFlags{format: "json", level: "error", verbose: true}, false, slog.LevelError},
		{telemetryFlags{format: "text", level: "Debug"}, false, slog.LevelDebug},
	} {
		var out bytes.Buffer
		log, err := c.flags.logger(&out, c.quiet)
		if err != nil {
			t.Fatal(err)
		}
		if ctx := t.Context(); !log.Enabled(ctx, c.least) || log.Enabled(ctx, c.least-1) {
			t.Errorf("%+v does not log from %s on", c.flags, c.least)
		}
		log.Error("said", "canister", "aaaaa-aa")
		if is := json.Valid(out.Bytes()); is != (c.flags.format == "json") || !strings.Contains(out.String(), "aaaaa-aa") {
			t.Errorf("%+v logs %s", c.flags, &out)
		}
	}
	for want, flags := range map[string]telemetryFlags{
		`invalid --log-format "xml": expected text, json`:               {format: "xml"},
		`invalid --log-level "loud": expected debug, info, warn, error`: {format: "text", level: "loud"},
		`invalid --log-level "info+1": expected debug`:                  {format: "text", level: "info+1"},
	} {
		if _, err := flags.logger(new(bytes.Buffer), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", flags, err, want)
		}
	}
}

func TestStartRefusesAnInvalidCollector(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"start", "--otlp-endpoint", "collector"}, &out, &out); code != exitFailed || !strings.Contains(out.String(), `--otlp-endpoint: invalid OTLP endpoint "collector"`) {
		t.Errorf("exit code %d: %s", code, &out)
	}
}

func TestHealthFailsWithoutADaemonAndWithAFailedInstance(t *testing.T) {
	d := serving(t, daemon.Control{})
	check := func() (code int, text string) {
		var out bytes.Buffer
		code = run(eventually.Context(t), []string{"--url", d.URL(), "health"}, &out, &out)
		return code, out.String()
	}
	if code, text := check(); code != exitOK || !strings.Contains(text, "is healthy") {
		t.Errorf("of a daemon that runs: exit code %d: %s", code, text)
	}
	if err := d.Driver().Do(eventually.Context(t), func(*replica.Network) { panic("a bug of this test") }); err == nil {
		t.Fatal("the bug was not noticed")
	}
	if code, text := check(); code != exitFailed || !strings.Contains(text, "status 503") || !strings.Contains(text, "default has failed") {
		t.Errorf("of a daemon whose instance has failed: exit code %d: %s", code, text)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if code, text := check(); code != exitFailed || !strings.Contains(text, "no daemon answers at "+d.URL()) {
		t.Errorf("without a daemon: exit code %d: %s", code, text)
	}
}
