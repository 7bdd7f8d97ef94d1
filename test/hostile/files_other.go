//go:build !linux

package main

import "errors"

// limitFileSize needs Linux; run refuses to begin elsewhere.
func limitFileSize(int, uint64) error {
	return errors.New("the file size of another process can be limited on Linux only")
}

// strangeFiles needs Linux, likewise.
var strangeFiles []func(path string) error
