// Package gateway serves canisters to browsers: it turns HTTP requests into calls of http_request and
// http_request_update, and verifies the answers (HTTP gateway protocol specification).
//
// It owns the mapping of hosts to canisters, the Candid messages of the protocol, upgrades, streams and ranges, the
// headers that are passed on in each direction, and its own pages: faults, the dashboard, the topology. Package verify
// does the verification. It must not know listeners, processes or how instances are made: it is given Networks, each
// with its HTTP interface, and has no more power over them than a page: it calls canisters as the anonymous user.
//
// # One request
//
//	Host, URL, Referer ──resolve──> instance, canister, raw      host.go
//	    /api/v2/..., v3, v4 ──────> the HTTP interface           gateway.go
//	    /_/..., /health ──────────> own pages                    dashboard.go
//	    everything else ──────────> http_request (query)         serve.go
//	                                  upgrade: http_request_update
//	                                  streaming_strategy: all parts   stream.go
//	                                  verify                          verify/
//	                                  206 that was not asked for: the other ranges, each verified   ranges.go
//
// # Decisions
//
// A response is sent after all of it was verified. A stream of callbacks is collected up to a limit and then verified.
// DFINITY's gateway verifies four parts and passes on longer streams as they come. Here, a longer stream is refused,
// and the page names the alternatives: the raw host, or certified ranges, which are verified one by one and never
// collected.
//
// A certificate is compared with the time of the state that answered, not the wall clock: instances may live in any
// year.
//
// Only hosts that cannot be the name of a page on the Internet are served: addresses, localhost and names below it,
// private names, and the configured domains. Otherwise a foreign page whose name resolves to this machine (DNS
// rebinding) could read everything that is served here. Pages about instances have no CORS headers for the same reason.
package gateway
