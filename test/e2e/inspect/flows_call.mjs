// What a developer does with one call: the state before and after it, and the call as a test.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { canisterd, flow, plan, shot, submit } from "./harness.mjs";

/** Waits until nothing on the page is being read. */
export const settled = (page) => page.waitForFunction(() => document.querySelector("footer.command") && !document.querySelector("main [aria-busy=true]"), undefined, { timeout: 60_000 });

/** @param {{context: import("playwright-core").BrowserContext, page: import("playwright-core").Page, base: string}} with */
export const callFlows = async ({ context, page, base }) => {
  const text = (selector = "main") => page.innerText(selector);

  await flow("a call shows what it changed: answers of queries side by side, pages of memory, cycles", async () => {
    const { request_id: request } = submit("canister", "submit", "bank", "deposit", "(11)", "--as", "bank");
    canisterd("canister", "await", request);
    const before = canisterd("instance", "list", "--jq", ".instances[].name");
    await page.goto(`${base}call/${request}`);
    await page.click("nav.tabs >> text=State");
    await settled(page);
    const balance = page.locator('section[aria-label="bank.balance"]');
    const [was, is] = await Promise.all([balance.locator("del").innerText(), balance.locator("ins").innerText()]);
    assert.equal(Number(is.replaceAll("_", "")) - Number(was.replaceAll("_", "")), 11, `${was} and ${is}`);
    const differences = await text('section[aria-label="differences of bank"]');
    assert.match(differences, /balance/);
    assert.match(differences, /content of the heap\s+\d+ pages? of 4 KiB differs?/);
    assert.equal(await page.locator('section[aria-label="differences of vault"]').count(), 0);
    assert.match(await text("footer.command"), /instance fork before --at [0-9a-f]{8} && canisterd instance fork after --at .* && canisterd instance diff before after/);
    await page.waitForTimeout(200);
    assert.equal(canisterd("instance", "list", "--jq", ".instances[].name"), before, "forks are left");
    await shot(page, "state");
  });

  await flow("the state of a call is reached with the keyboard, and its address shows the same to others", async () => {
    const at = page.url();
    assert.match(at, /call\/[0-9a-f]{64}\/state$/);
    await page.goto(at.replace(/\/state$/, ""));
    await page.waitForSelector("ul.tree");
    await page.locator("nav.tabs a", { hasText: "State" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(at);
    await settled(page);
    assert.match(await text(), /bank\.balance/);
  });

  await flow("an instance that keeps no history says so, and names the flag", async () => {
    canisterd("instance", "create", "memory", "--ephemeral");
    canisterd("-i", "memory", "deploy");
    const { request_id: request } = submit("-i", "memory", "canister", "submit", "bank", "deposit", "(1)");
    await page.goto(`${base}call/${request}/state?i=memory`);
    await settled(page);
    assert.match(await text(), /This instance keeps no history/);
    assert.match(await text(), /--ephemeral/);
    canisterd("instance", "delete", "memory", "--yes");
  });

  await flow("a panic names the file and the line of each function", async () => {
    canisterd("instance", "create", "panics", "--ephemeral");
    const id = canisterd("-i", "panics", "canister", "create");
    canisterd("-i", "panics", "canister", "install", id, resolve("../../canistertest/fixtures/panics.wasm"));
    const { request_id: request } = submit("-i", "panics", "canister", "submit", id, "withdraw", "--hex", "61626364");
    assert.throws(() => canisterd("-i", "panics", "canister", "await", request));
    await page.goto(`${base}call/${request}?i=panics`);
    await page.locator("ul.tree .problem pre").waitFor();
    assert.match(await text("ul.tree .problem pre"), /Account::check\s+panics\/account\.rs:15\n/);
    canisterd("instance", "delete", "panics", "--yes");
  });

  const on = (...args) => canisterd("-i", "tested", ...args);
  const test = () => page.innerText("pre.whole");

  await flow("a call is shown and copied as a test, with the calls that led to it", async () => {
    canisterd("instance", "create", "tested");
    on("deploy");
    on("canister", "call", "bank", "open", '("${vault}")');
    on("canister", "call", "bank", "deposit", "100", "--as", "vault");
    const { request_id: request } = submit("-i", "tested", "canister", "submit", "bank", "withdraw", "60", "--as", "vault");
    on("canister", "await", request);
    await page.goto(`${base}call/${request}?i=tested`);
    await page.click("text=As a test");
    await page.waitForURL(/test\/go\?i=tested$/);
    await page.waitForSelector("pre.whole");
    assert.match(await text(), /makes the 2 calls before this one/);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("text=copy the test");
    await page.waitForSelector("text=copied");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied.trimEnd(), (await test()).trimEnd());
    writeFileSync(join(plan.screens, "withdraw_test.go.txt"), copied); // the Go test compares it with one that is compiled and run
    assert.match(await text("footer.command"), /-i tested canister call bank withdraw '\(60 : nat\)' --as vault$/);
    await shot(page, "test-go");
  });

  await flow("the same call is a test of pic-js and of the crate pocket-ic, chosen with the keyboard", async () => {
    for (const [tool, file, wanted] of [
      ["pic-js", "withdraw.test.ts", ['wasm: "vault.wasm"', "[vault.toText()]", 'sender: vault, arg: new Uint8Array(IDL.encode([IDL.Nat], [60n]))', "[{ paid: 40n }]"]],
      ["Rust", "withdraw.rs", ['std::fs::read("vault.wasm")', 'format!(r#"("{vault}")"#)', 'vault, "withdraw", parse_idl_args("(60 : nat)")', "variant { paid = 40 : nat }"]],
    ]) {
      await page.locator("nav[aria-label='languages of the test'] a", { hasText: tool }).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`test/${tool.toLowerCase()}\\?i=tested$`));
      await settled(page);
      const shown = await test();
      for (const part of wanted) assert.ok(shown.includes(part), `${part} is not in\n${shown}`);
      writeFileSync(join(plan.screens, file), shown);
      await shot(page, `test-${tool}`);
    }
  });

  await flow("names and texts of canisters stay texts in a test", async () => {
    const { goTest } = await import("../../../api/inspect/page/test_go.js");
    const { picTest } = await import("../../../api/inspect/page/test_pic.js");
    const hostile = "\"`*/ //${x}%d{y}\n\u2028\u202e\\";
    const id = plan.ids.bank;
    const argument = { text: `("\\"${"`"}${id}%s{}${"${x}"}")`, hex: "4449444c" };
    const step = { canister: id, method: hostile, caller: id, argument, typed: { types: [{ kind: "text" }], args: [0], results: [0] } };
    const scenario = { omitted: 0, installed: [{ id, name: "bank", file: `${hostile}.wasm`, init: true }], steps: [step, { ...step, reply: argument }] };
    writeFileSync(join(plan.screens, "hostile_test.go.txt"), goTest(scenario)); // the Go test parses it
    const module = picTest(scenario).replace(/^import .*$/gm, "");
    new (Object.getPrototypeOf(async () => {}).constructor)(module); // it is parsed, not run
    assert.doesNotMatch(module, /[\u2028\u202e]/);
  });
};
