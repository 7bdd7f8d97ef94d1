package daemon

import (
	"context"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/daemon/internal/metrics"
	"github.com/canisterd/canisterd/daemon/internal/otlp"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
)

// Spans configures where the daemon sends spans; the zero value sends none.
type Spans = otlp.Options

// SpansFromEnvironment reads the standard variables of OpenTelemetry. endpoint, unless empty, replaces
// OTEL_EXPORTER_OTLP_ENDPOINT.
func SpansFromEnvironment(endpoint string, lookup func(string) string) (Spans, error) {
	return otlp.FromEnvironment(endpoint, Version(), lookup)
}

// newMetrics makes the metrics of the daemon.
func (d *Daemon) newMetrics() *metrics.Metrics {
	sources := metrics.Sources{
		Version: Version(), Connections: d.limit.count,
		Engines:  func() canister.EngineStatistics { return d.instances.EngineStatistics() },
		Journals: func() journal.Counts { return d.instances.JournalStatistics() },
		Budgets:  []metrics.Budget{{Name: "all", Budget: d.memory.daemon}, {Name: "requests", Budget: d.memory.requests}, {Name: "control", Budget: d.memory.control}},
	}
	if d.spans != nil {
		sources.Spans = func() metrics.Spans { return metrics.Spans(d.spans.Counts()) }
	}
	return metrics.New(sources)
}

// newSpans makes the exporter of spans; nil for none.
func newSpans(config *Config) (*otlp.Exporter, error) {
	if config.Spans.Endpoint == "" {
		return nil, nil
	}
	options := config.Spans
	options.Log = config.Log
	return otlp.New(options)
}

// follow makes spans from the events of an instance.
func (d *Daemon) follow(i *instance.Instance) {
	if d.spans != nil {
		i.Go(func(ctx context.Context) { d.spans.Follow(ctx, i.Name(), i.Driver()) })
	}
}

// closeSpans sends the remaining spans.
func (d *Daemon) closeSpans() {
	if d.spans == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	d.spans.Close(ctx)
}
