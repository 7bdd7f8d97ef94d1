package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Family describes one metric.
type Family struct {
	Name, Type, Help string
	Labels           []string
}

// family is the index of a metric in the table.
type family uint8

const (
	buildInfo family = iota
	instances
	rounds
	networkTime
	messages
	executionSeconds
	instructions
	dirtyPages
	cyclesConsumed
	canisters
	canisterMemory
	callContexts
	futures
	ingressMessages
	queueMessages
	messageMemory
	keptBytes
	instanceMemory
	instanceMemoryLimit
	instanceFailed
	instancesUnread
	residentCanisters
	residentCanistersLimit
	evictions
	compilations
	checkpointBytes
	commitDuration
	journalDuration
	journalSync
	journalCheckpoint
	journalRecords
	journalBytes
	journalCheckpoints
	stateBytes
	stateLimit
	memoryBytes
	memoryLimit
	connections
	connectionsLimit
	httpDuration
	controlDuration
	spans
	spansQueued
	eventsMissed
	families
)

// The types of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// table describes all metrics of the daemon.
var table = [families]Family{
	buildInfo:              {"canisterd_build_info", gauge, "Always 1. The label has the version of the daemon.", []string{"version"}},
	instances:              {"canisterd_instances", gauge, "Instances of the daemon.", nil},
	rounds:                 {"canisterd_rounds_total", counter, "Rounds of the network since its start. Forks and imported networks go on from their source.", []string{"instance"}},
	networkTime:            {"canisterd_network_time_seconds", gauge, "Time of the last round by the clock of the network, in seconds since 1970.", []string{"instance"}},
	messages:               {"canisterd_messages_total", counter, "Messages that were executed or dropped, by what brought them (ingress, request, response, task, management, installation) and their outcome (done, trapped, dropped).", []string{"instance", "subnet", "kind", "outcome"}},
	executionSeconds:       {"canisterd_message_execution_seconds_total", counter, "Time by the wall clock that executions of messages took, with the commit of their changes.", []string{"instance", "subnet", "kind"}},
	instructions:           {"canisterd_instructions_total", counter, "Instructions that were executed since the start of the network.", []string{"instance", "subnet"}},
	dirtyPages:             {"canisterd_dirty_pages_total", counter, "Heap pages of 4 KiB that messages changed, rolled back or not.", []string{"instance", "subnet"}},
	cyclesConsumed:         {"canisterd_cycles_consumed_total", counter, "Cycles that canisters consumed since the start of the network. Updated when canisters pay for their resources.", []string{"instance", "subnet"}},
	canisters:              {"canisterd_canisters", gauge, "Canisters of the subnet.", []string{"instance", "subnet"}},
	canisterMemory:         {"canisterd_canister_memory_bytes", gauge, "Memory of the canisters of the subnet, as the network counts it.", []string{"instance", "subnet"}},
	callContexts:           {"canisterd_call_contexts", gauge, "Open call contexts: calls that canisters are answering.", []string{"instance", "subnet"}},
	futures:                {"canisterd_futures", gauge, "Futures: calls of canisters that wait for their response.", []string{"instance", "subnet"}},
	ingressMessages:        {"canisterd_ingress_messages", gauge, "Ingress messages whose status is known.", []string{"instance", "subnet"}},
	queueMessages:          {"canisterd_queue_messages", gauge, "Messages that wait, by what they wait for: ready (the next batch), management (the management canister), modules (a compilation), parked (the next slice, in the middle of their code), inbound and outbound (streams between subnets), held (by rules), outcalls (HTTP responses), signatures.", []string{"instance", "subnet", "queue"}},
	messageMemory:          {"canisterd_message_memory_bytes", gauge, "Memory of messages that wait, by the kind of their response (guaranteed, best_effort).", []string{"instance", "subnet", "response"}},
	keptBytes:              {"canisterd_ingress_bytes", gauge, "Memory of ingress messages: waiting (arguments), answers (replies that are kept), unstaged (replies that certified trees do not show yet), records (all else that messages take).", []string{"instance", "content"}},
	instanceMemory:         {"canisterd_instance_memory_bytes", gauge, "Bytes in use of the memory budget of the instance: messages, answers and events.", []string{"instance"}},
	instanceMemoryLimit:    {"canisterd_instance_memory_limit_bytes", gauge, "Memory budget of the instance.", []string{"instance"}},
	instanceFailed:         {"canisterd_instance_failed", gauge, "1 if a bug has stopped the instance, otherwise 0.", []string{"instance"}},
	instancesUnread:        {"canisterd_instances_unread", gauge, "Instances that were too busy to be read at this scrape. Their metrics are those of an earlier scrape.", nil},
	residentCanisters:      {"canisterd_resident_canisters", gauge, "Canisters that are ready to run, with an instance and a mapped heap.", nil},
	residentCanistersLimit: {"canisterd_resident_canisters_limit", gauge, "Canisters that may be ready to run at once; others are evicted.", nil},
	evictions:              {"canisterd_evictions_total", counter, "Resident canisters that were evicted for others.", nil},
	compilations:           {"canisterd_compilations_total", counter, "Modules that were compiled. Those found in the cache do not count.", nil},
	checkpointBytes:        {"canisterd_checkpoint_bytes", gauge, "Bytes of the checkpoint file that are handed out to heaps, stable memories, modules and snapshots.", nil},
	commitDuration:         {"canisterd_commit_duration_seconds", histogram, "Time by the wall clock to commit the heap and the stable memory of a canister after a message.", nil},
	journalDuration:        {"canisterd_journal_commit_duration_seconds", histogram, "Time by the wall clock to write the waiting records of an instance to disk.", nil},
	journalSync:            {"canisterd_journal_fsync_duration_seconds", histogram, "Time by the wall clock that the file system takes to sync one file or directory of a state directory.", nil},
	journalCheckpoint:      {"canisterd_journal_checkpoint_duration_seconds", histogram, "Time by the wall clock to write a checkpoint in the background.", nil},
	journalRecords:         {"canisterd_journal_records_total", counter, "Records that journals of instances have on disk since the start of the daemon.", nil},
	journalBytes:           {"canisterd_journal_bytes_total", counter, "Bytes of these records.", nil},
	journalCheckpoints:     {"canisterd_journal_checkpoints_total", counter, "Checkpoints that were written since the start of the daemon.", nil},
	stateBytes:             {"canisterd_state_bytes", gauge, "Bytes in the state directory of a kept instance, as of its newest checkpoint: checkpoints (the last two, which a start needs), records (between them), history_checkpoints and history_records (what only forks of the past need).", []string{"instance", "content"}},
	stateLimit:             {"canisterd_state_limit_bytes", gauge, "Budget of the history: history_checkpoints and history_records.", []string{"instance", "content"}},
	memoryBytes:            {"canisterd_memory_bytes", gauge, "Bytes in use of a memory budget of the daemon: all (every budget together), requests (HTTP requests being read and answered), control (messages of the control API).", []string{"budget"}},
	memoryLimit:            {"canisterd_memory_limit_bytes", gauge, "Memory budget of the daemon.", []string{"budget"}},
	connections:            {"canisterd_connections", gauge, "Open connections of clients.", nil},
	connectionsLimit:       {"canisterd_connections_limit", gauge, "Connections of clients that may be open at once.", nil},
	httpDuration:           {"canisterd_http_request_duration_seconds", histogram, "Time to answer HTTP requests, by endpoint (call, call_async, query, read_state, status, gateway, pocketic) and class of status code.", []string{"endpoint", "code"}},
	controlDuration:        {"canisterd_control_request_duration_seconds", histogram, "Time to answer RPCs of the control API that are not streams, by method and outcome (ok, error).", []string{"method", "outcome"}},
	spans:                  {"canisterd_trace_spans_total", counter, "Spans by outcome: sent (the collector took them), rejected (it refused them, or was not reached), dropped (the queue was full).", []string{"outcome"}},
	spansQueued:            {"canisterd_trace_queue_spans", gauge, "Spans that wait to be sent.", nil},
	eventsMissed:           {"canisterd_trace_events_missed_total", counter, "Events of instances that were forgotten before spans were made of them.", nil},
}

// Families returns all metrics of the daemon, except those of the Go runtime and the process.
func Families() []Family { return append([]Family(nil), table[:]...) }

// descriptions returns the descriptions of all metrics for Prometheus.
func descriptions() (all [families]*prometheus.Desc) {
	for i := range table {
		all[i] = prometheus.NewDesc(table[i].Name, table[i].Help, table[i].Labels, nil)
	}
	return all
}

// valueType returns the type of a metric with one value.
func (f family) valueType() prometheus.ValueType {
	if table[f].Type == counter {
		return prometheus.CounterValue
	}
	return prometheus.GaugeValue
}
