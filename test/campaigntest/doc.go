// Package campaigntest is support for tests of explorations.
//
// It owns the network that they explore, a vault and banks of examples/doublewithdraw, the campaign over it, and the
// text of a report, by which two explorations are compared. It must not know which phases, workers or faults a test is
// about: the test sets them. It judges nothing.
package campaigntest
