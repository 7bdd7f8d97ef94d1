package verify

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/certify"
)

// The special segments of an expression path (HTTP gateway protocol specification, "Expression Path").
const (
	pathPrefix   = "http_expr"
	exactPath    = "<$>"
	wildcardPath = "<*>"
)

// splitURL returns the decoded path of a URL, and its query; ok is false if there is no question mark.
func splitURL(target string) (path, query string, ok bool) {
	target, _, _ = strings.Cut(target, "#")
	path, query, ok = strings.Cut(target, "?")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	return path, query, ok
}

// segmentsOf returns the segments of a path. A path that ends in a slash has an empty one at the end: /app and /app/
// differ.
func segmentsOf(path string) []string {
	var segments []string
	for s := range strings.SplitSeq(path, "/") {
		if s != "" {
			segments = append(segments, s)
		}
	}
	if strings.HasSuffix(path, "/") {
		segments = append(segments, "")
	}
	return segments
}

// checkPath checks that an expression path is in the tree, and that it is the most specific one there for the path of a
// request: the tree proves that all more specific ones are absent.
func checkPath(tree *certify.HashTree, expr []string, requested string) error {
	if len(expr) < 2 || expr[0] != pathPrefix {
		return fmt.Errorf("invalid expression path %q: expected %q as its first segment", expr, pathPrefix)
	}
	inside, last := expr[1:len(expr)-1], expr[len(expr)-1]
	if last != exactPath && last != wildcardPath {
		return fmt.Errorf("invalid expression path %q: expected %q or %q as its last segment", expr, exactPath, wildcardPath)
	}
	segments := segmentsOf(requested)
	exact := slices.Equal(inside, segments)
	switch {
	case last == exactPath && !exact:
		return fmt.Errorf("the response is certified for the path %q, not for %q", expr, requested)
	case last == wildcardPath && !covers(inside, segments):
		return fmt.Errorf("the response is certified for the paths %q, which do not cover %q", expr, requested)
	case last == wildcardPath:
		if err := checkMostSpecific(tree, inside, segments); err != nil {
			return err
		}
	}
	if _, status := tree.LookupSubtree(labels(expr...)...); status != certify.Found {
		return fmt.Errorf("the expression path %q is not in the tree: %s", expr, status)
	}
	return nil
}

// covers reports whether a wildcard under some segments matches a request.
func covers(wildcard, requested []string) bool {
	if n := len(wildcard); n > 0 && wildcard[n-1] == "" && !hasPrefix(requested, wildcard) {
		wildcard = wildcard[:n-1]
	}
	return hasPrefix(requested, wildcard)
}

func hasPrefix(all, prefix []string) bool {
	return len(all) >= len(prefix) && slices.Equal(all[:len(prefix)], prefix)
}

// checkMostSpecific checks that the tree proves the absence of the exact path of a request and of all more specific
// wildcards.
func checkMostSpecific(tree *certify.HashTree, wildcard, requested []string) error {
	if err := checkAbsent(tree, requested, exactPath); err != nil {
		return err
	}
	at := slices.Clone(requested)
	for len(at) > len(wildcard) || len(at) > 0 && at[len(at)-1] != wildcard[len(wildcard)-1] {
		if err := checkAbsent(tree, at, wildcardPath); err != nil {
			return err
		}
		last := len(at) - 1
		if at[last] == "" {
			at = at[:last]
		} else {
			at[last] = "" // the folder comes next
		}
	}
	return nil
}

func checkAbsent(tree *certify.HashTree, segments []string, last string) error {
	path := append([]string{pathPrefix}, segments...)
	path = append(path, last)
	if _, status := tree.LookupSubtree(labels(path...)...); status != certify.Absent {
		return fmt.Errorf("a more specific path may be certified: the tree does not show that %q is absent", path)
	}
	return nil
}

func labels(segments ...string) []certify.Label {
	path := make([]certify.Label, len(segments))
	for i, s := range segments {
		path[i] = certify.Label(s)
	}
	return path
}
