// What a developer does with one canister: its snapshots and its queues.
import assert from "node:assert/strict";
import { settled } from "./flows_call.mjs";
import { canisterd, flow, plan, shot, submit } from "./harness.mjs";

/** @param {{page: import("playwright-core").Page, base: string}} with */
export const canisterFlows = async ({ page, base }) => {
  const text = (selector = "main") => page.innerText(selector);
  const shows = (what) => page.waitForFunction((w) => document.querySelector("main").innerText.includes(w), what, { timeout: 60_000 });
  const balance = () => canisterd("canister", "query", "bank", "balance", "--as", "bank");

  await flow("a snapshot of a canister is taken, loaded and deleted, after a question what is lost", async () => {
    await page.goto(`${base}canister/${plan.ids.bank}`);
    await page.click("nav.tabs >> text=Snapshots");
    await shows("It has no snapshots");
    const had = balance();
    await page.click("text=Take a snapshot");
    await shows("1 snapshot with");
    canisterd("canister", "call", "bank", "deposit", "1000", "--as", "bank");
    assert.notEqual(balance(), had);
    await shot(page, "snapshots");
    const row = page.locator('[aria-label="snapshots"] tbody tr');
    await row.locator("button", { hasText: /^Load$/ }).click();
    await shows("since this snapshot are lost");
    await page.click("text=Cancel");
    await row.locator("button", { hasText: /^Load$/ }).click();
    await row.locator(".asking button").first().click();
    await page.waitForFunction(() => !document.querySelector(".asking") && !document.querySelector("main button[aria-busy=true]"));
    assert.equal(balance(), had);
    await row.locator("button", { hasText: /^Delete$/ }).focus();
    await page.keyboard.press("Enter");
    await shows("The snapshot is lost");
    await row.locator(".asking button").first().focus();
    await page.keyboard.press("Enter");
    await shows("It has no snapshots");
  });

  await flow("the page of snapshots changes nothing by itself, and its command lists the same", async () => {
    const height = () => canisterd("instance", "show", "--jq", ".instance.height");
    const before = height();
    await page.reload();
    await shows("It has no snapshots");
    assert.equal(height(), before);
    const command = (await text("footer.command code")).replace(/^canisterd /, "");
    const words = command.match(/'[^']*'|\S+/g).map((w) => w.replaceAll("'", ""));
    assert.equal(canisterd(...words), "(vec {})");
  });

  await flow("the queues of a canister say what it waits for and what waits for it", async () => {
    await page.goto(`${base}canister/${plan.ids.bank}/queues`);
    await shows("No call waits for it; it waits for nothing");
    canisterd("canister", "call", "bank", "deposit", "50", "--as", "bank");
    const rule = submit("rule", "add", "hold", "--callee", "vault", "--method", "transfer").rule.rule_id;
    submit("canister", "submit", "bank", "withdraw", "(2)", "--as", "bank");
    await shows("1 call waits for it; it waits for 1 call");
    assert.match(await text('[aria-label="calls that it made"]'), /vault\s+transfer\s+.*held/);
    assert.match(await text('[aria-label="calls that it is answering"]'), /bank\s+withdraw/);
    assert.match(await text("footer.command"), /canisterd queues bank && canisterd futures bank && canisterd contexts bank/);
    await shot(page, "queues");
    await page.goto(`${base}canister/${plan.ids.vault}/queues`);
    await shows("1 call waits for it");
    await page.locator('[aria-label="calls of it"] a', { hasText: "transfer" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/now\?sel=w/);
    await page.click("aside >> text=Release");
    await page.waitForFunction(() => document.querySelectorAll("g.msg.waits").length === 0);
    canisterd("rule", "remove", String(rule));
    await page.goto(`${base}canister/${plan.ids.vault}/queues`);
    await settled(page);
    await shows("No call waits for it");
  });

  await flow("a profile is begun on the page of a canister, and leads to its flame graph", async () => {
    const row = page.locator("main .row", { hasText: /^(Profile|Stop the profile)/ });
    await page.goto(`${base}canister/${plan.ids.bank}`);
    await row.locator("button", { hasText: /^Profile$/ }).click();
    await row.locator("text=Every message is counted.").waitFor();
    canisterd("canister", "call", "bank", "deposit", "(7)", "--as", "bank");
    canisterd("canister", "call", "vault", "paidOut");
    await row.locator("a", { hasText: "Flame graph" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("g.bar.entry text");
    const labels = await page.locator("g.bar.entry title").allTextContents();
    assert.ok(labels.length > 0 && labels.every((l) => l.startsWith("bank.")), `${labels}`);
    await page.goto(`${base}canister/${plan.ids.bank}`);
    await row.locator("button", { hasText: "Stop the profile" }).click();
    await row.locator("button", { hasText: /^Profile$/ }).waitFor();
    await row.locator("a", { hasText: "Flame graph" }).click();
    await shows("The profile has ended");
  });
};
