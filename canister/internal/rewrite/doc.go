// Package rewrite turns a canister module, as uploaded, into the module that runs.
//
// It owns five things and nothing else: the Wasm binary reader and writer; validation (the
// WebAssembly type rules and the Internet Computer's rules on top, with the texts a replica gives);
// metering (every charge of the replica's cost table at the replica's own places, so that counts
// agree to the last instruction); canonical NaNs; and the lowering of 64-bit memories and tables to
// 32-bit ones, exact in results and traps.
//
// The pass decodes, checks, meters and emits each function body in one walk; the output only grows.
// Bytes come in, bytes go out: it keeps no state, runs nothing, and must not know what a message, a
// cycle or an engine is. The set of System API functions is handed in by the caller.
//
// # How a metering point looks
//
// The counter is an exported global, whose upper part are the instructions that are left and whose
// lower part is the call stack in use (counter.go). Each function mirrors it in a local: a charge
// subtracts from the local, and the global is written before the next operator that may trap or call, or that
// leaves the function: nothing reads it in between, so it is right at every trap and every host
// call. After anything that may move the global (a call) the local is stale and is read again at
// the next charge, or before a branch back to a loop.
//
// The check at a function's entry leaves the body for a dispatcher, a function added to the module,
// which calls the host and then calls the function again:
//
//	block (out)
//	  counter -= cost; br_if (out) if counter < 0
//	  ...
//	  return
//	end (out)
//	call dispatcher with the parameters, the function's place in it and the cost
//
// The dispatcher takes everything as arguments: no value outlives its call, so that a small
// function needs no room on the stack for its check.
//
// The check at a loop head leaves the loop before it calls the host and comes back by running the
// head again, so that no call stands inside the loop:
//
//	block (exit)  loop (again)  block (empty)  loop (body)
//	  counter -= cost; br_if (empty) if counter < 0
//	  ...
//	end; br (exit)  end (empty)
//	call out_of_instructions; counter += cost; br (again)  end  end (exit)
//
// Code that validation proves unreachable is checked and counted but not emitted.
//
// # How a bulk operator is split
//
// The engine runs a memory.copy of gigabytes without a stop, and a garbage collection of the whole
// process waits for it. An operator whose size is not a small constant therefore asks a function
// added to the module for help where the size exceeds a piece:
//
//	(to, from, n)  if n > piece: call splitter, which does all pieces but the last
//	the operator, with the operands of the last piece
//
// The splitter calls the host after each piece. It does nothing where an operand is out of bounds:
// the operator then traps, before a byte is written, where it always did. The whole operation is
// charged before it begins, as on a replica.
//
// # How the call stack is metered
//
// A replica runs canisters on a stack of 5 MiB. A function adds its frame to the counter before it
// calls and subtracts it afterwards. A trap leaves it there, since nothing runs after it.
//
// A function whose first call comes before any branch takes the frame at its entry, where a
// replica's engine checks too: the charge and the frame are one number there, and one check looks
// at both. The dispatcher finds out which it was.
//
//	block (out)
//	  counter -= cost - frame; br_if (out) if counter < 0 or the stack is full
//	  ...
//	  counter -= frame
//	  return
//	end (out)
//
// So do functions with more than [maxRegions] regions. The others take the frame in regions: a region begins before a
// call that is in none (before the outermost loop around it) and ends with the construct that it began in. So a way
// without calls costs nothing, as in the fast ways of Motoko's arithmetic, whose slow ways call the big numbers.
// Branches out of a region give the frame back, a br_if takes it again where it falls through. Where a br_table both
// leaves a region and stays in it, each call has a region of its own.
//
// What goes in where is known at the end of a body, with the frame; the code is spliced into the
// finished body.
//
// Functions are bounded that call none, or only bounded ones: up to [maxUncheckedStack] they check
// nothing and are called without the frame being taken. Bodies are therefore written callees first
// (bodies.go). A function with a larger frame checks at its entry in any case. So a program gets at most twice
// [maxUncheckedStack] deeper than its frames say, and recursion always passes through a check.
// Where the stack ends in a function with regions, the trap comes at its first call, not at its
// entry: what it ran until then is charged. A tail call gives the frame back first.
//
// The frame is the frame in the replica's engine, estimated in the same walk (frame.go). It holds the values that live
// across a call of the function as a replica instruments it, in five saved registers and then in spill slots, and the
// arguments that do not fit registers.
//
// # How long compiling takes
//
// The same walk estimates the time that the compiler will need (estimate.go), from the phis, live
// values and blocks of each function. What is above the limits is refused with the replica's
// complexity error: the compiler is never started on it.
//
// # How a 64-bit address is lowered
//
// A 32-bit engine address is made from a 64-bit one by saturation: anything at or above 2^32
// becomes 2^32-1, which no lowered memory reaches because a wide memory ends one page below 4 GiB.
// The engine's own bounds check then traps exactly where the 64-bit module would. Addresses known
// to be below 2^32 are only wrapped, and the lowered form of a local is kept in a second local
// until it is assigned.
package rewrite
