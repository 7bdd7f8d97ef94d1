package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// scheduleFolderOf is the folder with the schedules of one report.
type scheduleFolderOf struct {
	cli     *cli
	path    string
	written []string // files of this report
}

// keep writes the schedule of a finding. A file of an earlier report about the same is replaced, another one never.
func (s *scheduleFolderOf) keep(f *controlv1.ExploreFinding) (path string, err error) {
	if err := os.MkdirAll(s.path, 0o755); err != nil {
		return "", fmt.Errorf("making the folder for schedules: %w", err)
	}
	name := s.nameOf(f)
	path = filepath.Join(s.path, name+".yaml")
	for number := 2; s.taken(path, f); number++ {
		path = filepath.Join(s.path, fmt.Sprintf("%s-%d.yaml", name, number))
	}
	if err := os.WriteFile(path, []byte(f.GetSchedule()), 0o600); err != nil {
		return "", fmt.Errorf("writing the schedule: %w", err)
	}
	s.written = append(s.written, path)
	return path, nil
}

// nameOf is what a finding is about as the name of a file: open-at-rest-app-send.
func (s *scheduleFolderOf) nameOf(f *controlv1.ExploreFinding) string {
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

// taken reports whether a file is about something else, or was written for another finding of the report.
func (s *scheduleFolderOf) taken(path string, f *controlv1.ExploreFinding) bool {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.Contains(s.written, path) || aboutOf(string(text)) != aboutOf(f.GetSchedule())
}

// aboutOf is the beginning of a schedule: the property, and the canister and the method that it is about.
func aboutOf(schedule string) string {
	about, _, _ := strings.Cut(schedule, "\ntext:")
	return about
}
