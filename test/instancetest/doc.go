// Package instancetest supports tests of instances: it installs canisters and calls them through the Backend, without a
// front end.
package instancetest
