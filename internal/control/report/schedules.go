package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// ScheduleFolder is where the schedules of findings are kept by default.
const ScheduleFolder = "explore"

// scheduleExtension is that of schedules.
const scheduleExtension = ".yaml"

// scheduleName returns the name of the file of a finding without its extension: what it violates, and what it is about
// where that does not say it, such as open-at-rest-app-send.
func scheduleName(property string, about []string) string {
	text := property
	for _, name := range about {
		if !strings.Contains(text, name) { // an invariant names both
			text += " " + name
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// Schedules keeps the schedules of one exploration in files.
type Schedules struct {
	written []string // files of this report
}

// Keep writes the schedule of a finding to a new file, and returns its name. It replaces a file of an earlier report only
// if that has the same subject.
func (s *Schedules) Keep(root *os.Root, text, property string, about ...string) (file string, err error) {
	name := scheduleName(property, about)
	file = name + scheduleExtension
	for number := 2; s.taken(root, file, text); number++ {
		file = fmt.Sprintf("%s-%d%s", name, number, scheduleExtension)
	}
	if err := root.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("writing the schedule: %w", err)
	}
	s.written = append(s.written, file)
	return file, nil
}

// taken reports whether a file has another subject, or was written for another finding of this report.
func (s *Schedules) taken(root *os.Root, file, schedule string) bool {
	text, err := root.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.Contains(s.written, file) || subjectOf(string(text)) != subjectOf(schedule)
}

// subjectOf returns the head of a schedule: the property, the canister and the method.
func subjectOf(schedule string) string {
	subject, _, _ := strings.Cut(schedule, "\ntext:")
	return subject
}
