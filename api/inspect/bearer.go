package inspect

import (
	"net/http"
	"strings"
)

// ForBearers answers requests for other tools of the same user: those that the inspector would not refuse, and that carry
// its token as a bearer token. Browsers send that only for pages that know the token, and only after a preflight, which is
// never answered.
func (h *Handler) ForBearers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header(), "default-src 'none'")
		if refused := h.refusal(r); refused != "" {
			http.Error(w, refused, http.StatusForbidden)
			return
		}
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || !equal(token, h.config.Token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token of this user is missing or wrong: canisterd mcp --config --http prints the configuration with it", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
