//go:build !race

package collector

// memoryLimit is from how many bytes on a process collects garbage.
const memoryLimit = 1 << 30
