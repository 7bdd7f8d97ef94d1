// What a developer does with the Explorer: operations and lines by forms, a finding message by message, and what is kept.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settled } from "./flows_call.mjs";
import { canisterd, flow, plan, shot, visit } from "./harness.mjs";

const on = (...args) => canisterd("-i", "explored", ...args);

/** Deploys the bank into an instance of its own, with a deposit of 100, unless it is there. */
const bankToExplore = () => {
  if (canisterd("instance", "list").includes("explored")) return;
  canisterd("instance", "create", "explored", "--pacing", "manual");
  on("deploy");
  on("canister", "call", "bank", "open", `("${on("canister", "id", "vault")}")`);
  on("canister", "call", "bank", "deposit", "100");
};

/** The pages of an exploration of the bank and of its first finding, which a window has after it has explored. */
export const explorerPages = () => {
  bankToExplore();
  const q = JSON.stringify({ operations: Array.from({ length: 2 }, () => ({ canister: on("canister", "id", "bank"), method: "withdraw", argument: "(100)" })), invariants: ["vault paidOut <= 100"], runs: 100 });
  const address = (path, more) => `${path}?${new URLSearchParams({ i: "explored", q, ...more })}`;
  return [address("explorer", {}), address("explorer/1", { at: "5" })];
};

/** Explores if the page of a finding asks for it. */
export const explored = async (page) => {
  if (!page.url().includes("/explorer/")) return;
  const explore = page.locator("main button", { hasText: /^Explore$/ });
  await explore.or(page.locator("g.step.sel")).first().waitFor({ timeout: 60_000 });
  if (await explore.count()) await explore.click();
  await page.locator("g.step.sel").waitFor({ timeout: 60_000 });
};

/** @param {{context: import("playwright-core").BrowserContext, page: import("playwright-core").Page, base: string}} with */
export const explorerFlows = async ({ context, page, base }) => {
  const text = (selector = "main") => page.innerText(selector);
  const shows = (what, selector = "main") => page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });
  const button = (name, within = "main") => page.locator(`${within} button`, { hasText: name });
  let address = "";

  await flow("an empty Explorer says what an operation is, and what comes first", async () => {
    bankToExplore();
    await page.goto(`${base}explorer?i=explored`);
    await shows("Add an operation first.");
    assert.match(await text(), /An operation is an update call that may begin at any time/);
    assert.ok(await button(/^Explore$/).isDisabled());
    await shot(page, "explorer-empty");
  });

  await flow("an exploration is made with forms: operations, an invariant, limits", async () => {
    await page.selectOption("details.method >> text=canister >> select", { label: "bank" });
    await page.selectOption("details.method >> text=method >> select", "withdraw");
    await page.locator('details.method input[inputmode="numeric"]').fill("100");
    await button(/^Add$/).click();
    await button(/^Once more$/).click();
    await shows("2 calls may begin at any time");
    await page.click("text=Add a line");
    const form = page.locator("details.method", { hasText: "Add a line" });
    await form.locator("label", { hasText: "canister" }).locator("select").selectOption({ label: "vault" });
    await form.locator("text=now 0").waitFor();
    assert.equal(await form.locator("label", { hasText: "query" }).locator("select").inputValue(), "paidOut");
    await form.locator("input[type=number]").fill("100");
    await form.locator("button", { hasText: /^Add$/ }).click();
    await page.waitForFunction(() => document.querySelector("input.line")?.value === "vault paidOut <= 100");
    await page.click("text=Faults, runs, time");
    await page.locator("label", { hasText: "runs, at most" }).locator("input").fill("300");
    assert.equal(await text("footer.command code"), "canisterd -i explored explore --op 'bank withdraw (100)' --op 'bank withdraw (100)' --invariant 'vault paidOut <= 100' --runs 300");
    await page.click("text=Faults, runs, time");
    await shot(page, "explorer-form");
  });

  await flow("the exploration finds the double withdrawal, and says how much it has covered", async () => {
    await button(/^Explore$/).click();
    await shows("It found 1 violation.");
    const report = await text();
    assert.match(report, /vault paidOut <= 100 does not hold: the left side is 200 : nat/);
    assert.match(report, /All 6 orders of these 2 operations were run/);
    assert.match(report, /5 of 5 races in both orders/);
    assert.match(await text('[aria-label="answers"]'), /op1 bank withdraw \(100\)\s+100\s+1\s+12\s+0/);
    assert.match(await text('[aria-label="faults at awaits"]'), /bank\.withdraw › vault\.transfer/);
    assert.equal(on("canister", "query", "vault", "paidOut"), "(0 : nat)", "the instance has changed");
    await shot(page, "explorer-report");
  });

  await flow("a finding is followed message by message, with the state beside each", async () => {
    await page.click("ol.findings a >> nth=0");
    await page.waitForSelector(".rundiagram g.step");
    assert.equal(await page.locator("g.step").count(), 6);
    await shows("The messages are delivered in FIFO order, without faults.");
    await shows("0 of 6 messages", "aside");
    await shows("(100 : nat)", 'aside section[aria-label="state of bank"]');
    for (let i = 0; i < 3; i++) await button("Step", "aside").click();
    await shows("3 of 6 messages", "aside");
    assert.match(await text("aside"), /bank calls vault\.transfer/);
    assert.match(await text("aside pre"), /\(principal "2vxsx-fae", 100 : nat\)/);
    assert.equal(await text('aside section[aria-label="state of vault"] ins'), "100");
    assert.match(page.url(), /at=3/);
    await page.keyboard.press("]");
    await page.keyboard.press("j");
    await shows("vault paidOut <= 100 does not hold: the left side is 200", "aside .why.bad");
    await page.keyboard.press("[");
    await shows("4 of 6 messages", "aside");
    assert.equal(await page.locator("aside .why.bad").count(), 0);
    assert.match(await text(), /answer to op2, bank withdraw \(100\)\s+\(variant \{ refused = "not enough money" \}\)\s+\(variant \{ paid = 0 : nat \}\)/);
    await shot(page, "finding");
    address = page.url();
  });

  await flow("a message of a run is selected in the diagram, with the mouse and the keyboard", async () => {
    await page.locator("g.step").nth(1).click();
    await shows("2 of 6 messages", "aside");
    await page.locator("g.step").nth(5).focus();
    await page.keyboard.press("Enter");
    await shows("6 of 6 messages", "aside");
    assert.ok(await button("Step", "aside").isDisabled());
  });

  await flow("a schedule is downloaded, replayed by the command, and opened by a colleague", async () => {
    const [saved] = await Promise.all([page.waitForEvent("download"), button("Download").click()]);
    assert.equal(saved.suggestedFilename(), "vault-paidOut-100.yaml");
    const path = join(plan.project, saved.suggestedFilename());
    await saved.saveAs(path);
    assert.equal(await text("footer.command code"), "canisterd -i explored explore show --states vault-paidOut-100.yaml");
    assert.throws(() => on("explore", "replay", path), (error) => error.status === 2 && /^still fails: vault paidOut/.test(error.stdout));
    const other = await context.newPage();
    await other.goto(`${base}explorer?i=explored`);
    await other.setInputFiles("label.file input", path);
    await other.waitForSelector("g.step");
    assert.match(await other.innerText("main"), /vault paidOut <= 100 does not hold/);
    await other.close();
  });

  await flow("the address of a finding leads a colleague to the exploration, which finds the same", async () => {
    const other = await visit();
    await other.page.goto(address);
    await other.page.waitForSelector("text=This window has no report of this exploration");
    await other.page.locator("main button", { hasText: /^Explore$/ }).click();
    await other.page.waitForSelector("g.step.sel");
    assert.match(await other.page.innerText("aside"), /4 of 6 messages/);
    await other.page.reload();
    await other.page.waitForSelector("g.step.sel");
    assert.deepEqual(other.broken, []);
    await other.context.close();
  });

  await flow("the section for canisterd.yaml is what canisterd explore reads", async () => {
    await page.click("section.finding a >> text=Explorer");
    await page.click("text=Keep it in canisterd.yaml");
    const section = await text("pre.whole");
    const file = join(plan.project, "canisterd.yaml");
    writeFileSync(file, `canisters:\n  bank:\n    wasm: bank.wasm\n  vault:\n    wasm: vault.wasm\n${section}`);
    try {
      assert.throws(() => on("explore", "--folder", ""), (error) => error.status === 2 && /vault paidOut <= 100 does not hold/.test(error.stdout) && /All 6 orders of these 2 operations/.test(error.stdout));
    } finally {
      rmSync(file);
    }
    assert.match(readFileSync(join(plan.project, "vault-paidOut-100.yaml"), "utf8"), /property: vault paidOut/);
  });

  await flow("an exploration is canceled, and ends when the window is closed", async () => {
    const other = await visit();
    const long = JSON.stringify({ operations: Array.from({ length: 8 }, () => ({ canister: on("canister", "id", "bank"), method: "withdraw", argument: "(100)" })), time: 0, runs: 100_000 });
    await other.page.goto(`${base}explorer?${new URLSearchParams({ i: "explored", q: long })}`);
    for (const end of ["cancel", "close"]) {
      await other.page.locator("main button", { hasText: /^Explore$/ }).click();
      await other.page.waitForSelector("text=/It explores since .*: [\\d_]+ runs/", { timeout: 60_000 });
      await shot(other.page, "explorer-progress");
      if (end === "close") break;
      await other.page.locator("main button", { hasText: /^Cancel$/ }).click();
      await other.page.locator("main button", { hasText: /^Explore$/ }).waitFor();
      assert.equal(await other.page.locator("text=It explores since").count(), 0);
    }
    await other.context.close();
    // Browsers have two explorations at a time: were the first ones going on, one of these would be refused.
    const third = await visit();
    for (let i = 0; i < 2; i++) {
      const one = await third.context.newPage();
      await one.goto(`${base}explorer?${new URLSearchParams({ i: "explored", q: long })}`);
      const [answer] = await Promise.all([one.waitForResponse(/stream\/Explorer\/Explore/, { timeout: 60_000 }), one.locator("main button", { hasText: /^Explore$/ }).click()]);
      assert.equal(answer.status(), 200);
    }
    await third.context.close();
  });

  await flow("what cannot be explored is explained, and a hostile address stays a text", async () => {
    const bank = on("canister", "id", "bank");
    await page.goto(`${base}explorer?${new URLSearchParams({ i: "explored", q: JSON.stringify({ operations: [{ canister: bank, method: "<img src=x onerror=alert(1)>", argument: "()" }], invariants: ["<b>", 7], faults: "many" }) })}`);
    await shows("<img src=x onerror=alert(1)>");
    assert.equal(await page.locator("main img").count(), 0);
    await button(/^Explore$/).click();
    await page.waitForSelector(".problem");
    assert.match(await text(".problem"), /<b>/);
    await page.goto(`${base}explorer?i=explored&q=nothing`);
    await shows("Add an operation first.");
    await settled(page);
  });
};
