package origin

import "strings"

// InspectorPath is the path of the inspector (api/inspect). Its pages have the origin of whatever else is at that host.
const InspectorPath = "/_/inspect/"

// inspectorCookie begins the names of the cookies of inspector sessions; the port of the daemon follows.
const inspectorCookie = "canisterd_inspector"

// SessionCookie returns the name of the cookie of an inspector session at a host. Cookies do not depend on the port, so
// the name has it.
func SessionCookie(host string) string {
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		return inspectorCookie + "_" + host[at+1:]
	}
	return inspectorCookie
}

// WithoutSessions removes the cookies of inspector sessions from a Cookie header. Browsers send them to every server of
// this machine, and a session controls all instances of a daemon.
func WithoutSessions(cookies string) string {
	var kept []string
	for cookie := range strings.SplitSeq(cookies, ";") {
		if cookie = strings.TrimSpace(cookie); cookie != "" && !strings.HasPrefix(cookie, inspectorCookie) {
			kept = append(kept, cookie)
		}
	}
	return strings.Join(kept, "; ")
}
