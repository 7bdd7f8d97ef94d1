package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
)

// served is the real binary as a process, with a client of its control API: what users run.
type served struct {
	*testing.B
	*remote.Daemon
	health  healthv1.HealthClient
	process *os.Process
	stop    func() // ends the process; it may be called again
}

// binaryOf builds the binary, as make build does.
var binaryOf = sync.OnceValues(func() (string, error) {
	var err error
	if binaryFolder, err = os.MkdirTemp("", "canisterd-bench-"); err != nil {
		return "", err
	}
	path := filepath.Join(binaryFolder, "canisterd")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building canisterd: %w\n%s", err, out)
	}
	return path, nil
})

// start runs the binary until it says that requests are served.
func start(b *testing.B, cache string) *served {
	b.Helper()
	program, err := binaryOf()
	if err != nil {
		b.Fatal(err)
	}
	s, _ := serve(b, exec.Command(program, "start", "--ephemeral", "--listen", "127.0.0.1:0", "--json", "--cache-dir", cache))
	return s
}

// serve runs a program until it says that requests are served, and returns what it says.
func serve(b *testing.B, cmd *exec.Cmd) (*served, ready) {
	b.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // Wait says how it ended
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(stop)
	var says ready
	if err := json.NewDecoder(out).Decode(&says); err != nil {
		b.Fatal(err)
	}
	client, err := remote.Dial(says.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() })
	return &served{b, client, healthv1.NewHealthClient(connect(b, says.URL)), cmd.Process, stop}, says
}

// connect connects to a server of gRPC.
func connect(b *testing.B, url string) *grpc.ClientConn {
	b.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// deploy makes a canister and installs a module in it.
func (s *served) deploy(module []byte) string {
	s.Helper()
	id := s.create()
	s.install(id, controlv1.InstallMode_INSTALL_MODE_INSTALL, module)
	return id
}

// deployByHash makes a canister and installs a module in it that another canister has.
func (s *served) deployByHash(hash [sha256.Size]byte) {
	s.Helper()
	head := &controlv1.InstallHead{CanisterId: s.create(), ModuleHash: hash[:]}
	if _, err := s.Install(s.Context(), head, nil, nil); err != nil {
		s.Fatal(err)
	}
}

// create makes a canister.
func (s *served) create() (id string) {
	s.Helper()
	made, err := s.Canisters.CreateCanister(s.Context(), &controlv1.CreateCanisterRequest{})
	if err != nil {
		s.Fatal(err)
	}
	return made.GetCanisterId()
}

// install installs a module in a canister.
func (s *served) install(id string, mode controlv1.InstallMode, module []byte) {
	s.Helper()
	if err := s.upload(id, mode, module, "()"); err != nil {
		s.Fatal(err)
	}
}

// upload uploads a module to a canister, with an argument in text form. The error is the daemon's.
func (s *served) upload(id string, mode controlv1.InstallMode, module []byte, argument string) error {
	s.Helper()
	stream, err := s.Canisters.InstallCode(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	parts := []*controlv1.InstallCodeRequest{{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{
		CanisterId: id, Mode: mode, Argument: &controlv1.Value{Form: &controlv1.Value_Text{Text: argument}},
	}}}}
	for chunk := range slices.Chunk(module, 1<<20) {
		parts = append(parts, &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: chunk}})
	}
	for _, part := range parts {
		if err := stream.Send(part); err != nil {
			s.Fatal(err)
		}
	}
	_, err = stream.CloseAndRecv()
	return err
}

// empty is an RPC that does nothing.
func (s *served) empty() {
	if _, err := s.health.Check(context.Background(), &healthv1.HealthCheckRequest{}); err != nil {
		s.Error(err)
	}
}

// used is the processor time that the process has used.
func (s *served) used() time.Duration {
	s.Helper()
	const sched = 2 // CPUCLOCK_SCHED, of clock_getcpuclockid(3): processor time, exactly
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^s.process.Pid<<3|sched), &t); err != nil {
		s.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// flood is the processor time that the process uses for one of many RPCs of 64 clients.
func (s *served) flood(rpc func()) time.Duration {
	const clients, each = 64, 100
	begun := s.used()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range each {
				rpc()
			}
		})
	}
	all.Wait()
	return (s.used() - begun) / (clients * each)
}

// The memory of an idle daemon has become stable when it has changed by less than stillBytes for stillTime: within a few
// seconds it evicts idle canisters, and then gives free memory back.
const (
	stillBytes = 64 << 10
	stillTime  = 8 * time.Second
)

// resident is the anonymous memory of the process and what its files in memory hold, in bytes, once they are stable.
func (s *served) resident() float64 {
	s.Helper()
	files := s.memoryFiles()
	look := func() float64 {
		total := s.statusBytes("RssAnon:")
		for _, file := range files {
			total += s.blocksOf(file)
		}
		return total
	}
	last, since := look(), time.Now()
	eventually.True(s, "memory that stays the same", func() bool {
		if now := look(); math.Abs(now-last) > stillBytes {
			last, since = now, time.Now()
		}
		return time.Since(since) >= stillTime
	})
	return look()
}

// statusBytes is a line of the process's status in bytes.
func (s *served) statusBytes(name string) float64 {
	s.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Pid))
	if err != nil {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				s.Fatal(err)
			}
			return kilobytes * 1024
		}
	}
	s.Fatalf("the status of the process has no line %s", name)
	return 0
}

// memoryFiles returns the paths of the process's open files that are in memory.
func (s *served) memoryFiles() (files []string) {
	s.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.process.Pid))
	if err != nil {
		s.Fatal(err)
	}
	for _, path := range open {
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "/memfd:") {
			files = append(files, path)
		}
	}
	return files
}

// blocksOf returns how many bytes a file takes, mapped or not.
func (s *served) blocksOf(path string) float64 {
	s.Helper()
	var stat syscall.Stat_t
	if err := syscall.Stat(path, &stat); err != nil {
		s.Fatal(err)
	}
	const block = 512 // of st_blocks, on each file system (stat(3type))
	return float64(stat.Blocks * block)
}

// BenchmarkRatioStartToReady is the time from the start of the binary until it serves requests;
// the floor is the same binary that says its version.
func BenchmarkRatioStartToReady(b *testing.B) {
	program, err := binaryOf()
	if err != nil {
		b.Fatal(err)
	}
	cache := b.TempDir()
	ratio.CompareTimed(b, 3, func() time.Duration {
		return startToReady(b, cache)
	}, func() time.Duration {
		begun := time.Now()
		if err := exec.Command(program, "--version").Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(begun)
	})
}

// BenchmarkRatioStartWithAFullCache is the time from the start of the binary until it serves requests, with a cache of
// 2,000 compiled modules, of which it uses none; the floor is such a start with an empty cache. It measures 1.0, and measured
// 3.8 when a start listed the cache: the limit of 1.5 is above the noise of starts and far below that.
func BenchmarkRatioStartWithAFullCache(b *testing.B) {
	full, empty := b.TempDir(), b.TempDir()
	fillCache(b, full, 2000)
	startToReady(b, full) // the first start of a day tidies the folder
	ratio.CompareTimed(b, 1.5, func() time.Duration { return startToReady(b, full) }, func() time.Duration { return startToReady(b, empty) })
}

// startKnowing starts the binary with a cache that has the compiled module, and deploys it once.
func startKnowing(b *testing.B, module []byte) *served {
	b.Helper()
	program, err := binaryOf()
	if err != nil {
		b.Fatal(err)
	}
	file, cache := filepath.Join(b.TempDir(), "module.wasm"), b.TempDir()
	if err := os.WriteFile(file, module, 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command(program, "cache", "prewarm", "--cache-dir", cache, file).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	s := start(b, cache)
	s.deploy(module)
	return s
}

// startToReady starts the binary, stops it, and returns how long it took until it served requests.
func startToReady(b *testing.B, cache string) time.Duration {
	b.Helper()
	begun := time.Now()
	s := start(b, cache)
	took := time.Since(begun)
	s.stop()
	return took
}

// fillCache writes small modules with receipts and compiled code into a cache folder.
func fillCache(b *testing.B, dir string, modules int) {
	b.Helper()
	content := make([]byte, 1<<10)
	for i := range modules {
		name := fmt.Sprintf("%064x", i)
		for path, content := range map[string][]byte{
			filepath.Join("modules", name):                             content,
			filepath.Join("modules", name+"-0000000000000000.receipt"): fmt.Appendf(nil, "%s %d %x\n", name, len(content), crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))),
			filepath.Join("wazero-bench", name):                        content,
		} {
			path = filepath.Join(dir, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkRatioDeployCold makes a canister and installs a module that no daemon has compiled; the
// floor is the engine that compiles the same module, in this process.
func BenchmarkRatioDeployCold(b *testing.B) {
	module := canistertest.Fixture("counter")
	ratio.CompareTimed(b, 3.2, func() time.Duration {
		s := start(b, b.TempDir())
		defer s.stop()
		begun := time.Now()
		s.deploy(module)
		return time.Since(begun)
	}, func() time.Duration {
		engine, err := canister.NewEngine(canister.EngineConfig{Fragments: canister.FragmentsNever})
		if err != nil {
			b.Fatal(err)
		}
		defer engine.Close()
		begun := time.Now()
		if _, reject := engine.Prepare(b.Context(), module); reject != nil {
			b.Fatal(reject)
		}
		return time.Since(begun)
	})
}

// compareDeployment compares a deployment with two empty RPCs, since CreateCanister and InstallCode are two. The processor
// time is that of the client and of the daemon.
func (s *served) compareDeployment(limit float64, deploy func()) {
	s.Helper()
	ratio.CompareServed(s.B, limit, s.used, ratio.Each(deploy), ratio.Each(func() { s.empty(); s.empty() }))
}

// BenchmarkRatioDeployByHash makes a canister and installs a compiled module that another canister runs, by its hash; the
// floor is two empty RPCs. It measures 2.6 to 3.4, since two empty RPCs take 310 to 500 µs, by the process. The limit is above
// that.
func BenchmarkRatioDeployByHash(b *testing.B) {
	module := canistertest.Fixture("counter")
	hash := sha256.Sum256(module)
	s := startKnowing(b, module)
	s.compareDeployment(3.5, func() { s.deployByHash(hash) })
}

// BenchmarkRatioDeployWarm makes a canister and uploads that module, of 247 KB. It measures 3.0 to 3.8: without the upload it
// is BenchmarkRatioDeployByHash, without the installation BenchmarkRatioDeployRefused, which measures 2.1 to 2.5.
func BenchmarkRatioDeployWarm(b *testing.B) {
	module := canistertest.Fixture("counter")
	s := startKnowing(b, module)
	s.compareDeployment(4, func() { s.deploy(module) })
}

// BenchmarkRatioDeployRefused is what DeployWarm takes without an installation: it makes a canister and uploads the same
// module, which is refused after its last byte because its argument is wrong. The floor is two empty RPCs.
func BenchmarkRatioDeployRefused(b *testing.B) {
	module := canistertest.Fixture("counter")
	s := startKnowing(b, module)
	s.compareDeployment(3, func() {
		if err := s.upload(s.create(), controlv1.InstallMode_INSTALL_MODE_INSTALL, module, "("); status.Code(err) != codes.InvalidArgument {
			b.Fatal(err)
		}
	})
}

// page is the floor of memory: the least that the system gives out.
var page = float64(os.Getpagesize())

// BenchmarkRatioResidentBytesOfACanister is what one of ten thousand idle canisters with a Motoko counter
// adds to the process; the floor is a page. The limit is 24 KiB: a page of its own in the checkpoint file, 12 KB of
// Go objects and events, and garbage. docs/internals/scale.md lists them. It measures 3.5 to 4.1; with a thousand canisters it
// measured 0.3 to 8.7, by when the collector had run.
func BenchmarkRatioResidentBytesOfACanister(b *testing.B) {
	s, module := start(b, b.TempDir()), canistertest.Fixture("counter")
	hash := sha256.Sum256(module)
	s.deploy(module)
	const count = 10000
	for b.Loop() {
		before := s.resident()
		for range count {
			s.deployByHash(hash)
		}
		ratio.ReportBytes(b, 6, (s.resident()-before)/count, page)
	}
}

// BenchmarkRatioResidentBytesOfAnInstance is what one of a thousand instances without a canister
// adds to the process; the floor is a page. The limit is 38 KiB: 25 KB of Go objects and stacks, which
// docs/internals/scale.md lists, and garbage. It measures 8.1 to 8.2; with a hundred instances it measured 11 to 16, by when
// the collector had run.
func BenchmarkRatioResidentBytesOfAnInstance(b *testing.B) {
	s := start(b, b.TempDir())
	const count = 1000
	number := 0
	for b.Loop() {
		before := s.resident()
		for range count {
			number++
			if _, err := s.Instances.CreateInstance(b.Context(), &controlv1.CreateInstanceRequest{Instance: fmt.Sprintf("i%d", number)}); err != nil {
				b.Fatal(err)
			}
		}
		ratio.ReportBytes(b, 9.5, (s.resident()-before)/count, page)
	}
}
