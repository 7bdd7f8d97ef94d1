// Package standin makes stand-ins: canisters that answer queries with replies that were recorded from the canister of
// another network with the same id.
//
// It owns the file of recorded replies (Recording), the module that answers with them, and the custom section by which a
// stand-in is recognized. It must not know where replies come from, or how a module is installed.
//
// A stand-in has no state: its replies are in its module. Messages, forks, replays and explorations treat it like any
// other canister.
package standin
