// A new developer finds the double withdrawal of examples/doublewithdraw with the mouse; only numbers are typed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settled } from "./flows_call.mjs";
import { canisterd, flow, plan, shot, visit } from "./harness.mjs";

const on = (...args) => canisterd("-i", "novice", ...args);

/** The picture of the README and the text of the page that it shows. */
const picture = join(plan.screens, "readme");

/** @param {{base: string}} with */
export const noviceFlow = async ({ base }) => {
  await flow("a new developer finds the double withdrawal with the mouse: call twice, hold, release, see, explore, step", async () => {
    canisterd("instance", "create", "novice", "--pacing", "manual", "--seed", "07", "--start-time", "2030-01-01T00:00:00Z");
    on("deploy");
    on("canister", "call", "bank", "open", `("${on("canister", "id", "vault")}")`);
    const { context, page, broken } = await visit({ viewport: { width: 1280, height: 620 } });
    await page.addInitScript(() => {
      addEventListener("keydown", (event) => { if (event.isTrusted) throw new Error(`the key ${event.key} was pressed`); }, true);
    });
    const shows = (what, selector = "main") => page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });
    const place = (name) => page.locator("header.top nav a", { hasText: name }).click();
    const method = async (canister, name) => {
      await place("Canisters");
      await page.locator("main table a", { hasText: canister }).click();
      await page.locator("nav.tabs a", { hasText: "Methods" }).click();
      const form = page.locator(`#method-${name}`);
      await form.locator("summary").click();
      return form;
    };
    const press = (form, label) => form.locator("button", { hasText: label }).click();

    // He deposits 200 and withdraws 100, which is paid.
    await page.goto(`${base}now?i=novice`);
    let form = await method("bank", "deposit");
    await form.locator("input[type=text]").fill("200");
    await press(form, /^Call$/);
    await form.locator(".why.ok").waitFor();
    form = await method("bank", "withdraw");
    await form.locator("input[type=text]").fill("100");
    await press(form, /^Call$/);
    await form.locator(".why.ok").waitFor();

    // He sees the transfer, and holds it from now on.
    await place("Now");
    await page.locator("g.msg", { has: page.locator("title", { hasText: "vault.transfer" }) }).last().click();
    await page.locator("aside button", { hasText: "Hold this from now on" }).click();
    await shows("rule 1 holds vault.transfer from now on", "aside");

    // He withdraws twice: both wait.
    for (let i = 0; i < 2; i++) {
      form = await method("bank", "withdraw");
      await form.locator("select").selectOption({ label: '["100"]' });
      await press(form, /^Call$/);
      await form.locator("text=It waits because").waitFor();
    }
    await place("Now");
    await page.waitForFunction(() => document.querySelectorAll("g.msg.waits").length === 2);
    await page.locator("g.msg.waits").first().click();
    await shows("It waits because", "aside");
    await shows("100 : nat", "aside pre");
    await settled(page);
    await shot(page, "readme");
    writeFileSync(`${picture}.txt`, `${await page.evaluate(() => [...[...document.querySelectorAll("svg.lanes text")].map((t) => t.textContent), document.querySelector("aside").innerText].join("\n"))}\n`);

    // He releases both: both are paid, although there was money for one.
    const release = page.locator("aside button", { hasText: /^Release$/ });
    for (let i = 0; i < 2; i++) {
      await page.locator("g.msg.waits").nth(i).click();
      await release.click();
      await release.waitFor({ state: "detached" });
    }
    await page.locator(".clock button", { hasText: /^run$/ }).click();
    await page.waitForFunction(() => document.querySelectorAll("g.msg.waits").length === 0);
    form = await method("vault", "paidOut");
    await press(form, /^Query$/);
    await shows("300", "#method-paidOut .why.ok");
    await place("Calls");
    await page.waitForFunction(() => document.querySelectorAll("main tbody tr").length >= 4);
    const paid = page.locator("main tbody tr", { hasText: "bank.withdraw" });
    assert.equal(await paid.count(), 3);
    for (const answer of await paid.locator("td:last-child").allInnerTexts()) assert.match(answer, /paid = /);

    // He explores from before the first of the two, once more with a second one, and says what must hold.
    await paid.nth(1).locator("a").first().click();
    await page.locator("main button", { hasText: "Explore from before it" }).click();
    await page.waitForURL(/explorer\?i=instance-/);
    await shows("bank withdraw (100 : nat)");
    await page.locator("main button", { hasText: "Once more" }).click();
    await page.locator("summary", { hasText: "Add a line" }).click();
    form = page.locator("details.method", { hasText: "Add a line" });
    await form.locator("label", { hasText: "canister" }).locator("select").selectOption({ label: "vault" });
    await form.locator("text=now 100").waitFor();
    await form.locator("input[type=number]").fill("200");
    await press(form, /^Add$/);
    await page.locator("main button", { hasText: /^Explore$/ }).click();
    await shows("It found 1 violation.");

    // He steps through the finding until the money is paid twice.
    await page.locator("ol.findings a").first().click();
    const step = page.locator("aside button", { hasText: "Step" });
    await step.waitFor();
    let steps = 0;
    for (; (await page.locator("aside .why.bad").count()) === 0; steps++) {
      assert.ok(await step.isEnabled(), "no message breaks the invariant");
      await step.click();
      await shows(`${steps + 1} of 6 messages`, "aside");
    }
    assert.match(await page.innerText("aside"), /bank calls vault\.transfer/);
    assert.equal(await page.innerText('aside section[aria-label="state of vault"] ins'), "300");
    await shot(page, "novice");
    assert.deepEqual(broken, []);
    await context.close();
  });
};
