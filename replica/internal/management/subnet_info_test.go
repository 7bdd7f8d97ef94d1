package management

import "testing"

func TestTheRegistryHasVersionOne(t *testing.T) {
	r := newRig(t)
	var info subnetInfoResult
	r.replied(r.byCanister(r.target, 0, "subnet_info", subnetInfoArg{subnet}), &info)
	if info.Registry != 1 {
		t.Errorf("it has version %d", info.Registry)
	}
}
