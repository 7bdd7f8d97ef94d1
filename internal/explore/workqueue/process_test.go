package workqueue_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/resources"
)

// workerVariable makes the test binary a worker of the daemon whose address it has.
const workerVariable = "CANISTERD_TEST_WORKER"

// described is a campaign of operations on the base, as JSON.
type described struct {
	Vault      principal.Principal
	Operations []harness.Operation
}

// config is the exploration of the operations on a base.
func (d *described) config(base *replica.Network) (*campaign.Config, error) {
	names := &property.Names{Canister: func(string) (principal.Principal, bool) { return d.Vault, true }}
	holds, err := names.ParseInvariant("vault paidOut <= 100")
	return &campaign.Config{
		Properties: []property.Property{holds}, Seed: 1, Faults: 2, Setup: harness.Setup{Base: base, Operations: d.Operations},
	}, err
}

// workerProcess is the program of a worker.
func workerProcess(address string) error {
	workqueue.Dedicate(1)
	engine, err := canister.NewEngine(canister.EngineConfig{})
	if err != nil {
		return err
	}
	conn, err := connect(address)
	if err != nil {
		return err
	}
	return workqueue.Work(context.Background(), conn, &workqueue.Host{Version: "1", Slots: 1, Open: func(description []byte, _ string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		var d described
		if err := json.Unmarshal(description, &d); err != nil {
			return nil, err
		}
		file, err := base()
		if err != nil {
			return nil, err
		}
		network, err := replica.Import(file, replica.Config{Engine: engine})
		if err != nil {
			return nil, err
		}
		c, err := d.config(network)
		if err != nil {
			return nil, err
		}
		return campaign.NewWorker(c)
	}})
}

// processes is a campaign with a number of worker processes, which are there, and their ids.
func processes(b *testing.B, c *campaign.Config, d *described, count int) (q *workqueue.Coordinator, pids []int) {
	b.Helper()
	description, err := json.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	at := listen(b)
	q, err = at.Begin(b.Context(), &workqueue.Campaign{Description: description, Base: c.Setup.Base.Export})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(q.Close)
	for range count {
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), workerVariable+"="+at.address), os.Stderr
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		pids = append(pids, cmd.Process.Pid)
	}
	eventually.True(b, "all workers have joined", func() bool { found, _ := q.Workers(); return found >= count })
	return q, pids
}

// BenchmarkRatioExploreTwoWorkers explores four withdrawals with up to two faults by two worker processes, on two
// processors. The floor is the same exploration by one worker process; both find the same. The
// coordinator of each takes the results, and makes the shortest schedules. This is the serial share of the CPU time, which
// limits what more workers gain. A single worker has a processor of its own, and the coordinator another: the ratio of CPU
// times is that of two processors which are never idle to the worker alone.
func BenchmarkRatioExploreTwoWorkers(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("two workers need two processors")
	}
	c, vault := theftAt(b, 4, campaign.DefaultRuns)
	d := &described{Vault: vault, Operations: c.Setup.Operations}
	if _, err := d.config(nil); err != nil {
		b.Fatal(err)
	}
	explore := func(q *workqueue.Coordinator) (report string, took time.Duration) {
		begin := time.Now()
		report = run(b, c, q)
		return report, time.Since(begin)
	}
	two, pids := processes(b, c, d, 2)
	one, pid := processes(b, c, d, 1)
	if a, _ := explore(two); a == "" {
		b.Fatal("no report")
	} else if other, _ := explore(one); a != other {
		b.Fatalf("two workers report\n%s\nand one\n%s", a, other)
	}
	var serial, parallel, alone time.Duration
	inTwo := func() time.Duration {
		own, others := resources.CPU(os.Getpid()), cpuOf(pids)
		_, took := explore(two)
		serial, parallel = serial+resources.CPU(os.Getpid())-own, parallel+cpuOf(pids)-others
		return took
	}
	inOne := func() time.Duration {
		before := cpuOf(pid)
		_, took := explore(one)
		alone += cpuOf(pid) - before
		return took
	}
	measured, floor := ratio.TakeTimed(b, inTwo, inOne).Quartile()
	ratio.Report(b, 0.6, measured, floor)
	b.ReportMetric(campaign.DefaultRuns*1e9/measured, "runs/s")
	if serial+parallel == 0 {
		return // the system does not tell
	}
	b.ReportMetric(float64(serial+parallel)/2/float64(alone), "cpu-x")
	share := float64(serial) / float64(serial+parallel)
	b.ReportMetric(100*share, "serial-%")
	if share > mostSerial {
		b.Errorf("the coordinator takes %.1f %% of the CPU time, and the limit is %.0f %%", 100*share, 100*mostSerial)
	}
}

// mostSerial is the largest share of the CPU time that the coordinator of two workers may take.
const mostSerial = 0.1

// cpuOf returns the CPU time of processes.
func cpuOf(pids []int) (all time.Duration) {
	for _, pid := range pids {
		all += resources.CPU(pid)
	}
	return all
}
