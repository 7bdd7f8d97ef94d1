package architecture

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of this module each folder may import. Arrows
// point one way: edge, core, vocabulary. A folder that is not named follows its
// parent. Tests are free to import what they compare with.
var arrows = map[string]struct {
	may    []string
	reason string
}{
	"candid/principal":             {nil, "the name of an actor needs nothing"},
	"candid":                       {[]string{"candid/principal", "candid/internal/"}, "a codec knows no canister"},
	"candid/management":            {[]string{"candid", "candid/principal"}, "arguments and replies, not what methods do with them"},
	"internal/candid/relation":     {[]string{"candid"}, "a comparison does not know where values come from"},
	"internal/candid/reference":    {[]string{"candid/principal"}, "a name is read without knowing which there are"},
	"internal/candid/generated":    {nil, "a method is known by its name"},
	"candid/did":                   {[]string{"candid", "candid/principal", "candid/internal/"}, "an interface description is about types and values"},
	"intercanister/cycles":         {[]string{"archive"}, "money is arithmetic"},
	"internal/refusal":             {nil, "kinds of refusal know no protocol"},
	"internal/stabletypes":         {nil, "two texts are compared without their modules"},
	"internal/textwidth":           {nil, "a width is a property of text"},
	"internal/markup":              {nil, "elements on lines, without what they are about"},
	"internal/contain":             {[]string{"archive"}, "what a panic was about, and nothing of who panicked"},
	"internal/cow":                 {nil, "maps and lists know nothing of what lies in them"},
	"internal/golden":              {nil, "files and texts; it knows no command"},
	"internal/regular":             {nil, "a file is opened without knowing what is in it"},
	"internal/eventually":          {nil, "a wait does not know what it waits for"},
	"internal/architecture":        {nil, "rules are read from the sources, and know no package"},
	"timers":                       {[]string{"candid/principal", "archive", "internal/cow"}, "a deadline table knows time and names, not calls"},
	"archive":                      {[]string{"candid/principal"}, "a form of values knows none of those who have state"},
	"test/archivetest":             {nil, "bytes by file names"},
	"intercanister":                {[]string{"candid/principal", "archive", "intercanister/cycles", "timers"}, "the ledger of calls must not know what a canister executes"},
	"canister/internal/rewrite":    {nil, "a pass from bytes to bytes"},
	"canister/internal/wasmfile":   {nil, "the binary format of valid modules"},
	"canister/internal/polyfill":   {[]string{"canister/internal/wasmfile"}, "a linker from bytes to bytes"},
	"canister/internal/components": {[]string{"candid", "canister/internal/wasmfile", "component"}, "a linker from bytes to bytes, which knows the types of components and of Candid"},
	"canister/internal/fragment":   {[]string{"canister/internal/wasmfile"}, "modules from a module, bytes from bytes"},
	"canister/internal/demangle":   {nil, "a name is read without its module"},
	"canister/internal/checkpoint": {nil, "one file of slots; what lies in them is the memories' business"},
	"canister/internal/stable":     {[]string{"canister/internal/checkpoint", "archive"}, "pages know no message"},
	"canister/internal/wasm":       {[]string{"canister/internal/rewrite", "canister/internal/fragment", "canister/internal/wasmfile", "canister/internal/checkpoint", "archive", "internal/profile"}, "the engine runs guests; what they may call is linked in"},
	"canister/internal/ic0":        {[]string{"candid", "candid/principal", "intercanister", "intercanister/cycles", "canister/internal/wasm", "canister/internal/stable", "canister/internal/rewrite", "internal/profile"}, "the System API serves one message"},
	"canister/internal/wasi":       {[]string{"canister/internal/ic0", "canister/internal/wasm", "canister/internal/rewrite"}, "functions of WASI serve one message, as the System API does"},
	"canister":                     {[]string{"archive", "internal/cow", "candid/principal", "intercanister", "intercanister/cycles", "canister/internal/", "internal/profile", "internal/sourcelines"}, "one canister knows no subnet"},
	"test/canistertest":            {[]string{"archive", "candid/principal", "canister", "test/canistertest/", "intercanister/cycles"}, "support for everyone's tests"},
	"test/canistertest/disk":       {nil, "a limit of the process"},
	"test/canistertest/wat":        {nil, "an assembler knows no canister"},
	"test/canistertest/wast":       {[]string{"test/canistertest/wat"}, "a script reader needs the assembler"},
	"internal/certify":             {[]string{"archive", "candid/principal"}, "a tree of bytes and a key"},
	"replica/internal/threshold":   {nil, "mathematics of keys and bytes"},
	"replica/internal/state":       {[]string{"archive", "candid/principal", "intercanister", "intercanister/cycles", "timers", "canister", "internal/certify", "replica/internal/threshold", "internal/cow"}, "the state is held, not run"},
	"replica/internal/charging":    {[]string{"candid/principal", "canister", "intercanister", "intercanister/cycles", "replica/internal/state"}, "a price knows no message"},
	"replica/internal/faults":      {[]string{"candid/principal", "intercanister", "internal/refusal", "replica/internal/state", "timers"}, "a decision about a message knows no route"},
	"replica/internal/tasks":       {[]string{"candid/principal", "canister", "intercanister", "replica/internal/state", "timers"}, "a task is queued before anyone runs it"},
	"replica/internal/outcall":     {[]string{"candid", "candid/principal", "intercanister", "intercanister/cycles", "replica/internal/state"}, "what answers become, without knowing who got them"},
	"replica/internal/management":  {[]string{"candid", "candid/management", "candid/principal", "intercanister", "intercanister/cycles", "canister", "replica/internal/state", "replica/internal/outcall", "replica/internal/threshold"}, "methods change the state they are handed"},
	"replica/introspect":           {[]string{"candid/principal", "canister", "intercanister", "intercanister/cycles", "replica/internal/state", "timers"}, "what a network has, for people; it changes nothing"},
	"replica":                      {[]string{"internal/certify", "internal/refusal", "archive", "candid/principal", "intercanister", "intercanister/cycles", "timers", "internal/cow", "canister", "replica/"}, "the subnet must not know who drives it"},
	"internal/trace":               {[]string{"internal/candid/generated", "candid/principal", "internal/textwidth", "canister", "intercanister", "intercanister/cycles", "replica"}, "events in, call trees out"},
	"internal/trace/values":        {[]string{"candid", "candid/did", "candid/principal", "internal/trace"}, "values of a tree as text; interfaces are handed in"},
	"internal/explore/search":      {nil, "an order is chosen without knowing what a message is"},
	"internal/explore/harness":     {[]string{"candid", "internal/candid/generated", "candid/management", "candid/principal", "internal/candid/reference", "canister", "internal/explore/search", "intercanister", "replica", "replica/introspect", "timers"}, "runs on forks of a network it is given"},
	"internal/explore/property":    {[]string{"candid", "candid/principal", "internal/candid/reference", "internal/candid/relation", "canister", "internal/explore/harness", "intercanister", "intercanister/cycles", "replica", "replica/introspect"}, "a run is judged without knowing which orders are tried"},
	"internal/explore/schedule":    {nil, "a file format"},
	"internal/explore/corpus":      {[]string{"internal/regular"}, "files of runs, without knowledge of what is in them"},
	"internal/explore/argument":    {[]string{"candid", "candid/principal"}, "values of types, without knowledge of calls"},
	"internal/explore/campaign":    {[]string{"internal/explore/argument", "archive", "internal/contain", "internal/markup", "candid", "candid/did", "internal/candid/generated", "candid/principal", "internal/candid/reference", "canister", "internal/explore/harness", "internal/explore/property", "internal/explore/schedule", "internal/explore/search", "intercanister", "replica"}, "what is explored in which order, without knowledge of the caller"},
	"internal/explore/workqueue/workerv1": {
		nil, "generated from its .proto file",
	},
	"test/campaigntest": {
		[]string{"candid/principal", "internal/explore/campaign", "internal/explore/harness", "internal/explore/property", "replica", "replica/replicatest/real"}, "support for tests",
	},
	"internal/explore/workqueue":      {[]string{"internal/contain", "internal/explore/campaign", "internal/explore/workqueue/workerv1"}, "jobs on their way to other processes, without knowledge of what they run"},
	"explore":                         {[]string{".", "internal/explore/argument", "internal/explore/corpus", "candid", "candid/management", "candid/principal", "internal/inprocess", "internal/explore/campaign", "internal/explore/harness", "internal/explore/property", "internal/explore/schedule", "internal/explore/search", "replica"}, "explorations for Go programs, without a protocol"},
	"replica/driver":                  {[]string{"internal/refusal", "internal/contain", "internal/budget", "internal/callbudget", "candid/principal", "intercanister", "canister", "replica", "replica/introspect", "internal/trace", "internal/profile"}, "owns the goroutine around the subnet"},
	"replica/replicatest":             {[]string{"internal/certify", "internal/trace", "internal/golden", "candid/", "candid", "intercanister", "intercanister/cycles", "canister", "test/canistertest", "test/canistertest/", "replica", "replica/"}, "support for tests"},
	"replica/replicatest/model":       {nil, "a second opinion shares nothing with the first"},
	"api":                             {[]string{"internal/refusal", "candid/principal", "replica", "internal/certify"}, "what front ends share"},
	"api/internal/wire":               {[]string{"internal/refusal", "candid/principal", "internal/budget", "internal/certify"}, "bytes of requests; it authenticates the sender and must not know what the request does"},
	"internal/coverage":               {[]string{"internal/markup", "internal/sourcelines", "internal/textwidth"}, "what ran is added up without knowing how it was found"},
	"internal/coverage/coverdir":      {[]string{"canister", "internal/coverage", "internal/sourcelines"}, "files of what ran, without who ran it"},
	"internal/sourcelines":            {nil, "a line is found without knowing what ran"},
	"internal/profile":                {[]string{"candid/principal"}, "trees of frames, without modules and networks"},
	"internal/profile/export":         {[]string{"candid/principal", "intercanister/cycles", "internal/profile", "internal/textwidth"}, "forms of a profile, without who makes it and where files are"},
	"internal/budget":                 {nil, "a count of bytes"},
	"internal/callbudget":             {[]string{"candid/principal", "intercanister/cycles"}, "counts of instructions, without messages and networks"},
	"api/ic":                          {[]string{"internal/refusal", "internal/budget", "api", "api/internal/", "candid/principal", "intercanister", "replica", "internal/certify"}, "the public interface, and no power beyond it"},
	"proto/control/v1":                {nil, "generated from the .proto files"},
	"api/control":                     {[]string{"api/control/internal/chunkcodec", "internal/budget", "internal/knownmodules", "internal/trace", "internal/trace/values", "internal/refusal", "internal/contain", "api", "instance", "internal/systemcanisters", "internal/explore/campaign", "internal/explore/harness", "internal/explore/property", "internal/explore/schedule", "internal/explore/workqueue", "candid", "candid/", "intercanister", "intercanister/cycles", "archive", "canister", "replica", "replica/", "proto/control/v1", "internal/explore/workqueue/workerv1", "internal/profile", "internal/callbudget", "internal/coverage", "internal/coverage/coverdir", "internal/explore/argument"}, "where test controls are offered"},
	"api/inspect":                     {[]string{"api/internal/", "candid", "candid/did", "internal/budget", "proto/control/v1"}, "pages know instances by the control API alone"},
	"api/control/internal/chunkcodec": {[]string{"proto/control/v1"}, "how chunks are written, not what is in them"},
	"api/control/remote":              {[]string{"api/control/internal/chunkcodec", "proto/control/v1"}, "a client knows the daemon by its API alone"},
	"internal/control/request":        {[]string{"api/control/remote", "candid/principal", "internal/candid/reference", "internal/project", "proto/control/v1"}, "words of people, wherever they write them"},
	"internal/control/deploy":         {[]string{"api/control/remote", "candid/principal", "internal/assets", "internal/clone/", "internal/control/request", "internal/project", "internal/quantity", "proto/control/v1"}, "a project on its way to an instance, without files of ids"},
	"internal/control/observe":        {[]string{"api/control/remote", "candid", "candid/did", "internal/candid/generated", "internal/candid/relation", "proto/control/v1"}, "queries of canisters, without their callers' names"},
	"internal/control/report":         {[]string{"proto/control/v1"}, "answers as text, without their requests"},
	"internal/rehearse":               {[]string{"api/control/remote", "candid", "candid/did", "internal/candid/generated", "internal/stabletypes", "proto/control/v1"}, "an upgrade is tried over the control API alone"},
	"internal/mcp":                    {[]string{"internal/control/deploy", "api/control/remote", "internal/control/observe", "internal/control/report", "internal/control/request", "candid", "candid/did", "candid/principal", "docs", "internal/candid/", "internal/explore/schedule", "internal/project", "internal/quantity", "internal/regular", "proto/control/v1"}, "tools know instances by the control API alone"},
	"docs":                            {nil, "pages, without their readers"},
	"api/internal/origin":             {nil, "headers of browsers"},
	"api/gateway":                     {[]string{"internal/regular", "internal/markup", "internal/refusal", "internal/budget", "api", "api/gateway/internal/verify", "api/internal/", "candid", "candid/did", "candid/principal", "intercanister", "internal/certify", "replica/introspect"}, "pages of canisters, over networks it is given, with no power beyond an anonymous user's"},
	"api/gateway/internal/verify":     {[]string{"api/internal/wire", "candid/principal", "internal/certify"}, "bytes of an answer and a root key"},
	"api/pocketic":                    {[]string{"internal/regular", "internal/markup", "internal/refusal", "internal/contain", "internal/budget", "api", "api/gateway", "api/internal/", "candid", "candid/management", "candid/principal", "intercanister", "intercanister/cycles", "canister", "internal/systemcanisters", "replica", "internal/certify", "replica/introspect", "replica/driver"}, "PocketIC's interface, over a host that makes instances"},
	"api/client":                      {[]string{"api/internal/", "candid/", "internal/certify"}, "speaks to a daemon over its public interface"},
	"internal/systemcanisters":        {[]string{"candid", "candid/management", "candid/principal", "replica"}, "modules and the messages that install them; a network is handed in"},
	"internal/journal":                {nil, "bytes and positions on disk; what a record tells is its user's business"},
	"instance":                        {[]string{"internal/refusal", "archive", "internal/contain", "candid/did", "candid/principal", "canister", "internal/journal", "internal/systemcanisters", "replica", "internal/budget", "internal/callbudget", "replica/driver", "internal/trace", "internal/trace/values"}, "an instance knows no protocol, and nothing of who serves it"},
	"internal/modulecache":            {nil, "a folder and its owner, without what is in it"},
	"internal/inprocess":              {[]string{"canister", "instance", "internal/coverage/coverdir"}, "instances of a process, without what programs do with them"},
	"test/instancetest":               {[]string{"candid", "candid/principal", "test/canistertest/wat", "instance", "replica", "replica/driver"}, "support for tests"},
	"daemon/internal/metrics":         {[]string{"canister", "instance", "internal/journal", "intercanister/cycles", "replica", "internal/budget"}, "numbers of the daemon as text; what was served is handed in"},
	"daemon/internal/otlp":            {[]string{"candid/principal", "intercanister", "intercanister/cycles", "replica", "replica/driver"}, "spans are made of recorded events, as any client could"},
	"daemon":                          {[]string{"internal/modulecache", "internal/mcp", "internal/knownmodules", "internal/budget", "internal/regular", "internal/refusal", "internal/contain", "api", "api/", "internal/explore/workqueue", "instance", "internal/journal", "daemon/internal/metrics", "daemon/internal/otlp", "internal/systemcanisters", "candid/principal", "intercanister", "canister", "replica", "replica/", "internal/coverage/coverdir"}, "wiring"},
	"internal/quantity":               {nil, "amounts as people write them"},
	"internal/knownmodules":           {[]string{"internal/regular"}, "modules by hash, without a canister"},
	"internal/assets":                 {[]string{"candid"}, "files for a canister, without one"},
	"internal/project":                {[]string{"internal/standin", "internal/regular", "candid", "candid/did", "candid/principal", "internal/candid/reference", "internal/quantity"}, "a project is read without knowing who deploys it"},
	"cmd/canisterd/internal/identity": {[]string{"candid/principal", "internal/candid/reference", "internal/project", "internal/regular"}, "keys are read and kept without a daemon"},
	"cmd/canisterd/internal/build":    {[]string{"internal/project", "internal/regular"}, "a module is made without knowing a network"},
	"cmd/canisterd/internal/watch":    {[]string{"internal/regular"}, "files are looked at without knowing what they are for"},
	"cmd/canisterd/internal/deployed": {[]string{"candid/principal", "daemon", "internal/regular", "proto/control/v1"}, "ids that a folder keeps, without a connection"},
	"cmd/canisterd/internal/output":   {nil, "a result as JSON, of any command"},
	"cmd/canisterd/internal/portfile": {nil, "a file with a port, without its server"},
	"cmd/canisterd/internal/template": {nil, "files, without the command that writes them"},
	"internal/standin":                {[]string{"candid", "candid/did", "candid/principal"}, "replies in, a module out"},
	"internal/clone":                  {[]string{"internal/standin", "candid/did", "internal/candid/generated", "candid", "candid/management", "candid/principal", "intercanister/cycles", "internal/regular", "internal/snapshotdir"}, "a canister on its way between networks, without a command line or a protocol"},
	"internal/clone/kept":             {[]string{"candid/principal", "internal/clone", "internal/project", "internal/quantity"}, "clones of a project without a network"},
	"internal/clone/networks":         {[]string{"api/client", "api/control/remote", "candid/principal", "internal/certify", "internal/clone", "internal/standin", "proto/control/v1"}, "connections, without what is cloned over them"},
	"internal/snapshotdir":            {[]string{"candid/management", "internal/regular"}, "files of a snapshot, without a canister"},
	"cmd/canisterd":                   {[]string{"cmd/canisterd/internal/", "internal/candid/", "internal/regular", "daemon", "intercanister/cycles", "internal/assets", "internal/project", "internal/quantity", "internal/systemcanisters", "api/client", "api/control/remote", "proto/control/v1", "candid", "candid/", "internal/textwidth", "internal/profile", "internal/profile/", "internal/coverage", "internal/coverage/", "internal/control/deploy", "internal/control/observe", "internal/control/report", "internal/control/request", "internal/mcp", "docs", "internal/callbudget", "internal/clone", "internal/clone/kept", "internal/clone/networks", "internal/snapshotdir", "internal/rehearse", "internal/knownmodules", "internal/standin", "internal/explore/harness", "internal/explore/corpus", "component", "component/wasi", "internal/component/"}, "the command line is a client, which knows the price list of other subnets"},
	"cmd/dist":                        {[]string{"cmd/dist/compile"}, "packs the binary, and knows nothing of it"},
	"cmd/dist/compile":                {nil, "compiles the binary, and knows nothing of packages"},
	"test/torture":                    {[]string{"api/client", "api/control/remote", "candid", "candid/principal", "canister", "test/canistertest/wat", "instance", "internal/journal", "proto/control/v1", "replica", "replica/driver"}, "kills the binary from outside, and instances on simulated disks"},
	"test/resources":                  {nil, "what the kernel tells of a process"},
	"test/collector":                  {nil, "a setting of the process"},
	"test/knownmodules":               {[]string{"internal/candid/generated", "internal/knownmodules"}, "reads modules as files"},
	"test/size":                       {[]string{"cmd/dist/compile"}, "reads the binary as a file"},
	"test/soak":                       {[]string{"api/client", "api/control/remote", "candid/principal", "test/canistertest/wat", "internal/journal", "test/resources", "proto/control/v1"}, "loads the binary from outside, and knows the limits of its journal"},
	"test/largeclone":                 {[]string{"test/canistertest/wat", "test/resources"}, "clones between two processes from outside"},
	"test/hostile":                    {[]string{"test/resources", "api/control/remote", "proto/control/v1", "candid", "candid/management", "candid/principal", "test/canistertest/wat"}, "attacks the binary from outside"},
	".":                               {[]string{"internal/modulecache", "internal/profile", "internal/profile/", "internal/trace", "internal/inprocess", "internal/refusal", "internal/contain", "api", "instance", "internal/assets", "internal/project", "internal/quantity", "candid", "candid/", "intercanister", "intercanister/cycles", "timers", "canister", "replica", "replica/", "internal/callbudget", "internal/clone", "internal/clone/kept"}, "networks for Go programs, without a protocol"},
	"component":                       {nil, "a component runs on the engine alone, and knows no canister"},
	"component/explore":               {[]string{"component", "internal/explore/search"}, "orders of components, which know nothing of it"},
	"component/wasi":                  {[]string{"component"}, "a host supplies functions, and knows nothing of who runs a component"},
	"internal/component/wave":         {[]string{"component", "internal/textwidth"}, "values and their text"},
	"internal/component/wit":          {[]string{"component"}, "types and their text"},
	"test/e2e":                        {nil, "drives the binary from outside"},
	"test":                            {nil, "runs the tests, and knows none"},
	"examples":                        {[]string{".", "daemon", "api/client", "api/control/remote", "proto/control/v1", "candid", "candid/", "explore", "examples/asyncbugs", "examples/gocanister/ic"}, "what a newcomer would import"},
}

func rule(dir string) (string, bool) {
	for {
		if _, ok := arrows[dir]; ok {
			return dir, true
		}
		cut := strings.LastIndex(dir, "/")
		if cut < 0 {
			return "", false
		}
		dir = dir[:cut]
	}
}

// folderOf is the folder of a package of this module, "." for the one at its root.
func folderOf(path string) (folder string, ours bool) {
	if path+"/" == module {
		return ".", true
	}
	return strings.CutPrefix(path, module)
}

func TestArrowsPointFromTheEdgeToTheVocabulary(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		name, ok := rule(s.dir())
		if !ok {
			t.Errorf("%s has no entry in the import map: add its folder with a reason", s.path)
			continue
		}
		rule := arrows[name]
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			ours, found := folderOf(path)
			if !found || ours == s.dir() || ours == name || allowed(rule.may, ours) {
				continue
			}
			t.Errorf("%s:%d imports %s: %s may import only %s (%s)", s.path, s.line(imp.Pos()), ours, name, strings.Join(rule.may, ", "), rule.reason)
		}
	}
}

// allowed reports whether path is in the list; an entry that ends in a slash
// covers all below it.
func allowed(may []string, path string) bool {
	return slices.ContainsFunc(may, func(entry string) bool {
		return entry == path || strings.HasSuffix(entry, "/") && strings.HasPrefix(path, entry)
	})
}

// floors are the parts of the house from the bottom up. A part imports what is below it and what is beside it, never
// what is above.
var floors = []string{
	"internal/cow", "internal/golden", "candid", "internal/candid", "archive", "internal/contain", "internal/refusal", "internal/stabletypes", "internal/textwidth", "internal/markup", "internal/budget", "internal/certify", "internal/profile", "timers", "intercanister", "internal/callbudget", "internal/profile/export", "internal/sourcelines", "canister", "replica", "internal/trace", "internal/coverage", "replica/driver", "replica/replicatest", "internal/explore/search",
	"internal/explore/argument", "internal/explore/harness", "internal/explore/property", "internal/explore/schedule", "internal/explore/corpus", "internal/explore/campaign", "internal/explore/workqueue", "internal/quantity", "internal/knownmodules", "internal/assets", "internal/standin", "internal/snapshotdir", "internal/project", "internal/systemcanisters", "internal/journal", "instance", "internal/modulecache", "internal/inprocess", "api", "internal/clone", "internal/control", "internal/rehearse", "internal/mcp", "daemon", ".", "explore", "cmd", "test/e2e", "examples",
}

// floor is the height of a folder; 0 for one that is beside the house, such as generated code.
func floor(dir string) int {
	height := 0
	for i, name := range floors {
		if dir == name || strings.HasPrefix(dir, name+"/") && (height == 0 || len(name) > len(floors[height-1])) {
			height = i + 1
		}
	}
	return height
}

func TestNoImportRunsUpward(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		from := floor(s.dir())
		if s.test() || from == 0 {
			continue
		}
		for _, imp := range s.file.Imports {
			ours, found := folderOf(strings.Trim(imp.Path.Value, `"`))
			if !found {
				continue
			}
			looked++
			if to := floor(ours); to > from {
				t.Errorf("%s:%d imports %s, which is above it: what %s needs of it belongs to a lower floor, or is handed in", s.path, s.line(imp.Pos()), ours, floors[from-1])
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d imports were read", looked)
	}
}

// TestEveryArrowIsUsed fails on entries of the import map that no file needs.
func TestEveryArrowIsUsed(t *testing.T) {
	used := map[string]map[string]bool{}
	for _, s := range sources(t) {
		name, ok := rule(s.dir())
		if s.test() || !ok {
			continue
		}
		if used[name] == nil {
			used[name] = map[string]bool{}
		}
		for _, imp := range s.file.Imports {
			ours, found := folderOf(strings.Trim(imp.Path.Value, `"`))
			for _, entry := range arrows[name].may {
				if found && allowed([]string{entry}, ours) {
					used[name][entry] = true
				}
			}
		}
	}
	for name, arrow := range arrows {
		for _, entry := range arrow.may {
			if !used[name][entry] {
				t.Errorf("%s may import %s, and does not: take it out of the import map", name, entry)
			}
		}
	}
}

// importList is a sentence about who imports a package: the import map is where that is said.
var importList = regexp.MustCompile(`\b(may\s+import\s+it|[Ii]t\s+imports\b|imports?\s+it\b|imports\s+only\b)`)

func TestDocumentationOfPackagesHasNoImportLists(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		if !strings.HasSuffix(s.path, "/doc.go") {
			continue
		}
		looked++
		text := strings.ReplaceAll(string(s.text), "\n//", "")
		if found := importList.FindString(text); found != "" {
			t.Errorf("%s says %q: the import map of internal/architecture/imports_test.go says who imports whom, and is tested", s.path, found)
		}
	}
	if looked < 30 {
		t.Errorf("only %d files were read", looked)
	}
}

// once are types and rules that have one declaration: the pattern of one, and where it is.
var once = map[string]string{
	`(?m)^type MethodKind\b`:       "canister/engine.go",
	`(?m)^type Receipt\b`:          "replica/input.go",
	`(?m)^type ErrorCode\b`:        "intercanister/codes.go",
	`(?m)^func .*\bIdlePerDay\(`:   "intercanister/cycles/schedule.go",
	`\.IdlePerDay\([^)]*\)\.Mul\(`: "intercanister/cycles/schedule.go",
	`\bHoldings\{Memory: max\(`:    "intercanister/cycles/schedule.go",
}

func TestTypesAndRulesAreDeclaredOnce(t *testing.T) {
	for pattern, home := range once {
		declared := regexp.MustCompile(pattern)
		count := 0
		for _, s := range sources(t) {
			if s.test() || s.generated() || !declared.Match(s.text) {
				continue
			}
			if count++; s.path != home {
				t.Errorf("%s declares what %q finds: its one declaration is in %q", s.path, pattern, home)
			}
		}
		if home != "" && count == 0 {
			t.Errorf("%s does not declare what %q finds", home, pattern)
		}
	}
}
