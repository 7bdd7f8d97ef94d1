package control_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// two is a daemon with two application subnets, and time that stands still.
func two(t *testing.T) (a *api, first, second string) {
	t.Helper()
	a = served(t, daemon.Config{Subnets: []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.Application}, {Kind: replica.Application}}})
	a.still()
	subnets := a.daemon.Subnets()
	first, second = subnets[1].ID.String(), subnets[2].ID.String()
	a.mask(first, "FIRST")
	a.mask(second, "SECOND")
	return a, first, second
}

func (a *api) create(in *controlv1.CreateCanisterRequest, name string) string {
	a.Helper()
	out := call(a, a.canisters.CreateCanister, in)
	id := out.GetCanisterId()
	a.mask(id, name)
	return id
}

func TestACanisterFromItsCreationToItsEnd(t *testing.T) {
	a, _, second := two(t)
	alice := principal.SelfAuthenticating([]byte("alice")).String()
	a.mask(alice, "ALICE")
	id := a.create(&controlv1.CreateCanisterRequest{}, "PLAIN")
	gone := a.create(&controlv1.CreateCanisterRequest{
		SubnetId: second, Cycles: "123456789012345678901234567890", Sender: alice,
		Settings: &controlv1.Settings{
			ComputeAllocation: new(uint64(5)), MemoryAllocation: new(uint64(1 << 20)), FreezingThreshold: new(uint64(86_400)),
			ReservedCyclesLimit: new("7"), WasmMemoryLimit: new(uint64(1 << 30)), WasmMemoryThreshold: new(uint64(1 << 16)),
			LogVisibility: &controlv1.Visibility{Public: true}, SnapshotVisibility: &controlv1.Visibility{Viewers: []string{alice}},
			StatusVisibility: &controlv1.Visibility{}, LogMemoryLimit: new(uint64(1 << 13)),
			Environment:                       &controlv1.Environment{Variables: []*controlv1.EnvironmentVariable{{Name: "NETWORK", Value: "local"}}},
			MinimumIncomingCanisterCallCycles: new("9"),
		},
	}, "RICH")
	call(a, a.canisters.GetCanister, &controlv1.GetCanisterRequest{CanisterId: gone})
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{PageSize: 2})
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{PageSize: 2, PageToken: id})
	call(a, a.canisters.UpdateSettings, &controlv1.UpdateSettingsRequest{CanisterId: id, Settings: &controlv1.Settings{FreezingThreshold: new(uint64(7))}})
	a.note("stop, start, uninstall and delete")
	call(a, a.canisters.StopCanister, &controlv1.StopCanisterRequest{CanisterId: id})
	call(a, a.canisters.StartCanister, &controlv1.StartCanisterRequest{CanisterId: id})
	call(a, a.canisters.UninstallCode, &controlv1.UninstallCodeRequest{CanisterId: id})
	call(a, a.canisters.DeleteCanister, &controlv1.DeleteCanisterRequest{CanisterId: id})
	call(a, a.canisters.DeleteCanister, &controlv1.DeleteCanisterRequest{CanisterId: id, Stop: true})
	call(a, a.canisters.GetCanister, &controlv1.GetCanisterRequest{CanisterId: id})
	a.note("cycles")
	call(a, a.canisters.SetCycles, &controlv1.SetCyclesRequest{CanisterId: gone, Cycles: "5000000000000"})
	call(a, a.canisters.AddCycles, &controlv1.AddCyclesRequest{CanisterId: gone, Cycles: "17"})
	a.note("its version")
	call(a, a.canisters.SetVersion, &controlv1.SetVersionRequest{CanisterId: gone, CanisterVersion: 70})
	call(a, a.canisters.GetCanister, &controlv1.GetCanisterRequest{CanisterId: gone})
	a.note("it has no controllers")
	call(a, a.canisters.UpdateSettings, &controlv1.UpdateSettingsRequest{CanisterId: gone, Settings: &controlv1.Settings{Controllers: &controlv1.Controllers{}}})
	call(a, a.canisters.StopCanister, &controlv1.StopCanisterRequest{CanisterId: gone})
	a.compare("canisters")
}

func TestACanisterHasTheIDItIsMadeWith(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Subnets: []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.II}}})
	a.still()
	identity := principal.Canister(7).String()
	call(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{CanisterId: identity, Cycles: "5"})
	call(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{CanisterId: identity})
	call(a, a.calls.Update, update(&controlv1.Call{
		CanisterId: "aaaaa-aa", Method: "provisional_create_canister_with_cycles", ReplyForm: asJSON,
		Argument: textOf(`(record { specified_id = opt principal "` + principal.Canister(9).String() + `" })`),
	}))
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{})
	a.compare("canisters_chosen")
}

func TestTheSubnetThatHasTheIDOfACanisterIsAdded(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	of := func(n uint64) string { return principal.Canister(n).String() }
	for _, in := range []*controlv1.CreateCanisterRequest{
		{CanisterId: of(7)},                  // Internet Identity
		{CanisterId: of(7), AddSubnet: true}, // adds its subnet
		{CanisterId: of(8), AddSubnet: true}, // of the root subnet, which is there
		{CanisterId: of(0x1a00000), AddSubnet: true},
		{CanisterId: of(0x100000), AddSubnet: true}, // of an application subnet of mainnet
		{AddSubnet: true},
		{CanisterId: "x", AddSubnet: true},
	} {
		call(a, a.canisters.CreateCanister, in)
	}
	a.compare("canisters_added_subnet")
}

func TestACanisterMovesBetweenSubnets(t *testing.T) {
	t.Parallel()
	a, first, second := two(t)
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.mask(id, "COUNTER")
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: id, SubnetId: second})
	call(a, a.canisters.StopCanister, &controlv1.StopCanisterRequest{CanisterId: id})
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: id, SubnetId: first})
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: id, SubnetId: "x"})
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: id, SubnetId: id})
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: id, SubnetId: second})
	call(a, a.canisters.StartCanister, &controlv1.StartCanisterRequest{CanisterId: id})
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "inc", ReplyForm: asJSON}))
	a.compare("canisters_move")
}

func TestAModuleIsInstalledReinstalledAndUpgraded(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	id := a.create(&controlv1.CreateCanisterRequest{}, "COUNTER")
	counter := canistertest.Fixture("counter")
	inc := func() {
		call(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "inc", ReplyForm: asJSON}))
	}
	install := func(head *controlv1.InstallHead, module []byte, debug ...*controlv1.InstallCodeRequest) {
		t.Helper()
		head.CanisterId = id
		a.asked(head)
		out, err := a.upload(head, module, debug...)
		if err != nil {
			a.failed(err)
			return
		}
		a.answered(out)
	}
	install(&controlv1.InstallHead{Mode: controlv1.InstallMode_INSTALL_MODE_UPGRADE}, counter)
	install(&controlv1.InstallHead{}, counter)
	inc()
	install(&controlv1.InstallHead{Mode: controlv1.InstallMode_INSTALL_MODE_INSTALL}, counter)
	install(&controlv1.InstallHead{}, counter)
	inc()
	install(&controlv1.InstallHead{SkipPreUpgrade: true, KeepMainMemory: new(true)}, counter)
	install(&controlv1.InstallHead{KeepMainMemory: new(false)}, counter)
	inc()
	install(&controlv1.InstallHead{Mode: controlv1.InstallMode_INSTALL_MODE_REINSTALL}, counter)
	inc()
	a.note("packed by gzip; by somebody else; with what is not an argument; what is not a module")
	install(&controlv1.InstallHead{Mode: controlv1.InstallMode_INSTALL_MODE_REINSTALL, Argument: jsonOf(`[]`)}, packed(t, counter))
	install(&controlv1.InstallHead{Sender: principal.SelfAuthenticating([]byte("bob")).String()}, counter)
	install(&controlv1.InstallHead{Argument: jsonOf(`[5]`)}, counter)
	install(&controlv1.InstallHead{Argument: jsonOf(`[]`)}, canistertest.Scriptable())
	install(&controlv1.InstallHead{Argument: textOf(`(`)}, canistertest.Scriptable())
	install(&controlv1.InstallHead{Argument: textOf(`()`)}, []byte("nonsense"))
	install(&controlv1.InstallHead{Mode: 9}, counter)
	install(&controlv1.InstallHead{Mode: controlv1.InstallMode_INSTALL_MODE_REINSTALL, SkipPreUpgrade: true}, counter)
	install(&controlv1.InstallHead{}, nil)
	a.note("with a source map that is none")
	install(&controlv1.InstallHead{}, counter, &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_SourceMap{SourceMap: []byte("nonsense")}})
	inc()
	a.note("debug information alone, for the module that the canister has, and for another one")
	install(&controlv1.InstallHead{OnlyDebugInfo: true}, counter)
	install(&controlv1.InstallHead{OnlyDebugInfo: true}, counter, &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_SourceMap{SourceMap: []byte("nonsense")}})
	install(&controlv1.InstallHead{OnlyDebugInfo: true}, canistertest.Scriptable())
	a.note("by the hash of a module that a canister has, with a chunk, that no canister has, and that is none")
	hash := sha256.Sum256(packed(t, counter))
	install(&controlv1.InstallHead{ModuleHash: hash[:]}, nil)
	install(&controlv1.InstallHead{ModuleHash: hash[:], OnlyDebugInfo: true}, nil)
	install(&controlv1.InstallHead{ModuleHash: hash[:]}, counter)
	hash[0]++
	install(&controlv1.InstallHead{ModuleHash: hash[:]}, nil)
	install(&controlv1.InstallHead{ModuleHash: hash[:5]}, nil)
	inc()
	a.compare("canisters_install")
}

func packed(t testing.TB, module []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(module); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnUploadThatIsBrokenInstallsNothing(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	id := a.create(&controlv1.CreateCanisterRequest{}, "EMPTY")
	head := &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: id}}}
	chunk := &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: make([]byte, 3<<20)}}
	large := []*controlv1.InstallCodeRequest{head}
	for range 35 {
		large = append(large, chunk)
	}
	for _, parts := range [][]*controlv1.InstallCodeRequest{{}, {chunk}, {{}}, {head, head}, {head, {}}, large} {
		stream, err := a.canisters.InstallCode(a.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if stream.Send(part) != nil {
				break
			}
		}
		_, err = stream.CloseAndRecv()
		a.failed(err)
	}
	ctx, cancel := context.WithCancel(a.ctx)
	stream, err := a.canisters.InstallCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(head); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := stream.CloseAndRecv(); status.Code(err) != codes.Canceled {
		t.Errorf("given up: %v", err)
	}
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{})
	a.compare("canisters_upload")
}

func TestAModuleOf100MiBIsInstalled(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{}).GetCanisterId()
	module := bytes.Clone(canistertest.Fixture("counter"))
	const most, head = 100 << 20, 1 + 5 // a custom section to the largest size there is
	filler := most - len(module) - head
	module = append(module, 0, byte(filler)|0x80, byte(filler>>7)|0x80, byte(filler>>14)|0x80, byte(filler>>21)|0x80, byte(filler>>28))
	module = append(module, append([]byte{1, 'x'}, make([]byte, filler-2)...)...)
	if _, err := a.upload(&controlv1.InstallHead{CanisterId: id}, module); err != nil {
		t.Fatal(err)
	}
	out := must(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "inc", ReplyForm: asJSON}))
	if got := out.GetOutcome().GetReply().GetJson(); got != "[1]" {
		t.Errorf("the counter says %s", got)
	}
}

func TestMetadataAndTheInterfaceOfAModule(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	blank := a.installed(canistertest.Scriptable(), rawOf(""))
	empty := must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{}).GetCanisterId()
	a.mask(id, "COUNTER")
	a.mask(blank, "BLANK")
	a.mask(empty, "EMPTY")
	for _, canister := range []string{id, blank, empty} {
		call(a, a.canisters.GetInterface, &controlv1.GetInterfaceRequest{CanisterId: canister})
		call(a, a.canisters.ReadMetadata, &controlv1.ReadMetadataRequest{CanisterId: canister, Name: "candid:service"})
	}
	call(a, a.canisters.GetInterface, &controlv1.GetInterfaceRequest{CanisterId: "aaaaa-aa"})
	a.compare("canisters_metadata")
}

func TestMemoriesAreReadAsTheyWereCommitted(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	id := a.installed(canistertest.Scriptable(), rawOf(""))
	a.mask(id, "SCRIPT")
	run := func(text string) {
		must(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "run", Argument: rawOf(string(canistertest.MustParse(text, nil).Bytes()))}))
	}
	run(`drop stable-grow(40); stable-write 1048570, "across the chunks"; reply`)
	read := func(in *controlv1.ReadMemoryRequest) []*controlv1.ReadMemoryResponse {
		in.CanisterId = id
		return collect(a, a.canisters.ReadMemory, in)
	}
	stable := controlv1.MemoryKind_MEMORY_KIND_STABLE
	read(&controlv1.ReadMemoryRequest{Memory: stable, Offset: 1048570, Length: 17})
	read(&controlv1.ReadMemoryRequest{Memory: stable, Offset: 40 << 16})
	read(&controlv1.ReadMemoryRequest{Memory: stable, Offset: 40<<16 + 1})
	read(&controlv1.ReadMemoryRequest{Memory: stable, Offset: 1, Length: 40 << 16})
	read(&controlv1.ReadMemoryRequest{Memory: stable, Offset: 1, Length: 1<<64 - 1})
	read(&controlv1.ReadMemoryRequest{})
	read(&controlv1.ReadMemoryRequest{Memory: controlv1.MemoryKind_MEMORY_KIND_HEAP, Length: 8})
	id = principal.Canister(99).String()
	read(&controlv1.ReadMemoryRequest{Memory: stable})
	id = must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{}).GetCanisterId()
	a.mask(id, "EMPTY")
	read(&controlv1.ReadMemoryRequest{Memory: stable})
	a.compare("canisters_memory")
}

func TestAWholeMemoryComesInPiecesOf1MiB(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.installed(canistertest.Scriptable(), rawOf(""))
	program := canistertest.MustParse(`drop stable-grow(40); stable-write 1048570, "across the chunks"; reply`, nil).Bytes()
	must(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "run", Argument: rawOf(string(program))}))
	stream, err := a.canisters.ReadMemory(a.ctx, &controlv1.ReadMemoryRequest{CanisterId: id, Memory: controlv1.MemoryKind_MEMORY_KIND_STABLE})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	var pieces []int
	for {
		out, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil || out.GetOffset() != uint64(len(all)) {
			t.Fatalf("after %d bytes: %d at %d, %v", len(all), len(out.GetChunk()), out.GetOffset(), err)
		}
		all, pieces = append(all, out.GetChunk()...), append(pieces, len(out.GetChunk()))
	}
	if !slices.Equal(pieces, []int{1_048_576, 1_048_576, 524_288}) {
		t.Errorf("2.5 MiB come in pieces of %d", pieces)
	}
	if len(all) != 40<<16 || string(all[1048570:1048587]) != "across the chunks" || len(bytes.Trim(all, "\x00")) != 17 {
		t.Errorf("%d bytes", len(all))
	}
}

func TestLogsAreReadAndFollowed(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	id := a.installed(canistertest.Scriptable(), rawOf(""))
	a.mask(id, "SCRIPT")
	log := func(line string) {
		t.Helper()
		must(a, a.calls.Update, update(&controlv1.Call{CanisterId: id, Method: "run", Argument: rawOf(string(canistertest.MustParse(fmt.Sprintf("print %q; reply", line), nil).Bytes()))}))
	}
	for _, line := range strings.Fields("one two three") {
		log(line)
	}
	collect(a, a.canisters.ReadLogs, &controlv1.ReadLogsRequest{CanisterId: id})
	collect(a, a.canisters.ReadLogs, &controlv1.ReadLogsRequest{CanisterId: id, Last: 1})
	collect(a, a.canisters.ReadLogs, &controlv1.ReadLogsRequest{CanisterId: id, FromIndex: 1, Last: 5})
	collect(a, a.canisters.ReadLogs, &controlv1.ReadLogsRequest{CanisterId: id, FromIndex: 9})
	a.note("followed by two clients, until the canister is gone")
	var followers []interface {
		Recv() (*controlv1.ReadLogsResponse, error)
	}
	for _, client := range []*api{a, connected(t, a.daemon)} {
		stream, err := client.canisters.ReadLogs(client.ctx, &controlv1.ReadLogsRequest{CanisterId: id, Follow: true, Last: 1})
		if err != nil {
			t.Fatal(err)
		}
		followers = append(followers, stream)
	}
	for _, line := range strings.Fields("three four five") {
		if line != "three" {
			log(line)
		}
		for _, f := range followers {
			out, err := f.Recv()
			if err != nil {
				t.Fatal(err)
			}
			a.answered(out)
		}
	}
	must(a, a.canisters.DeleteCanister, &controlv1.DeleteCanisterRequest{CanisterId: id, Stop: true})
	for _, f := range followers {
		_, err := f.Recv()
		a.failed(err)
	}
	a.compare("canisters_logs")
}

func TestWhatIsAskedOfCanistersIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	a, first, second := two(t)
	id := a.create(&controlv1.CreateCanisterRequest{}, "EMPTY")
	nobody := principal.Canister(99).String()
	create := func(in *controlv1.CreateCanisterRequest) { call(a, a.canisters.CreateCanister, in) }
	create(&controlv1.CreateCanisterRequest{Instance: "x"})
	create(&controlv1.CreateCanisterRequest{Sender: "x"})
	create(&controlv1.CreateCanisterRequest{Cycles: "-1"})
	create(&controlv1.CreateCanisterRequest{Cycles: strings.Repeat("9", 60)})
	create(&controlv1.CreateCanisterRequest{SubnetId: "x"})
	create(&controlv1.CreateCanisterRequest{SubnetId: id})
	create(&controlv1.CreateCanisterRequest{CanisterId: "x"})
	create(&controlv1.CreateCanisterRequest{CanisterId: id})
	create(&controlv1.CreateCanisterRequest{CanisterId: id, SubnetId: second})
	create(&controlv1.CreateCanisterRequest{CanisterId: principal.SelfAuthenticating([]byte("x")).String()})
	create(&controlv1.CreateCanisterRequest{SubnetId: first, Settings: &controlv1.Settings{ComputeAllocation: new(uint64(101))}})
	for _, settings := range []*controlv1.Settings{
		nil,
		{Controllers: &controlv1.Controllers{Principals: []string{"x"}}},
		{ReservedCyclesLimit: new("x")},
		{MinimumIncomingCanisterCallCycles: new("")},
		{LogVisibility: &controlv1.Visibility{Public: true, Viewers: []string{id}}},
		{SnapshotVisibility: &controlv1.Visibility{Viewers: []string{"x"}}},
		{StatusVisibility: &controlv1.Visibility{Public: true, Viewers: []string{id}}},
		{Environment: &controlv1.Environment{Variables: []*controlv1.EnvironmentVariable{{Name: "A"}, {Name: "A"}}}},
	} {
		call(a, a.canisters.UpdateSettings, &controlv1.UpdateSettingsRequest{CanisterId: id, Settings: settings})
	}
	call(a, a.canisters.UpdateSettings, &controlv1.UpdateSettingsRequest{CanisterId: nobody})
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{Instance: "x"})
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{PageSize: 1001})
	call(a, a.canisters.ListCanisters, &controlv1.ListCanistersRequest{PageToken: "x"})
	call(a, a.canisters.UninstallCode, &controlv1.UninstallCodeRequest{CanisterId: nobody})
	call(a, a.canisters.StartCanister, &controlv1.StartCanisterRequest{})
	call(a, a.canisters.StopCanister, &controlv1.StopCanisterRequest{CanisterId: "x"})
	call(a, a.canisters.DeleteCanister, &controlv1.DeleteCanisterRequest{CanisterId: nobody})
	call(a, a.canisters.GetCanister, &controlv1.GetCanisterRequest{CanisterId: nobody})
	call(a, a.canisters.ReadMetadata, &controlv1.ReadMetadataRequest{CanisterId: nobody})
	call(a, a.canisters.GetInterface, &controlv1.GetInterfaceRequest{CanisterId: nobody})
	call(a, a.canisters.SetCycles, &controlv1.SetCyclesRequest{CanisterId: id})
	call(a, a.canisters.SetCycles, &controlv1.SetCyclesRequest{CanisterId: nobody})
	call(a, a.canisters.AddCycles, &controlv1.AddCyclesRequest{CanisterId: id, Cycles: "1.5"})
	call(a, a.canisters.SetVersion, &controlv1.SetVersionRequest{CanisterId: nobody})
	call(a, a.canisters.MoveCanister, &controlv1.MoveCanisterRequest{CanisterId: nobody})
	collect(a, a.canisters.ReadLogs, &controlv1.ReadLogsRequest{CanisterId: nobody})
	collect(a, a.canisters.ReadMemory, &controlv1.ReadMemoryRequest{CanisterId: nobody})
	a.compare("canisters_refused")
}
