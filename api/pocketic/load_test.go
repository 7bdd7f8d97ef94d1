package pocketic_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const oneSubnet = `POST /instances {"subnet_config_set":{"application":[{"state_config":"New","instruction_config":"Production"}]}}`

// numberOf is the number of the instance that an answer tells of.
func numberOf(t *testing.T, answer string) (number int) {
	t.Helper()
	if _, err := fmt.Sscanf(answer, `201 {"Created":{"instance_id":%d,`, &number); err != nil {
		t.Fatalf("%s (%v)", answer, err)
	}
	return number
}

// world makes an instance with a canister that has code, and gives its number.
func (a *api) world() int {
	a.Helper()
	number := numberOf(a.T, a.ask(oneSubnet))
	await := fmt.Sprintf(`POST /instances/%d/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`, number)
	for _, call := range []string{
		`{"sender":"${USER}","canister_id":"","effective_principal":"None","method":"provisional_create_canister_with_cycles","payload":"${CREATE}"}`,
		`{"sender":"${USER}","canister_id":"","effective_principal":{"CanisterId":"${FIRST}"},"method":"install_code","payload":"${INSTALL}"}`,
	} {
		a.ask(fmt.Sprintf("POST /instances/%d/update/submit_ingress_message %s", number, call))
		if answer := a.ask(await); !strings.HasPrefix(answer, `200 {"Ok"`) {
			a.Fatalf("%s: %s", call, answer)
		}
	}
	return number
}

func TestSixtyFourClientsWorkAtTheSameTime(t *testing.T) {
	shared := served(t)
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			a := &api{T: t, url: shared.url, given: given(t), used: make(map[string]bool)}
			number := a.world()
			a.ask(fmt.Sprintf(`POST /instances/%d/update/submit_ingress_message {"sender":"${USER}","canister_id":"${FIRST}","method":"run","payload":"${HELLO}"}`, number))
			if answer := a.ask(fmt.Sprintf(`POST /instances/%d/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`, number)); answer != `200 {"Ok":"aGVsbG8="}` {
				t.Errorf("instance %d answers %s", number, answer)
			}
			a.ask(fmt.Sprintf("DELETE /instances/%d", number))
		})
	}
	clients.Wait()
	if answer := shared.ask("GET /instances"); strings.Contains(answer, "Available") || strings.Count(answer, "Deleted") != 64 {
		t.Errorf("the instances are %s", answer)
	}
}

// memory is what the process has in use: bytes of the heap, and goroutines.
func memory() (bytes uint64, goroutines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse, runtime.NumGoroutine()
}

func TestAThousandInstancesLeaveNoMemoryInUse(t *testing.T) {
	a := served(t)
	world := a.world()
	turn := func(times int) {
		for range times {
			for _, make := range []string{oneSubnet, fmt.Sprintf(`POST /instances {"canisterd_fork_of":%d}`, world)} {
				a.ask(fmt.Sprintf("DELETE /instances/%d", numberOf(t, a.ask(make))))
			}
		}
	}
	turn(50)
	before, running := memory()
	turn(500)
	// An instance that is kept has some 100 KiB: its number has some hundred bytes.
	const each = 2 << 10
	after, now := memory()
	if t.Logf("1,000 instances leave %d bytes and %d goroutines", int64(after)-int64(before), now-running); after > before+1_000*each || now > running+4 {
		t.Error("this is more than their numbers take")
	}
}
