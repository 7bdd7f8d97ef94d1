// What a developer does with coverage: which callbacks never ran, and which lines.
import assert from "node:assert/strict";
import { canisterd, flow, plan, shot } from "./harness.mjs";

/** @param {{page: import("playwright-core").Page, base: string}} with */
export const coverageFlows = async ({ page, base }) => {
  const shows = (what) => page.waitForFunction((w) => document.querySelector("main").innerText.includes(w), what, { timeout: 60_000 });
  const withdraw = () => canisterd("canister", "call", "bank", "withdraw", "(1)", "--as", "bank");
  const callback = page.locator("table.callbacks tbody tr", { hasText: "transfer" });

  await flow("coverage shows a callback that never ran, and that it ran once its call was rejected", async () => {
    const row = page.locator("main .row", { hasText: /^(Record coverage|Stop recording)/ });
    await page.goto(`${base}canister/${plan.ids.bank}`);
    await row.locator("button", { hasText: "Record coverage" }).click();
    await row.locator("text=It is recorded which code runs.").waitFor();
    await row.locator("a", { hasText: "Coverage" }).click();
    await shows("No canister has called another one since the recording began");
    canisterd("canister", "call", "bank", "deposit", "(5)", "--as", "bank");
    withdraw();
    await callback.waitFor();
    assert.match(await callback.innerText(), /bank\s+transfer\s+1\s+✓ 1\s+✗ never\s+✗ never/);
    await shot(page, "coverage-callback");
    const { rule_id: rule } = JSON.parse(canisterd("--json", "rule", "add", "reject", "closed", "--callee", "vault", "--method", "transfer")).rule;
    assert.match(withdraw(), /the vault does not pay/);
    canisterd("rule", "remove", String(rule));
    await page.waitForFunction(() => /✓ 1\s+✓ 1\s+✗ never/.test(document.querySelector("table.callbacks").innerText), undefined, { timeout: 60_000 });
    assert.match(await page.innerText("footer.command code"), /^canisterd cover read$/);
    assert.match(canisterd("cover", "read"), /bank +transfer +2 +cleanup/);
    assert.match(await page.innerText("main"), /Without debug information there are no source lines/);
    await page.click("main button >> text=Stop");
    await shows("The recording has ended");
    await page.fill("main input[type=search]", "withdraw");
    await page.waitForFunction(() => /[✓~] withdraw/.test(document.querySelector("main").innerText));
    assert.match(page.url(), /find=withdraw/);
  });

  await flow("coverage marks source lines, beside their text once the folder is chosen", async () => {
    const id = canisterd("canister", "create", "--jq", ".canister_id");
    canisterd("canister", "install", id, new URL("../../canistertest/fixtures/panics.wasm", import.meta.url).pathname);
    await page.goto(`${base}coverage?canister=${id}`);
    await page.locator("main button", { hasText: /^Record/ }).click();
    const file = page.locator("main table button.copy", { hasText: /^panics\/account\.rs$/ });
    await file.click();
    await shows("✗ not covered");
    assert.equal(await page.locator("main dt.ok").count(), 0);
    assert.throws(() => canisterd("canister", "call", id, "withdraw", "--hex", "61626364"), /account\.rs:15/);
    await page.locator("main dt.ok, main dt.waits").first().waitFor();
    await page.setInputFiles("input[type=file]", new URL("../../canistertest/fixtures/panics", import.meta.url).pathname);
    const source = page.locator("table.source");
    await source.waitFor();
    assert.match(await source.locator("tr:has(td.ok), tr:has(td.waits)").first().innerText(), /^\d+\s+[✓~]\s+\S/);
    await source.scrollIntoViewIfNeeded();
    await shot(page, "coverage-lines");
    await page.reload();
    await shows("panics/account.rs");
    await page.click("main button >> text=Stop");
    await shows("The recording has ended");
  });
};
