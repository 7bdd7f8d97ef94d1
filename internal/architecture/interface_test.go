package architecture

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
)

// interfacePage is the page that this test makes.
const interfacePage = "docs/internals/interface.md"

const interfaceHead = `# The interface, and what shows it

This page lists the whole interface of a canister, a user or an agent. For each entry it names a script (%s),
which a test runs and compares with its expected trace, or a test in Go.

%s generates this page from the code. Without ` + "`-rewrite`" + `, the test fails if
an entry has no script or test, or if the page is out of date.
`

// unshown are the error codes that no script shows, and why. A test shows those that
// have one, and nothing gives the others.
var unshown = map[intercanister.ErrorCode]struct{ reason, test string }{
	intercanister.CanisterIdAlreadyExists:               {"Never: a new canister gets the next id that is free. The replica would report a bug of its own.", ""},
	intercanister.CertifiedStateUnavailable:             {"Never: a state is certified on request. Before the first state, HTTP answers 503.", ""},
	intercanister.SubnetCoolingDown:                     {"Never: a subnet cools down when governance is about to merge it into another, which does not happen in a local network.", ""},
	intercanister.InsufficientMemoryAllocation:          {"Never, nor by the replica: a memory allocation may be smaller than the memory in use.", ""},
	intercanister.SubnetNotFound:                        {"Never: it is for callers without a subnet, and every canister id is in the routing table.", ""},
	intercanister.UnknownManagementMessage:              {"Never, nor by the replica: an unknown method of the management canister is IC0536.", ""},
	intercanister.QueryCallGraphLoopDetected:            {"Never, nor by the replica: a composite query may call canisters that wait for it.", ""},
	intercanister.CanisterWasmEngineError:               {"Only if the host fails, for example with a full disk, which a script cannot cause.", "TestAFullDiskFailsTheMessageAndUndoesBothMemories"},
	intercanister.InsufficientCyclesInMessageMemoryGrow: {"Never, nor by the replica: `call_perform` returns 2 instead.", ""},
}

func TestEveryPartOfTheInterfaceIsListedWithATestThatCoversIt(t *testing.T) {
	p := &page{proofs: proofs(t), shown: make(map[string][]string)}
	fmt.Fprintf(p, interfaceHead, code("*.txt"), code("go test ./internal/architecture -run Interface -rewrite"))
	p.systemAPI()
	p.wasi()
	p.management()
	p.settings()
	p.endpoints()
	p.certifiedPaths()
	p.errorCodes()
	p.specification()
	p.replica()
	for _, fault := range p.faults {
		t.Error(fault)
	}
	path := filepath.Join(root(t), filepath.FromSlash(interfacePage))
	if golden.Rewriting() {
		golden.Compare(t, path, p.String())
		return
	}
	for _, difference := range p.differences(golden.Read(t, path)) {
		t.Errorf("%s is not what the code says (go test ./internal/architecture -run Interface -rewrite): %s", interfacePage, difference)
	}
}

func TestErrorCodesThatAreNeverGivenAreGivenNowhere(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.path == "intercanister/codes.go" {
			continue
		}
		for c, why := range unshown {
			if used := selected(s, c.Name()); why.test == "" && used != 0 {
				t.Errorf("%s:%d gives %s, of which %s says: %s", s.path, used, c.Name(), interfacePage, why.reason)
			}
		}
	}
}

func (p *page) systemAPI() {
	all := canister.SystemAPI()
	p.section("System API", fmt.Sprintf("The %d functions of module `ic0`, for memories of 32 and 64 bits. I is the type of a pointer.\n"+
		"The letters of contexts come from the specification; * stands for all except s.\n\n"+
		"[`context_test.go`](../../canister/context_test.go) calls each function in every context, in both widths: it is allowed\nexactly in those of its row.", len(all)),
		"function", "type", "contexts", "shown by")
	for _, f := range all {
		narrow := ""
		if f.Narrow {
			narrow = ", I = i32 only"
		}
		p.row("function "+f.Name, search{word: f.Name, under: []string{"canister/", "replica/"}, but: "canister/context_test.go"}, code(f.Name), code(f.Type)+narrow, f.Contexts)
	}
}

func (p *page) wasi() {
	all := canister.WASI()
	p.section("WASI preview 1", fmt.Sprintf("The %d functions of module `wasi_snapshot_preview1` that canisters with the feature `wasi` may import\n"+
		"([Programs that need WASI](../wasi.md)), in every context.", len(all)),
		"function", "type", "shown by")
	for _, f := range all {
		result := "()"
		if f.Returns {
			result = "(i32)"
		}
		p.row("function "+f.Name, search{word: f.Name, under: []string{"canister/testdata/"}}, code(f.Name), code("("+strings.Join(f.Params, ", ")+") → "+result))
	}
}

func (p *page) management() {
	all := replica.ManagementMethods()
	p.section("Management canister", fmt.Sprintf("The %d methods of `aaaaa-aa`, with their allowed callers: users by ingress messages, canisters, and queries of both.", len(all)),
		"method", "users", "canisters", "queries", "shown by")
	for _, m := range all {
		users := yes(m.Users)
		if m.Admins {
			users = "the subnet's admins"
		}
		p.row("method "+m.Name, search{word: m.Name, under: []string{"replica/", "daemon/"}}, code(m.Name), users, yes(m.Canisters), yes(m.ByQuery))
	}
}

func (p *page) settings() {
	all := replica.Settings()
	p.section("Settings of a canister", fmt.Sprintf("The %d fields of `canister_settings`.", len(all)), "setting", "shown by")
	for _, name := range all {
		p.row("setting "+name, search{word: name, under: []string{"replica/"}}, code(name))
	}
}

func (p *page) endpoints() {
	all := ic.Endpoints()
	p.section("Endpoints", fmt.Sprintf("The %d endpoints of a node. `*` is an effective id, of a canister or of a subnet.", len(all)), "endpoint", "shown by")
	for _, endpoint := range all {
		p.row("endpoint "+endpoint, search{literal: endpoint, under: []string{"api/"}}, code(endpoint))
	}
}

func (p *page) certifiedPaths() {
	all := certify.StatePaths()
	p.section("Certified paths", fmt.Sprintf("The %d kinds of values in the certified state of a subnet. `*` is the id of a canister, a node, a\n"+
		"request or a subnet, or the name of a metadata section. "+
		"The tests show the allowed readers and endpoints.", len(all)), "path", "shown by")
	for _, path := range all {
		p.row("path "+path, search{literal: path, under: []string{"api/ic/"}}, code(path))
	}
}

func (p *page) errorCodes() {
	all := intercanister.ErrorCodes()
	p.section("Error codes", fmt.Sprintf("The %d codes of the replica, each with a script that produces it with the exact text, or with the\nreason why there is no such script.", len(all)),
		"code", "name", "reject code", "shown by")
	for _, c := range all {
		cells := []string{c.String(), c.Name(), c.Reject().String()}
		shows := search{word: c.String(), under: []string{"replica/"}, scripts: true}
		if why, ok := unshown[c]; ok {
			p.unshown(c.String(), why.reason, why.test, shows, cells)
			continue
		}
		p.row(c.String()+" "+c.Name(), shows, cells...)
	}
}
