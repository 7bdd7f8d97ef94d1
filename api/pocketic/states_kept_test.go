package pocketic_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTopologyOfAStateDirectoryHasItsSubnets(t *testing.T) {
	t.Parallel()
	a := served(t)
	for _, line := range []string{
		`POST /instances {"subnet_config_set":{"ii":{},"application":[{"instruction_config":"Benchmarking"}]},"state_dir":"${FOLDER}/state"}`,
		`DELETE /instances/0`,
	} {
		if answer := a.ask(line); !strings.HasPrefix(answer, "20") {
			t.Fatalf("%s: %s", line, answer)
		}
	}
	text, err := os.ReadFile(filepath.Join(a.given["FOLDER"], "state", "topology.json"))
	if err != nil {
		t.Fatal(err)
	}
	var topology struct {
		Subnets []map[string]any `json:"subnet_configs"`
	}
	if err := json.Unmarshal(text, &topology); err != nil || len(topology.Subnets) != 2 {
		t.Fatalf("topology.json: %s, %v", text, err)
	}
	for i, want := range []string{
		`{"alloc_range":{"end":"x47dp-5x777-77777-p777q-cai","start":"lxzze-o7777-77777-aaaaa-cai"},"instruction_config":"Production",` +
			`"ranges":[{"end":"rdmx6-jaaaa-aaaaa-aaadq-cai","start":"rdmx6-jaaaa-aaaaa-aaadq-cai"},{"end":"ijz7v-ziaaa-aaaaq-7777q-cai","start":"uc7f6-kaaaa-aaaaq-qaaaa-cai"}],"subnet_kind":"II"}`,
		`{"alloc_range":{"end":"dypy6-4h777-77776-7777q-cai","start":"7tjcv-pp777-77776-qaaaa-cai"},"instruction_config":"Benchmarking","ranges":[],"subnet_kind":"Application"}`,
	} {
		subnet := topology.Subnets[i]
		if id, ok := subnet["subnet_id"].(string); !ok || len(id) != 63 {
			t.Errorf("subnet %d has the id %q", i, id)
		}
		delete(subnet, "subnet_id")
		if got, err := json.Marshal(subnet); err != nil || string(got) != want {
			t.Errorf("subnet %d is %s, want %s", i, got, want)
		}
	}
}
