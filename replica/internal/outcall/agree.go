package outcall

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// responseGroup is the nodes with one content.
type responseGroup struct {
	content *state.OutcallContent
	hash    [sha256.Size]byte
	nodes   int
}

// Agree returns the answer to the canister that made an outcall. For a replicated outcall it is the content on which
// all nodes agree, except the faulty ones that the subnet tolerates (less than a third). A single content stands for
// all nodes.
func Agree(number uint64, nodes int, sent *state.Outcall, contents []state.OutcallContent) state.Answer {
	switch {
	case len(contents) == 1:
		return answer(&contents[0])
	case !sent.Replicated:
		return answer(&contents[sent.Node])
	}
	_, a := agreed(number, nodes, contents)
	return a
}

// agreed returns the content that enough nodes have, and its answer; nil if there is none.
func agreed(number uint64, nodes int, contents []state.OutcallContent) (*state.OutcallContent, state.Answer) {
	var camps []responseGroup
	for i := range contents {
		hash := hashOf(&contents[i])
		at := slices.IndexFunc(camps, func(c responseGroup) bool { return c.hash == hash })
		if at < 0 {
			at = len(camps)
			camps = append(camps, responseGroup{content: &contents[i], hash: hash})
		}
		camps[at].nodes++
	}
	slices.SortFunc(camps, func(a, b responseGroup) int {
		if a.nodes != b.nodes {
			return b.nodes - a.nodes
		}
		return bytes.Compare(b.hash[:], a.hash[:])
	})
	faulty := (nodes - 1) / 3
	if camps[0].nodes >= nodes-faulty {
		return camps[0].content, answer(camps[0].content)
	}
	return nil, state.Fail(diverged(number, camps))
}

func answer(c *state.OutcallContent) state.Answer {
	if c.Reject != nil {
		return state.Fail(c.Reject)
	}
	return state.Reply(c.Reply)
}

func hashOf(c *state.OutcallContent) (hash [sha256.Size]byte) {
	h := sha256.New()
	if c.Reject != nil {
		fmt.Fprintf(h, "reject %d %s", c.Reject.Code, c.Reject.Text)
	} else {
		h.Write([]byte("reply "))
		h.Write(c.Reply)
	}
	h.Sum(hash[:0])
	return hash
}

// reject returns a reject by the outside or its client: the replica gives it no error code.
func reject(code intercanister.RejectCode, format string, args ...any) *intercanister.Reject {
	return &intercanister.Reject{Code: code, Text: fmt.Sprintf(format, args...), HideErrorCode: true}
}

// diverged rejects an outcall whose nodes do not agree. The hashes only distinguish contents.
func diverged(number uint64, camps []responseGroup) *intercanister.Reject {
	var hashes strings.Builder
	for i, c := range camps {
		if i > 0 {
			hashes.WriteString(", ")
		}
		fmt.Fprintf(&hashes, "[%x: %d]", c.hash, c.nodes)
	}
	return reject(intercanister.SysTransient,
		"No consensus could be reached. Replicas had different responses. Details: request_id: %d, hashes: %s", number, hashes.String())
}

// Expired returns the answer to an outcall that had none in time. A flexible one that needs no response has succeeded.
func Expired(sent *state.Outcall) state.Answer {
	switch {
	case !sent.Flexible():
		return state.Fail(reject(intercanister.SysTransient, "Canister http request timed out"))
	case sent.Min == 0:
		return state.Reply(encode(FlexibleResult{OK: new([]Result)}))
	}
	failed := FlexibleError{Global: &GlobalError{Timeout: new(candid.Reserved)}, Message: "Flexible HTTP request timed out"}
	return state.Reply(encode(FlexibleResult{Err: &failed}))
}
