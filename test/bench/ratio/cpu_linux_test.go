package ratio

import "testing"

func TestCPUTimeGrowsWithWork(t *testing.T) {
	before := cpuTime()
	if before == 0 {
		t.Fatal("the process has used no CPU time")
	}
	for range 1 << 30 {
		if cpuTime() > before {
			return
		}
	}
	t.Error("the CPU time stands still")
}
