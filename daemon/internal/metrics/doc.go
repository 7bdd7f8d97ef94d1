// Package metrics shows what the daemon and its instances do, in the text formats of Prometheus.
//
// It owns the names, labels and units of metrics, the latencies of requests, and the bound on labels. It must not know
// paths of URLs, addresses or protocols: front ends say what they have served.
//
// # Where numbers come from
//
// Networks count what they execute as part of their work, in plain fields that the owner of the network writes
// (replica.Statistics). A scrape reads them between two rounds, as any reader does; an instance that is busy for longer
// than readPatience is shown as it was at the scrape before. Only latencies of requests are counted while they happen,
// by atomic additions: no request allocates or waits for a metric.
//
// # Labels
//
// No label has the id of a canister. The first maxLabelled instances that are not bound to a lease have their names as
// labels; all others, which come and go with tests, are counted together under the name _other. Their counts stay when
// they end.
package metrics
