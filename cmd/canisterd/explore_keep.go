package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// scheduleWriter writes the schedules of one report.
type scheduleWriter struct {
	cli      *cli
	folder   string
	written  []string // files of this report
	commands []string // that replay its findings, in their order; "" where no file was written
}

// write writes the schedule of a finding to a new file. It replaces a file of an earlier report only if that has the same
// subject.
func (s *scheduleWriter) write(f *controlv1.ExploreFinding) (path string, err error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return "", fmt.Errorf("creating the directory for schedules: %w", err)
	}
	name := s.baseName(f)
	path = filepath.Join(s.folder, name+".yaml")
	for number := 2; s.taken(path, f); number++ {
		path = filepath.Join(s.folder, fmt.Sprintf("%s-%d.yaml", name, number))
	}
	if err := os.WriteFile(path, []byte(f.GetSchedule()), 0o600); err != nil {
		return "", fmt.Errorf("writing the schedule: %w", err)
	}
	s.written = append(s.written, path)
	return path, nil
}

// onPage returns the page of the report with these commands: the daemon that made it does not know the files.
func (s *scheduleWriter) onPage(page string) string {
	for i, command := range s.commands {
		begin := fmt.Sprintf(`<p id="replay-%d">`, i+1)
		before, after, found := strings.Cut(page, begin)
		_, after, ended := strings.Cut(after, "</p>")
		if command != "" && found && ended {
			page = before + begin + "<code>" + html.EscapeString(command) + "</code></p>" + after
		}
	}
	return page
}

// baseName returns the name of the file of a finding without its extension, such as open-at-rest-app-send.
func (s *scheduleWriter) baseName(f *controlv1.ExploreFinding) string {
	text := f.GetProperty()
	for _, about := range []string{s.cli.nameOf(f.GetCanisterId()), f.GetMethod()} {
		if !strings.Contains(text, about) { // an invariant names both
			text += " " + about
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// taken reports whether a file has another subject, or was written for another finding of this report.
func (s *scheduleWriter) taken(path string, f *controlv1.ExploreFinding) bool {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.Contains(s.written, path) || subjectOf(string(text)) != subjectOf(f.GetSchedule())
}

// subjectOf returns the head of a schedule: the property, the canister and the method.
func subjectOf(schedule string) string {
	subject, _, _ := strings.Cut(schedule, "\ntext:")
	return subject
}
