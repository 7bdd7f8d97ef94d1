// Package cycles is the money of the Internet Computer: 128-bit amounts and the
// fee schedule that turns instructions, bytes and seconds into them.
//
// It is pure arithmetic. It owns no balance, knows no canister and charges no cycles: canister and replica ask it for a
// price and move the amounts themselves.
package cycles
