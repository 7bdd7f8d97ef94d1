package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// pagePath is the page about the sizes. The third column of its table says what users would lose without a module, and is
// written by hand.
const pagePath = "docs/internals/size.md"

// pageRow matches a row of the table: a name, a size in MB, and the rest.
var pageRow = regexp.MustCompile(`(?m)^\| ([^|]+?) \| ([0-9.]+) \| (.*)$`)

// The rows of the page that are not of modules.
const (
	rowStripped   = "the stripped binary"
	rowCompressed = "compressed"
)

// tolerance is by how many MB a size on the page may differ: a small change is not worth a change of the page.
const tolerance = 0.1

// updatePage compares the sizes on the page with what was measured, or writes them into it.
func updatePage(m measured, write bool) error {
	text, err := os.ReadFile(pagePath)
	if err != nil {
		return err
	}
	updated, err := pageWith(string(text), m.sizes(), write)
	if err != nil || !write {
		return err
	}
	return os.WriteFile(pagePath, []byte(updated), 0o644) //nolint:gosec // a page of the repository
}

// size is a row of the page.
type size struct {
	name string
	mb   float64
}

// sizes returns the rows of the page.
func (m *measured) sizes() []size {
	sizes := []size{{rowStripped, float64(m.stripped) / 1e6}, {rowCompressed, float64(m.compressed) / 1e6}}
	for _, s := range m.shares[:min(shownModules, len(m.shares))] {
		sizes = append(sizes, size{s.module, s.file / 1e6})
	}
	return sizes
}

// pageWith returns the page with sizes in its rows. Without write the page must have them.
func pageWith(page string, sizes []size, write bool) (string, error) {
	measured := map[string]float64{}
	for _, s := range sizes {
		measured[s.name] = s.mb
	}
	var wrong []error
	seen := map[string]bool{}
	page = pageRow.ReplaceAllStringFunc(page, func(row string) string {
		parts := pageRow.FindStringSubmatch(row)
		name, rest := parts[1], parts[3]
		mb, is := measured[name]
		seen[name] = true
		if !is {
			wrong = append(wrong, fmt.Errorf("%s: %s is not one of the %d largest modules: delete its row", pagePath, name, shownModules))
			return row
		}
		if was, err := strconv.ParseFloat(parts[2], 64); !write && (err != nil || was > mb+tolerance || was < mb-tolerance) {
			wrong = append(wrong, fmt.Errorf("%s: %s has %.1f MB, not %s: make size FLAGS=-write", pagePath, name, mb, parts[2]))
		}
		return fmt.Sprintf("| %s | %.1f | %s", name, mb, rest)
	})
	for _, s := range sizes {
		if !seen[s.name] {
			wrong = append(wrong, fmt.Errorf("%s: no row of the table is about %s (%.1f MB): add one that says what users would lose without it", pagePath, s.name, s.mb))
		}
	}
	return page, errors.Join(wrong...)
}
