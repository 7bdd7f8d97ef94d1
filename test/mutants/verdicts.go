package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// verdicts are results of earlier runs, by the key of the mutant. The file has a line each:
//
//	KILLED-BY<tab>KEY
type verdicts struct {
	mu    sync.Mutex        // guards what follows
	known map[string]string // what kills it; "" for what survives
	file  *os.File          // that new ones are added to; nil for none
}

// openVerdicts reads the verdicts of a file, which is created if it does not exist; "" for none.
func openVerdicts(path string) (*verdicts, error) {
	v := &verdicts{known: map[string]string{}}
	if path == "" {
		return v, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("reading verdicts: %w", err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		if killedBy, key, ok := strings.Cut(lines.Text(), "\t"); ok {
			v.known[key] = killedBy
		}
	}
	if v.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return v, fmt.Errorf("opening the file for verdicts: %w", err)
	}
	return v, nil
}

// find returns the verdict of the first of the keys that is known.
func (v *verdicts) find(keys ...string) (killedBy string, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, key := range keys {
		if killedBy, known := v.known[key]; known {
			return killedBy, true
		}
	}
	return "", false
}

// add notes a verdict.
func (v *verdicts) add(key, killedBy string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known[key] = killedBy
	if v.file == nil {
		return nil
	}
	if _, err := fmt.Fprintf(v.file, "%s\t%s\n", killedBy, key); err != nil {
		return fmt.Errorf("writing a verdict: %w", err)
	}
	return nil
}

func (v *verdicts) close() error {
	if v.file == nil {
		return nil
	}
	return v.file.Close()
}
