// Package cycles is the money of the Internet Computer: 128-bit amounts and the fee schedule that gives the price of
// instructions, bytes and seconds.
//
// It is pure arithmetic. It owns no balance, knows no canister and charges no cycles: canister and replica ask it for a
// price and move the amounts themselves.
package cycles
