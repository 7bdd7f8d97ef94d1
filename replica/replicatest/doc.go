// Package replicatest supports tests of package replica: canisters that are puppets instead of Wasm, a small management
// canister for them, and a harness for golden scripts.
//
// It owns the puppets' language and the scripts' format. It must not know the internals of the network.
//
// # Puppets
//
// A puppet's method "run" (and the query method "look") executes its argument,
// a program of words:
//
//	reply TEXT | echo | reject TEXT | trap TEXT | count | spend N | forever
//	accept N | burn N | timer NS
//	call N [cycles N] [within SECONDS] (PROGRAM) [then (P)] [else (P)] [finally (P)]
//	manage METHOD [cycles N] [within SECONDS] (ARG) [then (P)] [else (P)] [finally (P)]
//
// N after call is the receiver's number, counted from the first canister of the last subnet's allocation range
// (Stage.OnSubnet); echo replies with the argument; count adds one to the certified data; within makes the call
// best-effort; manage calls the management canister (Manager). The puppet's environment variables hold the programs of
// its tasks: heartbeat, timer. A puppet whose program of installation begins with the word wide counts as one with a
// 64-bit memory.
package replicatest
