package gateway

import (
	"bytes"
	"encoding/json"
	"html/template"
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

// pageHead begins the pages of the gateway.
const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .75rem .25rem 0; vertical-align: top; }
code, pre { font: 14px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
</style>
</head>
<body>
`

var faultPage = template.Must(template.New("fault").Parse(pageHead + `<h1>{{.What}}</h1>
<table>
{{if .Canister}}<tr><th>Canister</th><td><code>{{.Canister}}</code></td></tr>
{{end}}{{if .Instance}}<tr><th>Instance</th><td>{{.Instance}}</td></tr>
{{end}}<tr><th>Code</th><td>{{.Code}} (HTTP {{.Status}})</td></tr>
{{if .Why}}<tr><th>Cause</th><td><pre>{{.Why}}</pre></td></tr>
{{end}}<tr><th>What to do</th><td>{{.Remedy}}</td></tr>
</table>
</body>
</html>
`))

// shownFault is a fault with its subject, for all forms.
type shownFault struct {
	Title    string `json:"-"`
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
	shown := shownFault{Title: f.code + " - canisterd", Status: f.status, Code: f.code, What: f.what, Why: f.why, Remedy: f.remedy}
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
		if err := faultPage.Execute(&body, shown); err != nil {
			panic("gateway: bug: the page of faults: " + err.Error())
		}
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
