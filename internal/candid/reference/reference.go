package reference

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// Escaped stands for the characters ${ in a text with references.
const Escaped = "$${"

var (
	form   = regexp.MustCompile(`\$\$\{|\$\{([^}]*)\}`)
	idForm = regexp.MustCompile(`[a-z0-9]{5}(-[a-z0-9]{1,5})+`)
)

// To returns the reference to a name.
func To(name string) string { return "${" + name + "}" }

// Escape returns a text in which no characters are a reference.
func Escape(text string) string { return strings.ReplaceAll(text, "${", Escaped) }

// Names returns the names in a text, in its order.
func Names(text string) (names []string) {
	for _, found := range form.FindAllStringSubmatch(text, -1) {
		if found[0] != Escaped {
			names = append(names, found[1])
		}
	}
	return names
}

// Resolve replaces each reference in a text by the principal of its name. The error is about the first name that has none.
func Resolve(text string, principalOf func(name string) (string, error)) (string, error) {
	var unknown error
	resolved := form.ReplaceAllStringFunc(text, func(found string) string {
		if found == Escaped {
			return "${"
		}
		id, err := principalOf(found[2 : len(found)-1])
		if err != nil && unknown == nil {
			unknown = fmt.Errorf("%s: %w; for a literal ${ write %s", found, err, Escaped)
		}
		return id
	})
	if unknown != nil {
		return "", unknown
	}
	return resolved, nil
}

// Replace replaces the references to some names by their principals, and leaves the rest of a text as it is.
func Replace(text string, principals map[string]string) string {
	return form.ReplaceAllStringFunc(text, func(found string) string {
		if id, known := principals[found[2:len(found)-1]]; known && found != Escaped {
			return id
		}
		return found
	})
}

// Write replaces each principal in a text by a reference to its name. nameOf returns "" for a principal without a name.
// The management canister and the anonymous user are the same in all networks, and keep their principals.
func Write(text string, nameOf func(principal.Principal) string) string {
	return withNames(text, func(id principal.Principal) string {
		if name := nameOf(id); name != "" && !strings.Contains(name, "}") {
			return To(name)
		}
		return ""
	})
}

// Show replaces each principal in a text by its name, for people: the text cannot be read again.
func Show(text string, nameOf func(principal.Principal) string) string {
	return withNames(text, nameOf)
}

// withNames replaces each principal in a text for which shown does not return "".
func withNames(text string, shown func(principal.Principal) string) string {
	return idForm.ReplaceAllStringFunc(text, func(found string) string {
		id, err := principal.Parse(found)
		if err != nil || id == principal.Management || id.IsAnonymous() {
			return found
		}
		return cmp.Or(shown(id), found)
	})
}
