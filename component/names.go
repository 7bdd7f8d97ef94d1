package component

import (
	"errors"
	"fmt"
	"strings"
)

var errNotCanonical = errors.New("a version with a suffix must be the canonical part of one")

// nameKind says which production of the grammar of names a name is.
type nameKind uint8

const (
	nameLabel nameKind = iota
	nameConstructor
	nameMethod
	nameStatic
	nameInterface
)

var annotations = map[nameKind]string{nameConstructor: "[constructor]", nameMethod: "[method]", nameStatic: "[static]"}

// parsedName is the name of an import or export. A label has only a name.
type parsedName struct {
	kind     nameKind
	resource string // of annotated names
	label    string
}

// parseName reads the name of an import or export, and says what is wrong with it.
func parseName(text string) (parsedName, error) {
	for kind, annotation := range annotations { // in any order: none begins with another one
		rest, ok := strings.CutPrefix(text, annotation)
		if !ok {
			continue
		}
		if kind == nameConstructor {
			return parsedName{kind, rest, ""}, checkLabel(rest)
		}
		resource, label, found := strings.Cut(rest, ".")
		if !found {
			return parsedName{}, fmt.Errorf("failed to find `.` character")
		}
		if err := checkLabel(resource); err != nil {
			return parsedName{}, err
		}
		return parsedName{kind, resource, label}, checkLabel(label)
	}
	if strings.Contains(text, ":") {
		return parsedName{kind: nameInterface, label: text}, checkInterfaceName(text)
	}
	return parsedName{kind: nameLabel, label: text}, checkLabel(text)
}

// checkInterfaceName checks namespace:package/interface@version.
func checkInterfaceName(text string) error {
	namespace, rest, _ := strings.Cut(text, ":")
	if err := checkWords(namespace); err != nil {
		return err
	}
	end := strings.IndexAny(rest, ":/@")
	if end < 0 {
		end = len(rest)
	}
	if err := checkWords(rest[:end]); err != nil {
		return err
	}
	projection, ok := strings.CutPrefix(rest[end:], "/")
	if !ok {
		return fmt.Errorf("expected `/` after package name")
	}
	end = strings.IndexAny(projection, "/@:")
	if end < 0 {
		return checkLabel(projection)
	}
	if err := checkLabel(projection[:end]); err != nil {
		return err
	}
	version, ok := strings.CutPrefix(projection[end:], "@")
	if !ok {
		return fmt.Errorf("trailing characters found: `%s`", projection[end:])
	}
	if err := checkVersion(version); err != nil {
		return fmt.Errorf("`%s` is not a valid semver: %w", version, err)
	}
	return nil
}

// checkWords checks a name in lower case.
func checkWords(text string) error {
	if strings.ToLower(text) != text {
		return fmt.Errorf("`%s` is not in kebab case", text)
	}
	return checkLabel(text)
}

// checkLabel checks kebab case: fragments that are each in lower or in upper case, the first of which begins with a
// letter.
func checkLabel(text string) error {
	for i, fragment := range strings.Split(text, "-") {
		if !isFragment(fragment) || (i == 0 && fragment[0] <= '9') {
			return fmt.Errorf("`%s` is not in kebab case", text)
		}
	}
	return nil
}

func isFragment(text string) bool {
	lower, upper := false, false
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c < '0' || c > '9':
			return false
		}
	}
	return text != "" && !(lower && upper)
}

// canonicalName is equal for two names that are not strongly unique.
func canonicalName(text string) string {
	lower := strings.ToLower(text)
	for _, kind := range []nameKind{nameMethod, nameStatic} {
		if rest, ok := strings.CutPrefix(lower, annotations[kind]); ok {
			if resource, label, _ := strings.Cut(rest, "."); resource == label {
				return resource
			}
			return rest
		}
	}
	return lower
}

// checkVersion checks a version of Semantic Versioning 2.0.
func checkVersion(text string) error {
	if text == "" {
		return fmt.Errorf("empty string, expected a semver version")
	}
	core, build, hasBuild := strings.Cut(text, "+")
	core, pre, hasPre := strings.Cut(core, "-")
	for i, part := range []string{"major", "minor", "patch"} {
		digits := len(core) - len(strings.TrimLeft(core, "0123456789"))
		rest := core[digits:]
		switch {
		case digits == 0 && rest == "":
			return fmt.Errorf("unexpected end of input while parsing %s version number", part)
		case digits == 0:
			return fmt.Errorf("unexpected character %q while parsing %s version number", []rune(rest)[0], part)
		case digits > 1 && core[0] == '0':
			return fmt.Errorf("invalid leading zero in %s version number", part)
		case i == 2 && rest == "":
		case rest == "":
			return fmt.Errorf("unexpected end of input while parsing %s version number", part)
		case i == 2 || rest[0] != '.':
			return fmt.Errorf("unexpected character %q after %s version number", []rune(rest)[0], part)
		default:
			rest = rest[1:]
		}
		core = rest
	}
	if hasPre {
		if err := checkIdentifiers(pre, "pre-release identifier", true); err != nil {
			return err
		}
	}
	if hasBuild {
		return checkIdentifiers(build, "build metadata", false)
	}
	return nil
}

func checkIdentifiers(text, what string, noLeadingZero bool) error {
	for _, segment := range strings.Split(text, ".") {
		if segment == "" {
			return fmt.Errorf("empty identifier segment in %s", what)
		}
		if rest := strings.TrimLeft(segment, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"); rest != "" {
			return fmt.Errorf("unexpected character %q in %s", []rune(rest)[0], what)
		}
		if noLeadingZero && len(segment) > 1 && segment[0] == '0' && strings.Trim(segment, "0123456789") == "" {
			return fmt.Errorf("invalid leading zero in %s", what)
		}
	}
	return nil
}

// isCanonicalVersion says whether a version is what remains of one without its compatible part (canonversion).
func isCanonicalVersion(text string) bool {
	parts := strings.Split(text, ".")
	for i, part := range parts {
		last := i == len(parts)-1
		if part == "0" && (!last || i == 2) {
			continue
		}
		if strings.Trim(part, "0123456789") != "" || part == "" || part[0] == '0' || !last || i > 2 {
			return false
		}
	}
	return true
}
