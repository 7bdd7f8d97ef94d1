//go:build !linux

package resources

import (
	"errors"
	"time"
)

var errLinux = errors.New("the resources of another process are measured on Linux only")

// Memory is measured on Linux only; elsewhere it is 0.
func Memory(int) int64 { return 0 }

// CPU is measured on Linux only; elsewhere it is 0.
func CPU(int) time.Duration { return 0 }

// Descriptors are counted on Linux only.
func Descriptors(int, string) (below, others int, err error) { return 0, 0, errLinux }

// Disk is measured on Linux only.
func Disk(string) (bytes int64, err error) { return 0, errLinux }
