package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// scheduleWriter writes the schedules of one report.
type scheduleWriter struct {
	cli      *cli
	folder   string
	kept     *report.Schedules // nil before the first one
	commands []string          // that replay its findings, in their order; "" where no file was written
}

// write writes the schedule of a finding to a new file.
func (s *scheduleWriter) write(f *controlv1.ExploreFinding) (path string, err error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return "", fmt.Errorf("creating the directory for schedules: %w", err)
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return "", fmt.Errorf("opening the directory for schedules: %w", err)
	}
	defer func() { _ = root.Close() }() // the file is closed
	if s.kept == nil {
		s.kept = &report.Schedules{}
	}
	file, err := s.kept.Keep(root, f.GetSchedule(), f.GetProperty(), s.cli.nameOf(f.GetCanisterId()), f.GetMethod())
	return filepath.Join(s.folder, file), err
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
