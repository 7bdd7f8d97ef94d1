// Opens pages of a canister in headless Chromium and prints what is on them as JSON.
// node gateway.mjs PORT CANISTER COUNTER
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";

const [port, canister, counter] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CANISTERD_CHROMIUM ?? "/usr/bin/chromium",
  // Without the browser's own rules for requests to this machine: those of the gateway are tested.
  args: ["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1", "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"],
});
const page = await browser.newPage();
const seen = {};

// What a page says once its script is done.
await page.goto(`http://${canister}.localhost:${port}/`);
await page.waitForFunction(() => document.getElementById("said").textContent !== "loading");
seen.frontend = await page.textContent("#said");

// A script of the page calls another canister through the gateway, with an agent that checks certificates.
const { outputFiles } = buildSync({ entryPoints: ["agent.mjs"], bundle: true, format: "iife", globalName: "backend", write: false });
await page.addScriptTag({ content: outputFiles[0].text });
seen.agent = await page.evaluate((id) => backend.count(id), counter);

seen.large = await page.evaluate(async () => (await (await fetch("/large.bin")).arrayBuffer()).byteLength);

await page.goto(`http://${canister}.localhost:${port}/changed.html`);
seen.changed = await page.textContent("body");

await page.goto(`http://127.0.0.1:${port}/_/dashboard`);
await page.click(`a[href="/_/canister/${canister}"]`);
await page.click(`a[href="http://${canister}.localhost:${port}/"]`);
await page.waitForURL(`http://${canister}.localhost:${port}/`);
seen.followed = await page.title();

// A page of strangers: its name resolves to this machine, and it asks by an address as well.
await page.goto(`http://rebound.example:${port}/_/dashboard`);
seen.rebound = await page.textContent("body");
await page.route("http://stranger.example/", (route) => route.fulfill({ contentType: "text/html", body: "<p>a page without rules of its own" }));
await page.goto("http://stranger.example/");
seen.foreign = await page.evaluate(async (port) => {
  const tries = [];
  for (const path of ["/_/dashboard", "/", "/api/v2/status"]) {
    tries.push(await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: "text/html" } }).then((r) => r.status, () => "refused"));
  }
  return tries.join(", ");
}, port);

console.log(JSON.stringify(seen));
await browser.close();
