// Package rewrite turns a canister module, as uploaded, into the module that runs.
//
// It owns five things: the Wasm binary reader and writer; validation (the WebAssembly type rules and the Internet
// Computer's additional rules, with the texts of a replica); metering (every charge of the replica's cost table at the
// replica's places, so that counts agree to the last instruction); canonical NaNs; and the lowering of 64-bit memories
// and tables to 32-bit ones, exact in results and traps.
//
// The pass decodes, checks, meters and emits each function body in one walk; the output only grows. It maps bytes to
// bytes: it keeps no state, runs nothing, and must not know messages, cycles or engines. The caller provides the set of
// System API functions.
//
// # How a metering point looks
//
// The counter is an exported global. Its upper part is the number of instructions left, its lower part is the call
// stack in use (counter.go). Each function mirrors it in a local: a charge subtracts from the local, and the global is
// written before the next operator that may trap or call, or that leaves the function. Nothing reads it in between, so
// it is right at every trap and every host call. After anything that may change the global (a call), the local is stale
// and is read again at the next charge, or before a branch back to a loop.
//
// If the check at a function's entry fails, it leaves the body for a dispatcher, a function added to the module, which
// calls the host and then calls the function again:
//
//	block (out)
//	  counter -= cost; br_if (out) if counter < 0
//	  ...
//	  return
//	end (out)
//	call dispatcher with the parameters, the function's place in it and the cost
//
// The dispatcher takes everything as arguments: no value outlives its call, so a small function needs no stack space
// for its check.
//
// The check at a loop head leaves the loop before it calls the host, and returns by running the head again, so that
// there is no call inside the loop:
//
//	block (exit)  loop (again)  block (empty)  loop (body)
//	  counter -= cost; br_if (empty) if counter < 0
//	  ...
//	end; br (exit)  end (empty)
//	call out_of_instructions; counter += cost; br (again)  end  end (exit)
//
// Code that validation proves unreachable is checked and counted, but not emitted.
//
// # How a bulk operator is split
//
// The engine runs a memory.copy of gigabytes without interruption, and a garbage collection of the whole process waits
// for it. So if the size of an operator is not a small constant and exceeds a piece, the operator calls a function
// added to the module first:
//
//	(to, from, n)  if n > piece: call splitter, which does all pieces but the last
//	the operator, with the operands of the last piece
//
// The splitter calls the host after each piece. If an operand is out of bounds, it does nothing: the operator then
// traps before a byte is written, at the same place as before. The whole operation is charged before it begins, as on a
// replica.
//
// # How the call stack is metered
//
// A replica runs canisters on a stack of 5 MiB. A function adds its frame to the counter before it calls, and subtracts
// it afterwards. A trap leaves it there, since nothing runs after a trap.
//
// A function whose first call comes before any branch takes the frame at its entry, where a replica's engine checks
// too: charge and frame are one number there, and one check tests both. The dispatcher finds out which of them failed.
//
//	block (out)
//	  counter -= cost - frame; br_if (out) if counter < 0 or the stack is full
//	  ...
//	  counter -= frame
//	  return
//	end (out)
//
// So do functions with more than [maxRegions] regions. The others take the frame in regions: a region begins before a
// call that is in none (before the outermost loop around it) and ends with the construct in which it began. So a path
// without calls costs nothing, as in the fast paths of Motoko's arithmetic, whose slow paths call the functions for big
// numbers. Branches out of a region give the frame back; a br_if takes it again where it falls through. If a br_table
// both leaves a region and stays in it, each call has its own region.
//
// The places of this code and the frame are known at the end of a body; then the code is spliced into the finished
// body.
//
// A function is bounded if it calls no functions, or only bounded ones: up to [maxUncheckedStack], it checks nothing,
// and calling it does not take the frame. Bodies are therefore written callees first (bodies.go). A function with a
// larger frame always checks at its entry. So a program gets at most twice [maxUncheckedStack] deeper than its frames
// say, and recursion always passes a check. If the stack ends in a function with regions, the trap comes at its first
// call, not at its entry: what it ran until then is charged. A tail call gives the frame back first.
//
// The frame is the one of the replica's engine, estimated in the same walk (frame.go). It holds the values that live
// across a call of the function as a replica instruments it, in five saved registers and then in spill slots, and the
// arguments that do not fit registers.
//
// # Forms for profiles and coverage
//
// With Options.Probes, functions tell the host when they begin and end (probe.go); with Options.Coverage, blocks set bits
// of globals (coverage.go). Neither is charged, and all charges, results and traps stay as they are.
//
// # How long compiling takes
//
// The same walk estimates the time that the compiler will need (estimate.go), from the phis, live values and blocks of
// each function. A module above the limits is rejected with the replica's complexity error, before the compiler starts.
//
// # How a 64-bit address is lowered
//
// A 32-bit engine address is made from a 64-bit one by saturation: any address from 2^32 on becomes 2^32-1, which no
// lowered memory reaches because a wide memory ends one page below 4 GiB. The engine's own bounds check then traps
// exactly where the 64-bit module would. Addresses known to be below 2^32 are only wrapped, and the lowered form of a
// local is kept in a second local until the local is assigned.
package rewrite
