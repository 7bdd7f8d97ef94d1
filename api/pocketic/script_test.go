package pocketic_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// The first canisters of the first three subnets of an instance.
var (
	first  = principal.MustParse("lxzze-o7777-77777-aaaaa-cai")
	second = principal.MustParse("7tjcv-pp777-77776-qaaaa-cai")
	third  = principal.MustParse("tqzl2-p7777-77776-aaaaa-cai")
	next   = principal.MustParse("lqy7q-dh777-77777-aaaaq-cai") // the second of the first subnet
)

type (
	aboutCanister struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	installMode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	install struct {
		Mode     installMode         `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}
	takeSnapshot struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	takenSnapshot struct {
		ID []byte `ic:"id"`
	}
	create struct {
		Specified *principal.Principal `ic:"specified_id"`
	}
	controlled struct {
		Controllers *[]principal.Principal `ic:"controllers"`
	}
	createControlled struct {
		Settings *controlled `ic:"settings"`
	}
	hostQuestion struct {
		Canister *principal.Principal `ic:"principal"`
	}
	outcallMethod struct {
		Get *candid.Null `ic:"get,variant"`
	}
	outcallHeader struct {
		Name  string `ic:"name"`
		Value string `ic:"value"`
	}
	outcall struct {
		URL     string          `ic:"url"`
		Method  outcallMethod   `ic:"method"`
		Headers []outcallHeader `ic:"headers"`
	}
)

// given are the bytes that scripts name as ${NAME}, in Base64.
func given(t *testing.T) map[string]string {
	t.Helper()
	encoded := func(arg any) []byte {
		raw, err := candid.Marshal(arg)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	specified := principal.MustParse("ryjl3-tyaaa-aaaaa-aaaba-cai")
	nowhere, elsewhere, identity := principal.Canister(1<<40), principal.MustParse("jujpo-eqaaa-aaaao-p777q-cai"), principal.Canister(7)
	fetch := encoded(outcall{"https://example.com/", outcallMethod{new(candid.Null)}, []outcallHeader{{"a", "b"}}})
	answers := canistertest.Script().Arg().ReplyTop()
	hello, failed, patience := canistertest.Script().ReplyText("hello"), canistertest.Script().RejectMessage().ReplyTop(), uint64(60)
	installs := func(module []byte, then *canistertest.Program) []byte {
		return canistertest.Script().Call(canistertest.Call{
			Callee: principal.Management, Method: "install_code", Arg: encoded(install{installMode{new(candid.Null)}, next, module, nil}), OnReply: then, OnReject: failed,
		}).Drop().Bytes()
	}
	all := map[string][]byte{
		"NEXT": next.Bytes(), "CREATE_NEXT": encoded(createControlled{&controlled{&[]principal.Principal{first}}}),
		"INSTALL_NEXT": installs(wat.MustAssemble(`(module (func (export "canister_query there")))`), hello), "INSTALL_INVALID": installs([]byte("none"), hello),
		"FIRST": first.Bytes(), "SECOND": second.Bytes(), "THIRD": third.Bytes(), "MISSING": principal.Canister(5).Bytes(), "NOWHERE": nowhere.Bytes(), "LEDGER": specified.Bytes(), "REGISTRY": principal.Canister(0).Bytes(), "MINTING": principal.Canister(4).Bytes(),
		"USER": principal.SelfAuthenticating([]byte("user")).Bytes(), "ANONYMOUS": principal.Anonymous.Bytes(),
		"CREATE": encoded(create{}), "CREATE_LEDGER": encoded(create{&specified}), "CREATE_NOWHERE": encoded(create{&nowhere}), "CREATE_MAINNET": encoded(create{&elsewhere}), "CREATE_IDENTITY": encoded(create{&identity}), "MAINNET": elsewhere.Bytes(),
		"ABOUT": encoded(aboutCanister{first}),
		"HOST":  encoded(hostQuestion{&third}), "MAINNET_HOST": encoded(hostQuestion{&elsewhere}),
		"INSTALL": encoded(install{installMode{new(candid.Null)}, first, canistertest.Scriptable(), nil}),
		"HELLO":   hello.Bytes(), "TRAP": canistertest.Script().Trap("odd").Bytes(), "NO": canistertest.Script().Reject("no").Bytes(),
		"PRINT": canistertest.Script().Print(strings.Repeat("long ", 2_000)).Print("last").Reply(nil).Bytes(), "PRINT_TRAP": canistertest.Script().Print("before").Trap("odd").Bytes(),
		"CALL": canistertest.Script().Call(canistertest.Call{Callee: first, Program: hello, OnReply: answers, OnReject: failed}).Drop().Bytes(),
		"TRY":  canistertest.Script().Call(canistertest.Call{Callee: first, Program: hello, OnReply: answers, OnReject: failed, Timeout: &patience}).Drop().Bytes(),
		"TAKE": encoded(takeSnapshot{Canister: first}), "GROW": canistertest.Script().StableGrow(400<<14).Drop().StableWrite(399<<30, []byte("end")).Reply(nil).Bytes(),
		"GROW_SOME": canistertest.Script().StableGrow(1<<10).Drop().StableWrite(60<<20, []byte("end")).Reply(nil).Bytes(),
		"TIME":      canistertest.Script().Time().ReplyInt().Bytes(),
		"FETCH": canistertest.Script().Call(canistertest.Call{
			Callee: principal.Management, Method: "http_request", Arg: fetch, Cycles: 1 << 40, OnReply: answers, OnReject: canistertest.Script().RejectMessage().RejectBlob(),
		}).Drop().Bytes(),
		"FETCH_IN_QUERY": canistertest.Script().Call(canistertest.Call{
			Callee: principal.Management, Method: "http_request", Arg: fetch, OnReply: answers, OnReject: canistertest.Script().RejectMessage().RejectBlob(),
		}).Drop().Bytes(),
		"FOREVER": canistertest.Script().Call(canistertest.Call{
			Callee: principal.Management, Method: "http_request", Arg: fetch, Cycles: 1 << 40,
		}).Drop().Bytes(),
	}
	texts := make(map[string]string)
	for name, raw := range all {
		texts[name] = base64.StdEncoding.EncodeToString(raw)
	}
	texts["FOLDER"] = t.TempDir()
	return texts
}

// api is a server with the variables of a script.
type api struct {
	*testing.T
	url   string
	given map[string]string
	used  map[string]bool // routes

	diagnostics *bytes.Buffer
}

func served(t *testing.T) *api { return servedWith(t, daemon.Config{}) }

// servedBy is a server with a function that each compilation calls at its end.
func servedBy(t *testing.T, compiled func()) *api {
	return servedWith(t, daemon.Config{Compiled: compiled})
}

// servedWithin is a server with a limit of memory in bytes.
func servedWithin(t *testing.T, limit int64) *api {
	return servedWith(t, daemon.Config{MemoryLimit: limit})
}

func servedWith(t *testing.T, config daemon.Config) *api {
	t.Helper()
	diagnostics := new(bytes.Buffer) // the daemon writes it, one at a time
	texts := given(t)                // its folder is removed after the daemon has written to it
	config.Listen, config.PocketIC, config.CacheDir, config.Diagnostics = "127.0.0.1:0", true, canistertest.CacheDir(t), diagnostics
	d, err := daemon.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &api{T: t, url: d.URL(), given: texts, used: make(map[string]bool), diagnostics: diagnostics}
}

var (
	variable   = regexp.MustCompile(`\$\{(\w+)\}`)
	messageID  = regexp.MustCompile(`"message_id":"([^"]*)"`)
	subnetID   = regexp.MustCompile(`"subnet_id":\{?"?(?:subnet_id":")?([A-Za-z0-9+/=]*)"`)
	changing   = regexp.MustCompile(`("port":|http://127\.0\.0\.1:)\d+|("taken":|"created":|"wall_time":|"network_id":)"[^"]*"`)
	bodyOfPart = regexp.MustCompile(`^((?:\[[^\]]*\] )*)(\w+) (\S+) ?(.*)$`)
	headerOf   = regexp.MustCompile(`\[([\w-]+): ?([^\]]*)\]`)
)

// longest is how much of an answer a script shows.
const longest = 1_200

// ask makes the request of a line, [HEADER: VALUE] METHOD PATH BODY, and gives the answer as scripts have it. For a page,
// which sends an Origin, the answer begins with the origin that may read it.
func (a *api) ask(line string) string {
	a.Helper()
	line = variable.ReplaceAllStringFunc(line, func(v string) string {
		value, ok := a.given[variable.FindStringSubmatch(v)[1]]
		if !ok {
			a.Fatalf("%s: nothing has the name %s", line, v)
		}
		return value
	})
	parts := bodyOfPart.FindStringSubmatch(line)
	if parts == nil {
		a.Fatalf("%q is no request", line)
	}
	headers, method, path, sent := parts[1], parts[2], parts[3], parts[4]
	request, err := http.NewRequestWithContext(a.Context(), method, a.url+path, strings.NewReader(sent))
	if err != nil {
		a.Fatal(err)
	}
	if sent != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headerOf.FindAllStringSubmatch(headers, -1) {
		request.Header.Set(header[1], header[2])
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	a.used[method+" "+path] = true
	for name, found := range map[string]*regexp.Regexp{"MESSAGE": messageID, "SUBNET": subnetID} {
		if match := found.FindSubmatch(body); match != nil {
			a.given[name] = string(match[1])
		}
	}
	if !utf8.Valid(body) {
		return fmt.Sprintf("%d (CBOR)", response.StatusCode)
	}
	text := strings.ReplaceAll(changing.ReplaceAllString(string(body), `${1}${2}0`), a.given["FOLDER"], "FOLDER")
	if len(text) > longest {
		text = fmt.Sprintf("%s... (%d bytes)", text[:longest], len(text))
	}
	readable := ""
	if request.Header.Get("Origin") != "" {
		readable = fmt.Sprintf("(readable by %q) ", response.Header.Get("Access-Control-Allow-Origin"))
	}
	return fmt.Sprintf("%d %s%s", response.StatusCode, readable, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
}

// play runs a script: lines that begin with two spaces are answers, those with # comments,
// the others requests.
func (a *api) play(script string) string {
	a.Helper()
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "  "):
		case line == "" || strings.HasPrefix(line, "#"):
			fmt.Fprintln(&out, line)
		default:
			fmt.Fprintf(&out, "%s\n  %s\n", line, a.ask(line))
		}
	}
	return out.String()
}

func TestEveryRouteAnswersAsItsScriptSays(t *testing.T) {
	t.Parallel()
	used := make(map[string]bool)
	golden.Transcripts(t, "testdata", func(t *testing.T, script string) string {
		a := served(t)
		defer maps.Copy(used, a.used)
		return a.play(script)
	})
	for _, route := range pocketic.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if path == "" {
			method, path = "", method
		}
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(method+" "+path), ".+") + "$")
		if method == "" {
			pattern = regexp.MustCompile(`^GET /instances/\d+/api/v2/status$`)
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(used)), pattern.MatchString) {
			t.Errorf("no script in testdata asks %s", route)
		}
	}
}

// turns is a compiler that takes a drawn number of turns of the scheduler longer for each module.
type turns struct {
	mu    sync.Mutex // guards drawn
	drawn *rand.Rand
}

func (d *turns) pass() {
	d.mu.Lock()
	left := d.drawn.IntN(1 << 15)
	d.mu.Unlock()
	for range left {
		runtime.Gosched()
	}
}

func TestNoAnswerDependsOnHowLongModulesTakeToCompile(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		compiler := &turns{drawn: rand.New(rand.NewPCG(seed, 1))}
		golden.Transcripts(t, "testdata", func(t *testing.T, script string) string {
			return servedBy(t, compiler.pass).play(script)
		})
	}
}
