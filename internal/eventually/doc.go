// Package eventually is how a test waits for something that another goroutine or process does: until it is true, never
// for a while.
//
// It owns the limit that ends a test that hangs. The limit is no part of what a test proves: it is long enough for any
// busy computer. A test that needs time itself to pass runs in a bubble of testing/synctest. The package is for tests
// and their support packages.
package eventually
