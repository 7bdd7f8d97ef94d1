package outcall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestAllNodesButAThirdMustHaveTheSameContent(t *testing.T) {
	// nodes of a subnet, and how many of them must agree
	for nodes, enough := range map[int]int{2: 2, 3: 3, 4: 3, 7: 5, 13: 9, 34: 23, 40: 27} {
		for same := 1; same <= nodes; same++ {
			contents := make([]state.OutcallContent, nodes)
			for i := range contents {
				contents[i].Reply = []byte("same")
				if i >= same {
					contents[i].Reply = fmt.Append(nil, i)
				}
			}
			a := Agree(5, nodes, &state.Outcall{Replicated: true}, contents)
			if agreed := string(a.Reply) == "same"; agreed != (same >= enough) || agreed != (a.Reject == nil) {
				t.Errorf("%d of %d nodes: %+v", same, nodes, a)
			}
			if a.Reject != nil && !strings.Contains(a.Reject.Text, "request_id: 5, hashes: [") {
				t.Errorf("%d of %d nodes: %s", same, nodes, a.Reject)
			}
		}
	}
}

func TestARejectIsNotTheReplyWithItsText(t *testing.T) {
	reply := state.OutcallContent{Reply: []byte("x")}
	refusal := state.OutcallContent{Reject: reject(1, "x")}
	other := state.OutcallContent{Reject: reject(2, "x")}
	if hashOf(&reply) == hashOf(&refusal) || hashOf(&refusal) == hashOf(&other) || hashOf(&reply) != hashOf(&state.OutcallContent{Reply: []byte("x")}) {
		t.Error("contents that differ have the same hash, or equal ones another")
	}
}
