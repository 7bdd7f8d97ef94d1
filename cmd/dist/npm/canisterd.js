#!/usr/bin/env node
// Runs the binary in place of this process, as far as Node.js can: the same terminal, signals and exit code.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findBinary } from "./binary.js";

const child = spawn(findBinary(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  // A terminal sends its signals to the child, too, which decides when this process ends.
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`canisterd: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
