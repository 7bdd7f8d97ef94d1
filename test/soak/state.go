package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// state is the usage of the state directory of the default instance, in bytes, as the daemon reports it
// (canisterd_state_bytes).
type state struct {
	checkpoints, records               int64 // needed by a start
	historyCheckpoints, historyRecords int64
}

// stateBytes reads the usage from the metrics of the daemon.
func (p *process) stateBytes(ctx context.Context) (state, error) {
	text, err := get(ctx, new(http.Transport), p.url+"/metrics")
	if err != nil {
		return state{}, fmt.Errorf("reading the metrics: %w", err)
	}
	return stateOf(text)
}

// stateOf reads the usage from metrics in text format.
func stateOf(metrics string) (s state, err error) {
	const name = "canisterd_state_bytes"
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(metrics))
	if err != nil {
		return s, fmt.Errorf("reading the metrics: %w", err)
	}
	found := 0
	parts := map[string]*int64{
		"checkpoints": &s.checkpoints, "records": &s.records,
		"history_checkpoints": &s.historyCheckpoints, "history_records": &s.historyRecords,
	}
	for _, m := range all[name].GetMetric() {
		labels := make(map[string]string)
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		if part := parts[labels["content"]]; part != nil && labels["instance"] == "default" {
			*part = int64(m.GetGauge().GetValue())
			found++
		}
	}
	if found != len(parts) {
		return s, fmt.Errorf("%d of the %d metrics %s of instance default are there", found, len(parts), name)
	}
	return s, nil
}
