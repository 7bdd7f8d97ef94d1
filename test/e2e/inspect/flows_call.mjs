// What a developer does with one call: the state before and after it.
import assert from "node:assert/strict";
import { canisterd, flow, plan, shot, submit } from "./harness.mjs";

/** Waits until nothing on the page is being read. */
export const settled = (page) => page.waitForFunction(() => document.querySelector("footer.command") && !document.querySelector("main [aria-busy=true]"), undefined, { timeout: 60_000 });

/** @param {{page: import("playwright-core").Page, base: string}} with */
export const callFlows = async ({ page, base }) => {
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
};
