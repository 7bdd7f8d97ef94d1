// What a developer does with instances: look at the network, create, fork, export, import and delete instances.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { checkedCommand } from "./flows_messages.mjs";
import { canisterd, flow, plan, shot } from "./harness.mjs";

/** @param {{context: import("playwright-core").BrowserContext, page: import("playwright-core").Page, base: string}} with */
export const networkFlows = async ({ context, page, base }) => {
  const text = (selector = "main") => page.innerText(selector);
  const shows = (what, selector = "main") => page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });
  const show = (name) => JSON.parse(canisterd("--json", "instance", "show", name)).instance;
  const names = () => canisterd("instance", "list", "--jq", ".instances[].name").split("\n");

  await flow("the network shows subnets with their ids, kinds, nodes and keys, and its versions", async () => {
    await page.goto(`${base}network`);
    await shows("It is kept for the next start of the daemon");
    const about = show("default");
    const rows = await page.locator('[aria-label="subnets"] tbody tr').allInnerTexts();
    assert.equal(rows.length, about.subnets.length);
    about.subnets.forEach((s, i) => {
      assert.match(rows[i], new RegExp(`${s.kind}\\s+${s.nodes}\\s+${s.ranges[0].first} … ${s.ranges[0].last}`));
    });
    await page.locator("main dl details summary").first().click();
    await shows(about.root_key);
    await shows("canisterd doctor");
    await shows(`interface specification\n${JSON.parse(canisterd("--json", "instance", "show")).specification_version}`);
    await page.click("text=limits of each network");
    const limits = JSON.parse(canisterd("--json", "instance", "show")).limits;
    assert.ok(limits.length > 10);
    for (const l of limits) await shows(l.what);
    await shows("250_000");
    assert.match(await checkedCommand(page), /^canisterd instance list && canisterd instance show$/);
    await shot(page, "network");
  });

  await flow("an instance is created by a form, whose address and command have every field", async () => {
    await page.click("text=New instance");
    await page.fill("[name=name]", "made");
    await page.fill("[name=subnets]", "nns,fiduciary");
    await page.selectOption("[name=pacing]", "manual");
    await page.selectOption("[name=outcalls]", "deny");
    await page.fill("[name=start]", "2030-01-01T00:00:00Z");
    await page.fill("[name=seed]", "07");
    await page.check("[name=ephemeral]");
    await page.check("[name=limits]");
    assert.match(await checkedCommand(page), /instance create made --subnet nns,fiduciary --seed 07 --start-time 2030-01-01T00:00:00Z --pacing manual --outcalls deny --rate-limits --ephemeral$/);
    await page.reload();
    assert.equal(await page.inputValue("[name=seed]"), "07");
    await page.locator("aside button", { hasText: /^Create$/ }).click();
    await page.waitForURL(/i=made/);
    await shows("made runs with 2 subnets and 0 canisters");
    await shows("It ends with the daemon");
    const made = show("made");
    assert.deepEqual([made.subnets.map((s) => s.kind), made.outcalls, made.pacing.mode, made.ephemeral, made.time.slice(0, 19), made.seed.slice(0, 2)], [["nns", "fiduciary"], "deny", "manual", true, "2030-01-01T00:00:00", "07"]);
    await page.goto(`${base}network?sel=%2B&seed=zz`);
    await page.locator("aside button", { hasText: /^Create$/ }).click();
    await shows('invalid seed "zz"', "aside");
  });

  await flow("a fork is a branch of the tree of instances, and is selected with the keyboard", async () => {
    await page.goto(`${base}network?i=made&sel=made`);
    await page.fill("[name=fork]", "branch");
    await page.locator("aside button", { hasText: /^Fork$/ }).click();
    await page.waitForURL(/sel=branch/);
    await shows("forked from", "aside");
    assert.equal(await page.locator("ul.forks li li a", { hasText: "branch" }).count(), 1);
    assert.match(await checkedCommand(page), /instance show branch$/);
    canisterd("-i", "made", "instance", "fork", "then", "--ephemeral");
    await page.locator("h1").first().click();
    await page.keyboard.press("]");
    await page.waitForURL((url) => !url.search.includes("sel=branch"));
    await page.goto(`${base}network?i=made&sel=branch`);
    await page.click("text=Show this instance");
    await page.waitForURL(/now\?i=branch/);
  });

  await flow("an instance is downloaded as a file, and an instance is made of the file", async () => {
    canisterd("-i", "made", "canister", "create");
    await page.goto(`${base}network?i=made`);
    await shows("made runs");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("aside button", { hasText: /^Download$/ }).click()]);
    assert.equal(saved.suggestedFilename(), "made.ic");
    const file = await saved.path();
    assert.ok(statSync(file).size > 1000);
    canisterd("instance", "import", file, "by-command", "--ephemeral");
    assert.equal(show("by-command").subnets[0].subnet_id, show("made").subnets[0].subnet_id);
    await page.goto(`${base}network?sel=%2B&name=by-page&ephemeral=1`);
    await page.setInputFiles("input[type=file]", file);
    await page.locator("aside button", { hasText: /^Import$/ }).click();
    await page.waitForURL(/i=by-page/);
    await shows("by-page runs with 2 subnets and 1 canister");
    canisterd("instance", "delete", "by-command", "by-page");
  });

  await flow("a file that is no export is refused, and the text says why", async () => {
    await page.goto(`${base}network?sel=%2B&name=broken`);
    await page.setInputFiles("input[type=file]", plan.fetcher);
    await page.locator("aside button", { hasText: /^Import$/ }).click();
    await page.waitForSelector("aside .problem");
    assert.ok(!names().includes("broken"));
  });

  await flow("a deletion says what is lost, and leads to another instance", async () => {
    await page.goto(`${base}network?i=made`);
    await page.locator("aside button", { hasText: /^Delete$/ }).click();
    await shows("All canisters of made, its messages, snapshots and history are lost", "aside");
    await shows("Its 2 forks stay", "aside");
    await page.click("text=Cancel");
    assert.ok(names().includes("made"));
    await page.locator("aside button", { hasText: /^Delete$/ }).click();
    await page.locator(".asking button").first().click();
    await page.waitForURL(/i=default/);
    assert.ok(!names().includes("made"));
    await page.goto(`${base}network?sel=branch`);
    await shows("made, which is gone", "aside");
    canisterd("instance", "delete", "branch", "then");
    await shows("There is no instance branch any more", "aside");
  });

  await flow("the address of an instance shows a colleague the same", async () => {
    const colleague = await context.newPage();
    await colleague.goto(`${base}network?sel=empty`);
    await colleague.waitForSelector("aside h1 >> text=empty");
    await colleague.close();
  });

  return ["network", "network?i=default&sel=%2B"];
};
