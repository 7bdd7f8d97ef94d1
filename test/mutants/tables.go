package main

// compared are the files whose comparisons are flipped.
var compared = []string{
	"api/internal/wire/authenticate.go",
	"api/internal/wire/delegation.go",
	"api/internal/wire/expiry.go",
	"candid/principal/principal.go",
	"intercanister/mailbox.go",
	"replica/admission.go",
	"replica/admit.go",
	"replica/internal/charging/execution.go",
	"replica/internal/charging/freezing.go",
	"replica/internal/charging/ingress.go",
	"replica/internal/charging/resources.go",
	"replica/internal/state/history.go",
	"replica/staged_tree.go",
}

// suites are the packages whose tests a mutant of a package must survive, beside its own. They are run in this order.
var suites = map[string][]string{
	"api":                          {"api/ic"},
	"api/client":                   {"cmd/canisterd", "daemon"},
	"api/control/remote":           {"api/control"},
	"canister/internal/components": {"canister"},
	"canister/internal/ic0":        {"canister", "replica"},
	"canister/internal/wasi":       {"canister"},
	"canister/internal/rewrite":    {"canister"},
	"canister/internal/stable":     {"canister"},
	"canister/internal/wasm":       {"canister"},
	"canister":                     {"replica/internal/management", "replica"},
	"daemon":                       {"api/control"},
	"instance":                     {"api/control", "daemon"},
	"internal/clone/networks":      {"internal/clone"},
	"internal/journal":             {"instance"},
	"daemon/internal/metrics":      {"daemon"},
	"daemon/internal/otlp":         {"daemon"},
	"internal/systemcanisters":     {"instance"},
	"internal/explore/campaign":    {"explore"},
	"internal/explore/property":    {"internal/explore/campaign"},
	"internal/explore/search":      {"internal/explore/campaign"},
	"intercanister":                {"replica"},
	"replica":                      {"api/control"},
	"replica/internal/management":  {"replica"},
	"replica/introspect":           {"replica", "api/control"},
	"replica/internal/charging":    {"replica"},
	"replica/internal/faults":      {"replica", "api/control"},
	"replica/internal/tasks":       {"replica"},
	"replica/internal/outcall":     {"replica/internal/management", "replica", "daemon"},
	"replica/internal/state":       {"replica"},
	"replica/driver":               {"api/control"},
	"internal/trace":               {"api/control"},
}

// always are the mutants that every sample has: each was a survivor once.
var always = []string{
	"candid/principal/principal.go:Parse: != becomes == in crc32.ChecksumIEEE(raw[4:]) != binary.BigEndian.Uint32(raw)",
	"replica/internal/state/history.go:answered: != becomes == in r.Answered != a.answered",
}

// closed are the packages whose tests start processes that do not inherit the environment: no
// mutant is active in them, so the tests need a build of their own.
var closed = []string{"daemon", "cmd/canisterd"}
