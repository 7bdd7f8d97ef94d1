// What a developer does with the inspector, one flow after the other on one daemon.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callFlows, settled } from "./flows_call.mjs";
import { canisterFlows } from "./flows_canister.mjs";
import { coverageFlows } from "./flows_coverage.mjs";
import { explored, explorerFlows, explorerPages } from "./flows_explorer.mjs";
import { messageFlows } from "./flows_messages.mjs";
import { networkFlows } from "./flows_network.mjs";
import { noviceFlow } from "./flows_novice.mjs";
import { timeFlows } from "./flows_time.mjs";
import { browser, canisterd, entrance, finish, flow, plan, shot, submit, visit } from "./harness.mjs";

const base = `${plan.url}/_/inspect/`;
const { context, page, broken } = await visit();
const at = (path) => page.goto(base + path);
const text = (selector = "main") => page.innerText(selector);
/** Waits until the page shows a text. */
const shows = (what, selector = "main") =>
  page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });

await flow("a browser at the daemon's address gets the inspector, a program what it got before", async () => {
  const stranger = await browser.newContext();
  const first = await stranger.newPage();
  await first.goto(plan.url);
  assert.ok(first.url().startsWith(base), first.url());
  const answer = await fetch(plan.url);
  assert.match(await answer.text(), /There is nothing at/);
  await stranger.close();
});

await flow("a browser without a session learns which command opens one", async () => {
  const stranger = await browser.newContext();
  const first = await stranger.newPage();
  await first.goto(base);
  await first.waitForSelector("text=canisterd inspect");
  assert.equal(await first.locator("svg.lanes").count(), 0);
  await stranger.close();
});

await flow("the address with the token begins a session, and the token leaves the address", async () => {
  assert.ok(!page.url().includes("token"), page.url());
  const cookie = (await context.cookies()).find((c) => c.name.startsWith("canisterd_inspector_"));
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/_/inspect/"]);
});

await flow("canisterd inspect opens a file that leads to a session, and no argument has the token", async () => {
  const folder = mkdtempSync(join(tmpdir(), "canisterd-browser-"));
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf '%s' "$*" >${folder}/opened\n`, { mode: 0o700 });
  execFileSync(plan.binary, ["--url", plan.url, "-i", "empty", "inspect"], { env: { ...process.env, PATH: folder } });
  const opened = readFileSync(join(folder, "opened"), "utf8");
  assert.match(opened, /^\/[^?]*\.html$/);
  const stranger = await browser.newContext();
  const first = await stranger.newPage();
  await first.goto(`file://${opened}`);
  await first.waitForSelector("text=canisterd -i empty deploy");
  assert.equal(first.url(), `${base}?i=empty`);
  await stranger.close();
  rmSync(folder, { recursive: true });
});

await flow("an empty network teaches the first step", async () => {
  await at("now?i=empty");
  await shows("canisterd -i empty deploy");
  await shot(page, "empty");
});

await flow("after a call, lanes show who ran what", async () => {
  canisterd("canister", "call", "bank", "deposit", "(100)", "--as", "bank");
  await at("now");
  await page.waitForSelector("g.msg");
  await shows("bank");
  const labels = await page.locator("g.msg").evaluateAll((all) => all.map((g) => g.querySelector("title").textContent));
  assert.ok(labels.some((l) => /bank\.deposit, round \d+, [\d_]+ instructions/.test(l)), labels.join("\n"));
});

await flow("a selected message says how it ended, and has an address and a command", async () => {
  await page.locator("g.msg", { has: page.locator("title", { hasText: "bank.deposit" }) }).first().click();
  await shows("It ran to its end", "aside");
  assert.match(page.url(), /sel=\d+/);
  assert.match(await text("footer.command"), /canisterd trace [0-9a-f]{8}/);
});

await flow("a call shows its tree with decoded arguments and replies", async () => {
  await page.click("text=Show the whole call");
  await page.waitForSelector("ul.tree");
  const tree = await text(".page");
  assert.match(tree, /bank\.deposit/);
  assert.match(tree, /\(100\)/);
  assert.match(tree, /It replied \(100\)/);
});

await flow("a call shows its sequence, its timeline and its text", async () => {
  await page.click("nav.tabs >> text=Sequence");
  await page.waitForSelector("svg.lanes >> text=deposit(100)");
  await page.click("nav.tabs >> text=Timeline");
  await page.waitForSelector("td meter");
  await page.click("nav.tabs >> text=Text");
  await shows("ingress", ".page pre");
});

await flow("of a call with very many or very deep messages, a part is drawn", async () => {
  const call = (executions) => ({ requestId: "", argumentBytes: "RElETAAA", replyBytes: "RElETAAA", argumentSize: "6", canisterId: plan.ids.bank, method: "deposit", caller: "2vxsx-fae", argument: "(1)", reply: "(1)", answered: true, source: "ingress", begun: "2030-01-01T00:00:00Z", ended: "2030-01-01T00:00:00Z", executions, notes: [], missing: [] });
  const execution = (calls) => ({ entry: "update", answersCall: "0", height: "1", time: "2030-01-01T00:00:00Z", instructions: "1", cycles: "0", logs: [], calls });
  let deep = call([]);
  for (let i = 0; i < 500; i++) deep = call([execution([deep])]);
  for (const root of [call(Array.from({ length: 100 }, () => execution(Array.from({ length: 100 }, () => call([]))))), deep]) {
    const one = await context.newPage();
    const failed = [];
    one.on("pageerror", (error) => failed.push(String(error)));
    await one.route("**/rpc/Events/GetTrace", (route) => route.fulfill({ json: { root, complete: true, rendered: "everything", calls: [] } }));
    for (const tab of ["tree", "sequence", "timeline"]) {
      await one.goto(`${base}call/${"0".repeat(64)}/${tab}`);
      await one.waitForSelector("text=At most 2_000 messages are drawn");
      const nodes = await one.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < 60_000, `${tab}: ${nodes} nodes`);
      assert.equal(await one.locator(".problem").count(), 0, tab);
    }
    await one.click("nav.tabs >> text=Text");
    await one.waitForSelector("pre >> text=everything");
    assert.deepEqual(failed, []);
    await one.close();
  }
});

await callFlows({ context, page, base });

await flow("a held call is dashed, says which rule holds it, and is released with the mouse", async () => {
  canisterd("rule", "add", "hold", "--callee", "vault", "--method", "transfer");
  const { request_id: request } = submit("canister", "submit", "bank", "withdraw", "(60)", "--as", "bank");
  await at("now");
  const waiting = page.locator("g.msg.waits");
  await waiting.first().waitFor();
  await waiting.first().click();
  await shows("It waits because", "aside");
  assert.match(await text("aside"), /rule 1/);
  assert.ok((await page.locator("path.arrow").count()) >= 1, "no arrow leads to what waits");
  await shows("60", "aside pre");
  await shot(page, "held");
  await page.click("aside >> text=Release");
  await page.waitForFunction(() => document.querySelectorAll("g.msg.waits").length === 0);
  assert.match(canisterd("trace", request.slice(0, 8)), /replied/);
});

await flow("a held call is rejected by hand", async () => {
  const { request_id: request } = submit("canister", "submit", "bank", "withdraw", "(1)", "--as", "bank");
  await page.locator("g.msg.waits").first().click();
  await page.click("aside >> text=Reject…");
  await page.fill("aside textarea", "the vault is closed");
  await page.locator("aside button", { hasText: /^Reject$/ }).click();
  await page.waitForFunction(() => document.querySelectorAll("g.msg.waits").length === 0);
  assert.match(canisterd("trace", request.slice(0, 8)), /the vault is closed/);
  canisterd("rule", "remove", "1");
});

await flow("the list of canisters finds one by its name", async () => {
  await at("canisters");
  await shows("vault");
  await shows("In all they burn");
  assert.match(await page.locator("main table tr", { hasText: "vault" }).innerText(), /[\d.]+ [MB]\t/, "what it burns a day");
  await page.fill("main input[type=search]", "ban");
  await page.waitForFunction(() => !document.querySelector("main table").innerText.includes("vault"));
  await page.click("main table >> text=bank");
  await shows("It runs");
});

await flow("a method is called with a form, and its reply leads to the whole call", async () => {
  await page.click("nav.tabs >> text=Methods");
  await page.fill("text=call as >> input", plan.ids.bank);
  const method = page.locator("#method-deposit");
  await method.locator("summary").click();
  await method.locator('input[inputmode="numeric"]').fill("5");
  await method.locator("button", { hasText: /^Call$/ }).click();
  await method.locator(".why.ok").waitFor();
  await method.locator("text=the whole call").click();
  await page.waitForSelector("ul.tree");
});

await flow("a query is asked with a form", async () => {
  await at(`canister/${plan.ids.bank}/methods`);
  const method = page.locator("#method-balance");
  await method.locator("summary").click();
  await method.locator("button", { hasText: /^Query$/ }).click();
  await method.locator(".why.ok").waitFor();
});

await flow("a wrong argument is explained beside the button", async () => {
  const method = page.locator("#method-deposit");
  await method.locator("summary").click();
  await method.locator('input[inputmode="numeric"]').fill("-1");
  await method.locator("button", { hasText: /^Call$/ }).click();
  await method.locator(".problem").waitFor();
  assert.match(await method.locator(".problem").innerText(), /nat/);
});

await flow("random values fill a form, and earlier arguments come back", async () => {
  const method = page.locator("#method-deposit");
  await method.locator("text=Random values").click();
  assert.notEqual(await method.locator('input[inputmode="numeric"]').inputValue(), "-1");
  await method.locator("select").selectOption({ label: '["5"]' });
  assert.equal(await method.locator('input[inputmode="numeric"]').inputValue(), "5");
});

await flow("a type that is too wide for a form gets a text, and other methods their forms", async () => {
  await at(`canister/${plan.ids.wide}/methods`);
  const wide = page.locator("#method-wide");
  await wide.locator("summary").click();
  await wide.locator("text=A form has at most 2_000 fields and cases").waitFor();
  assert.equal(await wide.locator("textarea").count(), 1);
  assert.equal(await wide.locator("button", { hasText: "As a form" }).count(), 0);
  const lists = page.locator("#method-lists");
  await lists.locator("summary").click();
  for (let i = 0; i < 3; i++) await lists.locator("button", { hasText: "Random values" }).click();
  const elements = lists.locator("fieldset > button", { hasText: "Add an element" });
  await lists.locator("button", { hasText: "As text" }).click();
  await lists.locator("button", { hasText: "As a form" }).click();
  for (let i = 0; i < 200; i++) await elements.first().click();
  await lists.locator("text=A form has at most").waitFor();
  assert.ok((await lists.locator("input").count()) <= 2000);
  const deep = page.locator("#method-deep");
  await deep.locator("summary").click();
  await deep.locator("select").first().selectOption("deep");
  await deep.locator("fieldset").nth(3).waitFor();
  const narrow = page.locator("#method-narrow");
  await narrow.locator("summary").click();
  await narrow.locator('input[inputmode="numeric"]').fill("5");
  await narrow.locator("button", { hasText: /^Call$/ }).click();
  await narrow.locator(".why.ok").waitFor();
  assert.deepEqual(broken, []);
});

await flow("a part of a page that fails leaves the rest", async () => {
  const said = await page.evaluate(async () => {
    const src = document.querySelector("script[type=module]").src;
    const { Boundary, html } = await import(new URL("ui.js", src).href);
    const { render } = await import("preact");
    const Broken = () => { throw new Error("it is <b>broken</b>"); };
    const root = document.createElement("div");
    render(html`<p>before</p><${Boundary} what="The method pay"><${Broken} /><//><p>after</p>`, root);
    await new Promise((done) => requestAnimationFrame(done));
    return [root.textContent, root.querySelectorAll("b").length];
  });
  assert.match(said[0], /^beforeThe method pay cannot be shown: it is <b>broken<\/b>\..*after$/);
  assert.equal(said[1], 0);
});

await flow("a call that waits says why, takes no connection, and shows its answer", async () => {
  const hold = () => canisterd("rule", "add", "hold", "--callee", "vault", "--method", "transfer");
  let rule = hold();
  await at(`canister/${plan.ids.bank}/methods`);
  await page.fill("text=call as >> input", plan.ids.bank);
  const open = new Set();
  let awaits = 0;
  const begun = (request) => {
    if (request.url().includes("/rpc/")) open.add(request);
    if (request.url().endsWith("/Calls/Await")) awaits++;
  };
  const ended = (request) => open.delete(request);
  for (const [event, what] of [["request", begun], ["requestfinished", ended], ["requestfailed", ended]]) page.on(event, what);
  const method = page.locator("#method-withdraw");
  await method.locator("summary").click();
  await method.locator('input[inputmode="numeric"]').fill("1");
  await method.locator("button", { hasText: /^Call$/ }).click();
  await method.locator("text=It waits because").waitFor();
  while (open.size > 0) await page.waitForTimeout(20);
  canisterd("rule", "remove", rule, "--release");
  await method.locator(".why.ok").waitFor();
  rule = hold();
  await method.locator("button", { hasText: /^Call$/ }).click();
  await method.locator("text=It waits because").waitFor();
  await page.click("nav >> text=Canisters");
  await shows("vault");
  const before = awaits;
  canisterd("canister", "call", "bank", "deposit", "(2)", "--as", "bank");
  await page.click("nav >> text=Calls");
  await shows("(2)");
  assert.equal(awaits, before, "a page that was left asks for the answer");
  await at(`canister/${plan.ids.bank}`);
  await page.locator("button", { hasText: /^Stop$/ }).click();
  await shows("It is stopping");
  await page.locator("button", { hasText: /^Start$/ }).click();
  await shows("It runs");
  while (open.size > 0) await page.waitForTimeout(20);
  canisterd("rule", "remove", rule, "--release");
  for (const [event, what] of [["request", begun], ["requestfinished", ended], ["requestfailed", ended]]) page.off(event, what);
});

await flow("a call is made again with edits, and again on a fork", async () => {
  canisterd("canister", "call", "bank", "deposit", "(7)", "--as", "bank");
  await at("calls");
  await page.click("main table >> text=bank.deposit >> nth=0");
  await page.click("text=Again with edits");
  await page.waitForSelector("#method-deposit[open]");
  assert.equal(await page.inputValue("#method-deposit textarea"), "(7 : nat)");
  await page.goBack();
  await page.click("text=Again on a fork");
  await page.waitForURL(/i=instance-\d+/);
  await page.waitForSelector("ul.tree");
});

await flow("a trap is red and says why", async () => {
  assert.throws(() => canisterd("canister", "call", plan.ids.hostile, "trap", "()"));
  await at("now");
  await page.locator("g.msg.bad").first().waitFor();
  await page.locator("g.msg.bad").last().click();
  await shows("It trapped because", "aside");
});

await canisterFlows({ page, base });
await explorerFlows({ context, page, base });
await noviceFlow({ base });

await flow("settings are changed in a form", async () => {
  await at(`canister/${plan.ids.bank}/settings`);
  await page.fill("text=freezing threshold >> input", "86_400");
  await page.click("text=Change the settings");
  await page.waitForFunction(() => document.querySelector("button.main")?.disabled);
  assert.match(canisterd("canister", "settings", "bank", "--json"), /"freezing_threshold": *"?86400/);
});

await flow("cycles are added and a canister is stopped and started", async () => {
  await at(`canister/${plan.ids.vault}`);
  await page.click("text=Add 10 T cycles");
  await page.locator("button", { hasText: /^Stop$/ }).click();
  await shows("It is stopped");
  await page.locator("button", { hasText: /^Start$/ }).click();
  await shows("It runs");
});

await flow("a destructive button says what is lost before it acts", async () => {
  await page.click("text=Uninstall code");
  await shows("The code and the state are lost");
  await page.click("text=Cancel");
  assert.equal(await page.locator(".asking").count(), 0);
});

await flow("a module is installed by a file", async () => {
  await at(`canister/${plan.ids.blank}/module`);
  await shows("It has no code");
  await page.setInputFiles("input[type=file]", join(plan.project, "vault.wasm"));
  await page.locator("button", { hasText: /^Install$/ }).click();
  await page.waitForSelector(".why.ok >> text=Installed");
});

await flow("an hour passes with a button, and the time stands still when paused", async () => {
  await at("now");
  const before = await text(".clock");
  await page.click('.clock >> text=+1 h');
  await page.waitForFunction((old) => document.querySelector(".clock").innerText !== old, before);
  await page.click('button[aria-label^="pause"]');
  await page.waitForSelector(".clock >> text=stands still");
  await page.locator(".clock button", { hasText: /^step$/ }).click();
  await page.click('button[aria-label^="play"]');
  await page.waitForFunction(() => !document.querySelector(".clock").innerText.includes("stands still"));
});

await flow("the keys [ ] j k and / move and find", async () => {
  await at("now");
  await page.waitForSelector("g.msg");
  await page.keyboard.press("]");
  await page.waitForFunction(() => location.search.includes("sel="));
  const last = page.url();
  await page.keyboard.press("[");
  await page.waitForFunction((old) => location.href !== old, last);
  await page.keyboard.press("j");
  await page.waitForFunction((old) => location.href === old, last);
  await page.keyboard.press("/");
  await page.keyboard.type("vaul");
  await page.waitForSelector(".found a");
  await page.keyboard.press("Enter");
  await shows("vault");
});

await flow("a message is reached and opened with the keyboard alone", async () => {
  await at("now");
  await page.waitForSelector("g.msg");
  await page.locator("g.msg").last().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.search.includes("sel="));
});

await flow("another instance is selected, and its address can be sent to a colleague", async () => {
  await at("now");
  await page.selectOption('select[aria-label="instance"]', "empty");
  await page.waitForURL(/i=empty/);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.waitForSelector("text=canisterd -i empty deploy");
  await other.close();
});

await flow("a link in another page shows the same, without a token", async () => {
  const other = await context.newPage();
  await other.route("http://chat.example/", (route) => route.fulfill({ contentType: "text/html", body: `<a href="${base}canisters">see</a>` }));
  await other.goto("http://chat.example/");
  await other.click("a");
  await other.waitForSelector("main table");
  await other.close();
});

await flow("logs appear as they are written, control characters as text", async () => {
  await at(`canister/${plan.ids.hostile}/logs`);
  canisterd("canister", "call", plan.ids.hostile, "log", "()");
  await shows("<img src=x onerror=alert(1)>");
});

await flow("names, logs and Candid texts of canisters stay texts", async () => {
  for (const path of ["now", "canisters", "calls", `canister/${plan.ids.hostile}`, `canister/${plan.ids.hostile}/methods`, `canister/${plan.ids.hostile}/module`]) {
    await at(path);
    await page.waitForSelector("footer.command");
    await page.waitForTimeout(200);
    assert.equal(await page.locator("main img, main script, main iframe").count(), 0, path);
  }
  assert.deepEqual(broken, []);
});

await flow("a page of a canister is not at the origin of the inspector", async () => {
  const other = await context.newPage();
  await other.goto(`${plan.url}/?canisterId=${plan.ids.bank}`).catch(() => {});
  assert.ok(new URL(other.url()).hostname.startsWith(plan.ids.bank), other.url());
  await other.close();
});

await flow("pages of strangers reach nothing", async () => {
  const stranger = await context.newPage();
  await stranger.route(/http:\/\/(evil|rebound)\.example:?\d*\/$/, (route) => route.fulfill({ contentType: "text/html", body: "<p>hostile</p>" }));
  await stranger.goto("http://evil.example/");
  const script = await page.evaluate(() => document.querySelector("script[type=module]").src);
  const tried = await stranger.evaluate(async ({ url, script: src }) => {
    const got = [];
    const rpc = `${url}/_/inspect/rpc/Instances/ListInstances`;
    for (const init of [
      { method: "POST", body: "{}", headers: { "content-type": "application/json" }, credentials: "include" },
      { method: "POST", body: "{}", headers: { "content-type": "application/json", "x-canisterd-inspect": "1" }, credentials: "include" },
      { method: "POST", body: "{}", headers: { "content-type": "text/plain" }, credentials: "include" },
      { method: "POST", body: "{}", mode: "no-cors", credentials: "include" },
    ]) got.push(await fetch(rpc, init).then((r) => `${r.type} ${r.status}`, () => "refused"));
    got.push(await fetch(`${url}/_/inspect/names`, { credentials: "include" }).then((r) => `${r.type} ${r.status}`, () => "refused"));
    const frame = document.createElement("iframe");
    frame.src = `${url}/_/inspect/now`;
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
    let inside = "blocked";
    try { inside = frame.contentDocument?.title ?? "blocked"; } catch {}
    got.push(inside);
    const script = await new Promise((done) => {
      const s = document.createElement("script");
      s.type = "module";
      s.src = src;
      s.onload = () => done("loaded");
      s.onerror = () => done("refused");
      document.body.append(s);
    });
    got.push(script);
    got.push(await new Promise((done) => {
      const e = new EventSource(`${url}/_/inspect/stream/Events/Watch?request=${encodeURIComponent("{}")}`, { withCredentials: true });
      e.onopen = () => done("open");
      e.onerror = () => { e.close(); done("refused"); };
    }));
    return got;
  }, { url: plan.url, script });
  assert.deepEqual(tried, ["refused", "refused", "refused", "refused", "refused", "blocked", "refused", "refused"]);
  const port = new URL(plan.url).port;
  const rebound = await stranger.goto(`http://rebound.example:${port}/_/inspect/now`);
  assert.equal(rebound.status(), 403);
  await stranger.close();
});

await flow("a page of a canister's own host reaches nothing", async () => {
  const port = new URL(plan.url).port;
  const other = await context.newPage();
  const host = `http://${plan.ids.bank}.localhost:${port}/`;
  await other.route(host, (route) => route.fulfill({ contentType: "text/html", body: "<p>a canister's page</p>" }));
  await other.goto(host);
  const got = await other.evaluate(({ url }) => fetch(`${url}/_/inspect/rpc/Instances/ListInstances`, { method: "POST", body: "{}", headers: { "content-type": "application/json" }, credentials: "include" }).then((r) => r.status, () => "refused"), { url: plan.url });
  assert.equal(got, "refused");
  const inside = await other.evaluate(() => fetch("/_/inspect/names").then((r) => r.status, () => "refused"));
  assert.notEqual(inside, 200);
  await other.close();
});

const messagePages = await messageFlows({ page, base });
const timePages = await timeFlows({ context, page, base });
const networkPages = await networkFlows({ context, page, base });

canisterd("profile", "start"); // for its page
canisterd("cover", "start");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shown = submit("canister", "submit", "bank", "deposit", "(3)", "--as", "bank").request_id;
const all = ["now", "calls", "explorer", ...explorerPages(), ...["", "/state", "/test/go", "/test/pic-js"].map((t) => `call/${shown}${t}`), "canisters", ...["status", "methods", "settings", "queues", "logs", "snapshots", "module"].map((t) => `canister/${plan.ids.bank}/${t}`), ...messagePages, ...timePages, ...networkPages, "profile", "coverage"];

await flow("axe-core finds nothing serious on any page, light and dark", async () => {
  for (const scheme of ["light", "dark"]) {
    const one = await visit({ colorScheme: scheme, bypassCSP: true });
    for (const path of all) {
      await one.page.goto(base + path);
      await explored(one.page);
      await settled(one.page);
      await one.page.evaluate(axe);
      const found = await one.page.evaluate(() => globalThis.axe.run());
      const serious = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
      assert.deepEqual(serious.map((v) => `${scheme} ${path}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" | ")}`), []);
    }
    await one.context.close();
  }
});

await flow("every page is looked at in light, dark and narrow, and nothing is cut off at 360 pixels", async () => {
  for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 360, height: 740 } }]]) {
    const one = await visit(options);
    for (const path of all) {
      await one.page.goto(base + path);
      await explored(one.page);
      await settled(one.page);
      await one.page.waitForTimeout(150);
      await shot(one.page, `${name}-${path.replace(/^explorer\?.*/, "explorer-made").replaceAll("/", "-").replace(/[0-9a-f]{64}/, "request").replace(plan.ids.bank, "bank").replace(/\?i=(\w+)(&sel=(\w)[^&]*)?.*/, "-$1-$3")}`);
      const over = await one.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${name} ${path}: ${over} pixels are beside the window`);
    }
    assert.deepEqual(one.broken, []);
    await one.context.close();
  }
});

canisterd("profile", "stop");
canisterd("cover", "stop");

await flow("an instance with more events than it remembers keeps the document small", async () => {
  await at("now");
  await page.evaluate(async (bank) => {
    const call = { canisterId: bank, method: "deposit", argument: { text: "(1)" } };
    for (let i = 0; i < 5; i++) {
      const body = JSON.stringify({ calls: Array.from({ length: 1000 }, () => ({ call })) });
      const answer = await fetch("/_/inspect/rpc/Calls/Batch", { method: "POST", headers: { "content-type": "application/json", "x-canisterd-inspect": "1" }, body });
      if (!answer.ok) throw new Error(await answer.text());
    }
  }, plan.ids.bank);
  await page.reload();
  await page.waitForSelector("g.msg");
  for (const where of [0, 0.3, 0.7, 1]) {
    await page.evaluate((w) => { const b = document.querySelector(".lanebox"); b.scrollLeft = w * b.scrollWidth; }, where);
    await page.waitForTimeout(100);
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(nodes <= 2000, `${nodes} nodes at ${where}`);
  }
});

await flow("no page loads anything from elsewhere, and the first paint needs few bytes", async () => {
  const one = await browser.newContext();
  const fresh = await one.newPage();
  let bytes = 0;
  let requests = 0;
  const outside = [];
  fresh.on("response", async (response) => {
    if (!response.url().startsWith(plan.url)) outside.push(response.url());
    if (!response.url().includes("/files/") && response.request().resourceType() !== "document") return;
    requests++;
    bytes += Number(response.headers()["content-length"] ?? 0);
  });
  await fresh.goto(entrance());
  await fresh.waitForSelector("header.top");
  assert.deepEqual(outside, []);
  assert.ok(requests <= 30 && bytes <= 250_000, `${requests} requests, ${bytes} bytes`);
  await one.close();
});

await flow("a browser keeps scripts of a version, and asks for the page each time", async () => {
  const one = await context.newPage();
  const kept = {};
  one.on("response", async (response) => {
    if (response.url().endsWith("/app.js") || response.request().resourceType() === "document") kept[response.request().resourceType()] = (await response.allHeaders())["cache-control"];
  });
  await one.goto(`${base}now`);
  await one.waitForSelector("header.top");
  assert.deepEqual(kept, { document: "no-cache", script: "max-age=31536000, immutable" });
  assert.match(await one.evaluate(() => document.querySelector("script[type=module]").src), /\/files\/[0-9a-f]{32}\/app\.js$/);
  await one.close();
});

await flow("a profile says where a call spends instructions, as a flame graph and a table", async () => {
  await at("profile");
  await page.locator("main button", { hasText: /^Profile$/ }).click();
  await shows("Every message is counted");
  canisterd("canister", "call", "bank", "deposit", "(7)", "--as", "bank");
  await page.waitForSelector("g.bar.entry text");
  await page.click("main button >> text=Stop");
  await shows("The profile has ended");
  const label = await page.locator("g.bar.entry title").first().textContent();
  assert.match(label, /bank\.deposit \(update\): [\d_]+ instructions, \d+\.\d %/);
  await shot(page, "profile");
  await page.fill("main input[type=search]", "msg_reply");
  await page.waitForSelector("g.bar.hit");
  assert.match(page.url(), /find=msg_reply/);
  await page.locator("g.bar.function").first().click();
  await shows("of all instructions are in");
  await page.click("text=Show all");
});

await flow("a profile that is kept shows what became more", async () => {
  await page.fill("main input[type=search]", "");
  await page.locator("main button", { hasText: "Keep to compare" }).click();
  await page.locator("main button", { hasText: "Profile again" }).click();
  await shows("Every message is counted");
  canisterd("canister", "call", "bank", "deposit", "(7)", "--as", "bank");
  canisterd("canister", "call", "bank", "deposit", "(8)", "--as", "bank");
  await page.waitForSelector("g.bar.more");
  await page.click("main button >> text=Stop");
  await shows("before ▲");
  await page.click("text=Compare no more");
});

await flow("a profile shows where functions begin in the source", async () => {
  const id = canisterd("canister", "create", "--jq", ".canister_id");
  canisterd("canister", "install", id, new URL("../../canistertest/fixtures/panics.wasm", import.meta.url).pathname);
  await at("profile");
  await page.locator("main button", { hasText: /^Profile$/ }).click();
  await shows("Every message is counted");
  assert.throws(() => canisterd("canister", "call", id, "withdraw", "--hex", "61626364"), /account\.rs:15/);
  await page.waitForSelector("g.bar.entry text");
  await page.click("main button >> text=Stop");
  await shows("panics/account.rs:");
  assert.match(await page.locator("g.bar.function title").allTextContents().then((all) => all.join("\n")), /Account::withdraw of .* \(panics\/account\.rs:\d+\): /);
});

await coverageFlows({ page, base });

await flow("the page outlives a restart of the daemon", async () => {
  await at("canisters");
  await shows("bank");
  await fetch(`${plan.restarter}/stop`);
  await page.waitForSelector(".notice.bad", { timeout: 60_000 });
  assert.equal((await fetch(`${plan.restarter}/start`)).status, 200);
  await page.waitForFunction(() => !document.querySelector(".notice.bad"), undefined, { timeout: 120_000 });
  await at("now");
  await page.waitForSelector("footer.command");
});

await finish();
