package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
)

// Describe sends the descriptions of all metrics that Collect makes.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for i, description := range m.descriptions {
		if f := family(i); f != httpDuration && f != controlDuration {
			to <- description
		}
	}
}

// Collect reads all sources and sends their metrics.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	c := collection{m, to}
	c.value(instancesUnread, float64(m.readAll()))
	c.daemon()
	m.mu.Lock()
	defer m.mu.Unlock()
	c.value(instances, float64(len(m.known)))
	var others replica.Statistics
	addAll(&others, &m.ended.last)
	for i, s := range m.known {
		if s.label == otherInstances {
			addAll(&others, &s.last)
			continue
		}
		c.network(s.label, &s.last)
		c.instance(s.label, i)
		c.value(networkTime, float64(s.last.Time)/float64(time.Second), s.label)
	}
	if others.Height > 0 {
		c.network(otherInstances, &others)
	}
}

// collection is a running scrape.
type collection struct {
	*Metrics
	to chan<- prometheus.Metric
}

// value sends a counter or gauge.
func (c *collection) value(of family, value float64, labels ...string) {
	c.to <- prometheus.MustNewConstMetric(c.descriptions[of], of.valueType(), value, labels...)
}

// daemon sends the metrics that belong to no instance.
func (c *collection) daemon() {
	c.value(buildInfo, 1, c.sources.Version)
	open, most := c.sources.Connections()
	c.value(connections, float64(open))
	c.value(connectionsLimit, float64(most))
	for _, b := range c.sources.Budgets {
		c.value(memoryBytes, float64(b.Used()), b.Name)
		c.value(memoryLimit, float64(b.Limit()), b.Name)
	}
	c.engines(c.sources.Engines())
	c.journals(c.sources.Journals())
	if c.sources.Spans != nil {
		s := c.sources.Spans()
		c.value(spans, float64(s.Sent), "sent")
		c.value(spans, float64(s.Rejected), "rejected")
		c.value(spans, float64(s.Dropped), "dropped")
		c.value(spansQueued, float64(s.Queued))
		c.value(eventsMissed, float64(s.Missed))
	}
}

// engines sends the metrics of the engines of all instances.
func (c *collection) engines(s canister.EngineStatistics) {
	c.value(residentCanisters, float64(s.Resident))
	c.value(residentCanistersLimit, float64(s.MaxResident))
	c.value(evictions, float64(s.Evictions))
	c.value(compilations, float64(s.Compiled))
	c.value(checkpointBytes, float64(s.InUse))
	buckets := make(map[float64]uint64)
	var sum uint64
	for i, bound := range canister.CommitBounds() {
		sum += s.Commits.Counts[i]
		buckets[time.Duration(bound).Seconds()] = sum
	}
	sum += s.Commits.Counts[len(s.Commits.Counts)-1]
	c.to <- prometheus.MustNewConstHistogram(c.descriptions[commitDuration], sum, time.Duration(s.Commits.Sum).Seconds(), buckets)
}

// journals sends the metrics of the journals of all instances.
func (c *collection) journals(s journal.Counts) {
	c.durations(journalDuration, &s.Commits)
	c.durations(journalSync, &s.Syncs)
	checkpoints := c.durations(journalCheckpoint, &s.Checkpoints)
	c.value(journalRecords, float64(s.Records))
	c.value(journalBytes, float64(s.Bytes))
	c.value(journalCheckpoints, float64(checkpoints))
}

// durations sends a histogram of journal operations and returns their number.
func (c *collection) durations(of family, d *journal.Durations) (count uint64) {
	buckets := make(map[float64]uint64)
	for i, bound := range journal.Bounds() {
		count += d.Counts[i]
		buckets[bound.Seconds()] = count
	}
	count += d.Counts[len(d.Counts)-1]
	c.to <- prometheus.MustNewConstHistogram(c.descriptions[of], count, d.Sum.Seconds(), buckets)
	return count
}

// Values of the label content that have a budget.
const (
	historyCheckpoints = "history_checkpoints"
	historyRecords     = "history_records"
)

// instance sends the metrics of an instance, except those of its network.
func (c *collection) instance(label string, i *instance.Instance) {
	failed := 0.0
	if i.Driver().Bug() != nil {
		failed = 1
	}
	c.value(instanceFailed, failed, label)
	if b := i.Memory(); b != nil {
		c.value(instanceMemory, float64(b.Used()), label)
		c.value(instanceMemoryLimit, float64(b.Limit()), label)
	}
	if usage, limit, kept := i.StateUsage(); kept {
		c.value(stateBytes, float64(usage.Checkpoints), label, "checkpoints")
		c.value(stateBytes, float64(usage.Records), label, "records")
		c.value(stateBytes, float64(usage.HistoryCheckpoints), label, historyCheckpoints)
		c.value(stateBytes, float64(usage.HistoryRecords), label, historyRecords)
		c.value(stateLimit, float64(limit.CheckpointBytes), label, historyCheckpoints)
		c.value(stateLimit, float64(limit.RecordBytes), label, historyRecords)
	}
}

// network sends the metrics of a network, or the sums of several.
func (c *collection) network(label string, s *replica.Statistics) {
	c.value(rounds, float64(s.Height), label)
	c.value(keptBytes, float64(s.Bytes.Waiting), label, "waiting")
	c.value(keptBytes, float64(s.Bytes.Answers), label, "answers")
	c.value(keptBytes, float64(s.Bytes.Unstaged), label, "unstaged")
	c.value(keptBytes, float64(s.Bytes.Records), label, "records")
	for i := range s.Subnets {
		c.subnet(label, &s.Subnets[i])
	}
}

// subnet sends the metrics of a subnet, or the sums of several.
func (c *collection) subnet(label string, s *replica.SubnetStatistics) {
	id := otherInstances
	if label != otherInstances {
		id = s.ID.String()
	}
	for i := range s.Executed {
		kind, counts := replica.ExecutionKind(i).String(), &s.Executed[i]
		c.value(messages, float64(counts.Done), label, id, kind, "done")
		c.value(messages, float64(counts.Trapped), label, id, kind, "trapped")
		c.value(messages, float64(counts.Dropped), label, id, kind, "dropped")
		c.value(executionSeconds, time.Duration(counts.Wall).Seconds(), label, id, kind)
	}
	for of, value := range map[family]float64{
		instructions: float64(s.Instructions), dirtyPages: float64(s.DirtyPages), cyclesConsumed: amount(s.Consumed),
		canisters: float64(s.Canisters), canisterMemory: float64(s.MemoryBytes), callContexts: float64(s.Contexts),
		futures: float64(s.Futures), ingressMessages: float64(s.Ingress),
	} {
		c.value(of, value, label, id)
	}
	c.value(messageMemory, float64(s.Guaranteed), label, id, "guaranteed")
	c.value(messageMemory, float64(s.BestEffort), label, id, "best_effort")
	q := &s.Queues
	for queue, length := range map[string]int{
		"ready": q.Ready, "management": q.Management, "modules": q.Modules, "parked": q.Parked, "inbound": q.Inbound,
		"outbound": q.Outbound, "held": q.Held, "outcalls": q.Outcalls, "signatures": q.Signatures,
	} {
		c.value(queueMessages, float64(length), label, id, queue)
	}
}

// amount returns an amount of cycles as the nearest float64.
func amount(a cycles.Amount) float64 { return float64(a.Hi)*(1<<64) + float64(a.Lo) }
