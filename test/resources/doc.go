// Package resources measures what a running process takes of its machine: memory, open files, blocks of a disk. Programs
// that start the binary and watch it from outside use it.
//
// It owns how the kernel is asked (procfs, on Linux). It must not know what the process is.
package resources
