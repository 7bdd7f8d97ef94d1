// Package rewrite turns a canister module, as uploaded, into the module that runs.
//
// It owns five things and nothing else: the Wasm binary reader and writer; validation (the WebAssembly type rules and the Internet
// Computer's rules on top, with the texts a replica gives); metering (every charge of the replica's cost table at the replica's own
// places, so that counts agree to the last instruction); canonical NaNs; and the lowering of 64-bit memories and tables to 32-bit ones, exact in
// results and traps.
//
// The pass decodes, checks, meters and emits each function body in one walk; the output only grows. Bytes come in, bytes go
// out: it keeps no state, runs nothing, and must not know what a message, a cycle or an engine is. The set of System API functions is
// handed in by the caller.
//
// Only the packages canister and canister/internal/wasm (and their tests) import it.
//
// # How a metering point looks
//
// The counter is an exported global. Each function mirrors it in a local: a charge subtracts from the local, and the global is written before
// the next operator that may trap or call, or that leaves the function: nobody looks at it in between, so it is right at every trap and every
// host call. After anything that may move the global (a call) the local is stale and is read again at the next charge, or before a
// branch back to a loop.
//
// The check at a function's entry leaves the body for a dispatcher, a function added to the module that calls the host and then the function anew:
//
//	block (out)
//	  counter -= cost; br_if (out) if counter < 0
//	  ...
//	  return
//	end (out)
//	call dispatcher with the parameters, the function's place in it and the cost
//
// The dispatcher takes everything as arguments: no value outlives its call, so that a small function needs no room on the stack for its check.
//
// The check at a loop head leaves the loop before it calls the host and comes back by running the head again, so that no call
// stands inside the loop:
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
// The engine runs a memory.copy of gigabytes without a stop, and a garbage collection of the whole process waits for it. An operator whose size
// is not a small constant therefore asks a function added to the module for help where the size exceeds a piece:
//
//	(to, from, n)  if n > piece: call splitter, which does all pieces but the last
//	the operator, with the operands of the last piece
//
// The splitter calls the host after each piece. It does nothing where an operand is out of bounds: the operator then traps, before a byte is
// written, where it always did. The whole operation is charged before it begins, as on a replica.
//
// # How the call stack is metered
//
// A replica runs canisters on a stack of 5 MiB. A second exported global holds the bytes left, for the function about to be called: the
// host sets it before every entry, and a function writes it before each call. Nothing is written after a call or at a return, so there is
// nothing to put right after a trap:
//
//	block (full)
//	  room = global - frame; br_if (full) if room < 0
//	  ...
//	  global = room; call f
//	  ...
//	end (full)
//	global = room; call out_of_instructions; unreachable
//
// A function that calls no others, or only such functions before it in the module, is bounded: up to [maxUncheckedStack] it checks nothing and its
// callers write nothing. Recursion always passes through a function that checks. A tail call writes the room with its own frame given back.
//
// The frame is that of the replica's engine, estimated in the same walk (frame.go): the values that live across a call of the function as a
// replica instruments it, which are kept in five saved registers, then in spill slots, and the arguments that do not fit registers.
//
// # How long compiling takes
//
// The same walk estimates the time that the compiler will need (estimate.go), from the phis, live values and blocks of each function. What is above the
// limits is refused with the replica's complexity error: the compiler is never started on it.
//
// # How a 64-bit address is lowered
//
// A 32-bit engine address is made from a 64-bit one by saturation: anything at or above 2^32 becomes 2^32-1, which no lowered memory reaches
// because a wide memory ends one page below 4 GiB. The engine's own bounds check then traps exactly where the 64-bit module would.
// Addresses known to be below 2^32 are only wrapped, and the lowered form of a local is kept in a second local until it is assigned.
package rewrite
