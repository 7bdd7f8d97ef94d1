package inspect

import (
	"encoding/json"
	"net/http"
)

// namesAnswer is what pages need besides RPCs to write about an instance.
type namesAnswer struct {
	Version   string            `json:"version"`   // of the daemon
	Canisters map[string]string `json:"canisters"` // names by id
}

// serveNames answers with the names of the canisters of the instance in the query.
func (h *Handler) serveNames(w http.ResponseWriter, r *http.Request) {
	answer := namesAnswer{Version: h.config.Version, Canisters: map[string]string{}}
	if h.config.Names != nil {
		if names := h.config.Names(r.URL.Query().Get("instance")); names != nil {
			answer.Canisters = names
		}
	}
	body, _ := json.Marshal(answer) // only texts
	writeJSON(w, http.StatusOK, body)
}
