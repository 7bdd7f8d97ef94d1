// A client of PocketIC that starts a server, or finds one, uses it, and waits to be killed.
import { readFileSync } from "node:fs";
import { PocketIc, PocketIcServer } from "@dfinity/pic";

const server = await PocketIcServer.start();
const pic = await PocketIc.create(server.getUrl());
const canisterId = await pic.createCanister();
await pic.installCode({ canisterId, wasm: readFileSync(process.env.CANISTERD_PRINTER) });
for (let i = 0; i < 3; i++) await pic.updateCall({ canisterId, method: "print", arg: new Uint8Array() });
console.log(server.getUrl());
setInterval(() => {}, 1000);
