// Makes @dfinity/pic and other clients of PocketIC start canisterd: import "canisterd/pocket-ic".
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinary } from "./binary.js";

// The name under which canisterd is started decides that it is PocketIC's server.
const directory = mkdtempSync(join(tmpdir(), "canisterd-pocket-ic-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
execFileSync(findBinary(), ["link", directory]);

export const pocketIc = join(directory, process.platform === "win32" ? "pocket-ic.exe" : "pocket-ic");
process.env.POCKET_IC_BIN = pocketIc;
