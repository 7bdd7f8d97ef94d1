//go:build !linux

package ratio

// SettleDisk does nothing: there is no call for it that all of these systems have.
func SettleDisk() {}
