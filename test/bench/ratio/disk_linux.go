package ratio

import "golang.org/x/sys/unix"

// SettleDisk waits until the system has written what was written to files. What ran before a row must not take its disk.
func SettleDisk() { unix.Sync() }
