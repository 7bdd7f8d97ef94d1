package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// form is the form of a page of the gateway.
type form uint8

const (
	formText form = iota
	formHTML
	formJSON
)

// wants returns the form that a client wants: of those it accepts, the first it names.
func wants(r *http.Request) form {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/html", "application/xhtml+xml":
			return formHTML
		case "application/json":
			return formJSON
		case "text/plain":
			return formText
		}
	}
	return formText
}

// shownFault is a fault with its subject, for all forms.
type shownFault struct {
	Status   int    `json:"status"`
	Code     string `json:"code"`
	What     string `json:"error"`
	Why      string `json:"cause,omitempty"`
	Remedy   string `json:"remedy"`
	Canister string `json:"canister_id,omitempty"`
	Instance string `json:"instance,omitempty"`
}

// refuse answers with a fault.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, to *target, f *fault) {
	shown := shownFault{Status: f.status, Code: f.code, What: f.what, Why: f.why, Remedy: f.remedy}
	if to.found {
		shown.Canister = to.canister.String()
	}
	if to.network != nil {
		shown.Instance = to.network.Name()
	}
	var body bytes.Buffer
	kind := "text/plain; charset=utf-8"
	switch wants(r) {
	case formHTML:
		kind = "text/html; charset=utf-8"
		_ = shown.page().Render(&body) // a buffer takes all
	case formJSON:
		kind = "application/json"
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(shown) // only texts and numbers
	default:
		body.WriteString(shown.text())
	}
	if to.found {
		w.Header().Set("X-Ic-Canister-Id", shown.Canister)
		allowPages(w.Header())
	}
	if f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	sendPage(w, f.status, kind, body.Bytes())
}

// text formats a fault for terminals.
func (s *shownFault) text() string {
	var out strings.Builder
	for _, line := range []string{s.Code + ": " + s.What, prefixed("canister: ", s.Canister), prefixed("cause: ", s.Why), s.Remedy} {
		if line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// sendPage sends a page of the gateway. No other page may frame it, and it loads nothing.
func sendPage(w http.ResponseWriter, status int, kind string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone misses it
}
