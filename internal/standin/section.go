package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// Section is the name of the public custom section by which a stand-in is recognized.
const Section = "canisterd:stand-in"

// About is the content of the section.
type About struct {
	Canister  string `json:"canister"`
	From      string `json:"from"`
	Certified bool   `json:"certified"` // always false
	// Replies counts the recorded replies of each method.
	Replies map[string]int `json:"replies"`
}

func (r *Recording) about() *About {
	a := &About{Canister: r.Canister.String(), From: r.From, Replies: map[string]int{}}
	for i := range r.Replies {
		a.Replies[r.Replies[i].Method]++
	}
	return a
}

// ReadAbout parses the content of the section.
func ReadAbout(section []byte) (*About, error) {
	a := &About{}
	if err := json.Unmarshal(section, a); err != nil {
		return nil, fmt.Errorf("the section %s: %w", Section, err)
	}
	if _, err := principal.Parse(a.Canister); err != nil {
		return nil, fmt.Errorf("the section %s: canister: %w", Section, err)
	}
	return a, nil
}

// String describes the stand-in in one line.
func (a *About) String() string {
	var methods []string
	for _, name := range slices.Sorted(maps.Keys(a.Replies)) {
		methods = append(methods, fmt.Sprintf("%s (%d)", name, a.Replies[name]))
	}
	if len(methods) == 0 {
		return "of the canister at " + a.From + ", without replies"
	}
	return "of the canister at " + a.From + ", with replies that were recorded from queries and are not certified: " + strings.Join(methods, ", ")
}
