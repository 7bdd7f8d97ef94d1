package pocketic

import (
	"mime"
	"net/http"
	"strings"
)

// Headers of browsers.
const (
	originHeader      = "Origin"
	contentTypeHeader = "Content-Type"
	typeJSON          = "application/json"
)

// ServeHTTP answers a request. Foreign pages get nothing: the interface reads and writes files of the user, and opens
// listeners.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if foreign := s.origins.ForeignHeader(r); foreign != "" {
		respond(w, http.StatusForbidden, message{"this server is not for pages of strangers (" + foreign + "): use localhost, an address or a name without dots, or start it with --allow-origin SCHEME://HOST"})
		return
	}
	if path := r.URL.Path; len(path) > 1 && strings.HasSuffix(path, "/") {
		r = relocated(r, strings.TrimRight(path, "/"))
	}
	if strings.HasPrefix(r.URL.Path, "/instances") {
		allowPage(w.Header(), r.Header.Get(originHeader))
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusOK)
			return
		}
	}
	s.routes.ServeHTTP(w, r)
}

// allowPage lets scripts of the page that sent a request read the answer; from is "" for other clients.
func allowPage(header http.Header, from string) {
	header.Add("Vary", originHeader) // a cache must not give the answer to another page
	if from == "" {
		return
	}
	header.Set("Access-Control-Allow-Origin", from)
	header.Set("Access-Control-Allow-Methods", "*")
	header.Set("Access-Control-Allow-Headers", "*")
	header.Set("Access-Control-Expose-Headers", "*")
}

// wantsJSON returns a handler that refuses bodies other than JSON, as PocketIC's server does. Browsers let a page send
// the types of forms, text and untyped bytes without asking the server first. Clients send no type without a body.
func wantsJSON(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header.Get(contentTypeHeader)
		kind, _, err := mime.ParseMediaType(sent)
		if (err != nil || kind != typeJSON) && (sent != "" || r.ContentLength != 0) {
			respond(w, http.StatusUnsupportedMediaType, message{"Expected request with `Content-Type: application/json`"})
			return
		}
		handler(w, r)
	}
}
