//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

var (
	// selector is a metric in a query, with its matchers.
	selector = regexp.MustCompile(`\b((?:canisterd|go|process)_[a-z_]+)(?:\{([^}]*)\})?`)
	// matcher is a matcher of a selector.
	matcher = regexp.MustCompile(`(\w+)(=~|!~|!=|=)"([^"]*)"`)
	// groupedBy are the labels of an aggregation.
	groupedBy = regexp.MustCompile(`\bby \(([^)]*)\)`)
	// rates are the selectors whose change is asked for.
	rates = regexp.MustCompile(`rate\(([a-z_]+)`)
)

// scrapes are two scrapes of a daemon, one after the other, with messages between them.
type scrapes struct{ before, after map[string]*dto.MetricFamily }

// checkDashboard checks that each query of the dashboard has data in two scrapes: series for each selector, in both for
// a rate, labels for each aggregation, the same labels on both sides of a division, and observations in each histogram.
func checkDashboard(t *testing.T, text string, before, after map[string]*dto.MetricFamily) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
		t.Fatal(err)
	}
	s, queries := &scrapes{before, after}, 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries++
			for _, problem := range s.problems(target.Expr) {
				t.Errorf("panel %q: %s in %s", panel.Title, problem, target.Expr)
			}
		}
	}
	if queries < 20 {
		t.Errorf("the dashboard has %d queries", queries)
	}
	for query, want := range map[string]int{
		`sum by (color) (canisterd_nothing) + canisterd_rounds_total{canister="x"}`:                                     3,
		`canisterd_rounds_total{instance="other"}`:                                                                      1,
		`canisterd_memory_bytes / canisterd_connections`:                                                                1,
		`histogram_quantile(0.5, sum by (le) (rate(canisterd_http_request_duration_seconds_bucket{code="5xx"}[$__x])))`: 1,
	} {
		if problems := s.problems(query); len(problems) != want {
			t.Errorf("%s has the problems %q, want %d", query, problems, want)
		}
	}
}

// problems are the reasons for which a query has no data.
func (s *scrapes) problems(query string) (problems []string) {
	known := map[string]bool{"le": true}
	var labelSets []string
	for _, found := range selector.FindAllStringSubmatch(query, -1) {
		name, matchers := found[1], found[2]
		family := familyOf(s.after, name)
		if family == nil {
			problems = append(problems, "no metric "+name)
			continue
		}
		labels := labelsOf(family.GetMetric()[0])
		labelSets = append(labelSets, strings.Join(labels, " "))
		for _, label := range labels {
			known[label] = true
		}
		now, problem := selected(family, matchers)
		if problem == "" && rated(query, name) {
			var past []*dto.Metric
			if then := familyOf(s.before, name); then != nil {
				past, problem = selected(then, matchers)
			}
			problem = notRated(name, problem, past, now)
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	if strings.Contains(query, " / ") && len(labelSets) == 2 && labelSets[0] != labelSets[1] {
		problems = append(problems, fmt.Sprintf("the labels %q are divided by %q", labelSets[0], labelSets[1]))
	}
	for _, by := range groupedBy.FindAllStringSubmatch(query, -1) {
		for label := range strings.SplitSeq(by[1], ",") {
			if label = strings.TrimSpace(label); !known[label] {
				problems = append(problems, "no label "+label)
			}
		}
	}
	return problems
}

// rated reports whether a query asks for the rate of a metric.
func rated(query, name string) bool {
	return slices.ContainsFunc(rates.FindAllStringSubmatch(query, -1), func(r []string) bool { return r[1] == name })
}

// notRated says why two scrapes of a metric give no rate, "" if they do.
func notRated(name, problem string, past, now []*dto.Metric) string {
	switch {
	case problem != "":
		return problem + ", in the scrape before"
	case len(past) == 0:
		return "no series of " + name + " in the scrape before"
	case strings.HasSuffix(name, "_bucket") && observations(now) == 0:
		return "no observation of " + name
	}
	return ""
}

// observations counts the observations of histograms.
func observations(series []*dto.Metric) (count uint64) {
	for _, m := range series {
		count += m.GetHistogram().GetSampleCount()
	}
	return count
}

// familyOf is the family with a name, also with the suffixes of histograms and summaries.
func familyOf(scrape map[string]*dto.MetricFamily, name string) *dto.MetricFamily {
	if family := scrape[name]; family != nil {
		return family
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if base, cut := strings.CutSuffix(name, suffix); cut && scrape[base] != nil {
			return scrape[base]
		}
	}
	return nil
}

func labelsOf(m *dto.Metric) (labels []string) {
	for _, pair := range m.GetLabel() {
		labels = append(labels, pair.GetName())
	}
	return labels
}

// selected are the series that matchers select, where the dashboard shows all instances.
func selected(family *dto.MetricFamily, matchers string) (series []*dto.Metric, problem string) {
	for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
		if !slices.Contains(labelsOf(family.GetMetric()[0]), m[1]) {
			return nil, family.GetName() + " has no label " + m[1]
		}
	}
	for _, one := range family.GetMetric() {
		if selects(one, matchers) {
			series = append(series, one)
		}
	}
	if len(series) == 0 {
		return nil, "no series of " + family.GetName() + " for " + matchers
	}
	return series, ""
}

// selects reports whether a series has what matchers say.
func selects(one *dto.Metric, matchers string) bool {
	for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
		value := strings.ReplaceAll(m[3], "$network", ".*")
		for _, pair := range one.GetLabel() {
			if pair.GetName() != m[1] {
				continue
			}
			equal := pair.GetValue() == value
			if m[2] == "=~" || m[2] == "!~" {
				equal = regexp.MustCompile("^(?:" + value + ")$").MatchString(pair.GetValue())
			}
			if equal == (m[2][0] == '!') {
				return false
			}
		}
	}
	return true
}
