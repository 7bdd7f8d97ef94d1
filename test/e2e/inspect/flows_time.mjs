// What a developer does with the time of an instance: marks, the past in forks, what changed between two moments.
import assert from "node:assert/strict";
import { settled } from "./flows_call.mjs";
import { checkedCommand } from "./flows_messages.mjs";
import { canisterd, flow, plan, shot } from "./harness.mjs";

/** The instance of these flows, which keeps its history, and one that does not. */
const name = "past";
const memory = "memory2";

/** @param {{context: import("playwright-core").BrowserContext, page: import("playwright-core").Page, base: string}} with */
export const timeFlows = async ({ context, page, base }) => {
  const on = (...args) => canisterd("-i", name, ...args);
  const text = (selector = "main") => page.innerText(selector);
  const shows = (what, selector = "main") => page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });
  const balance = (of = name) => canisterd("-i", of, "canister", "query", "bank", "balance", "--as", "bank");
  const height = () => Number(on("instance", "show", "--jq", ".instance.height"));
  const instances = () => canisterd("instance", "list", "--jq", ".instances[].name");
  const deposit = (amount) => on("canister", "call", "bank", "deposit", `(${amount})`, "--as", "bank");
  canisterd("instance", "create", name, "--pacing", "manual");
  on("deploy");
  on("canister", "call", "bank", "open", `("${on("canister", "id", "vault")}")`);
  deposit(10);
  /** Makes a canister trap. */
  const trap = (of) => {
    const id = canisterd("-i", of, "canister", "create");
    canisterd("-i", of, "canister", "install", id, plan.hostile);
    assert.throws(() => canisterd("-i", of, "canister", "call", id, "trap", "()"));
  };

  await flow("an empty past says what marks are for, and names its commands", async () => {
    await page.goto(`${base}time?i=${name}`);
    await shows("Every round since 0 can be looked at in a fork");
    await shows("No moment has a mark yet");
    assert.match(await checkedCommand(page), /-i past time && canisterd -i past instance history$/);
  });

  await flow("the present is kept as a snapshot and with a mark, and a trap marks itself", async () => {
    await page.fill("[name=name]", "ten");
    await page.click("text=Take a snapshot");
    await shows("1 snapshot");
    deposit(20);
    await page.fill("[name=name]", "thirty");
    await page.locator("aside button", { hasText: /^Mark$/ }).click();
    await shows("1 snapshot and 1 mark");
    trap(name);
    await shows("1 snapshot, 1 mark and 1 trap");
    deposit(40);
    assert.equal(await page.locator("g.part").count(), 3);
    await shot(page, "time");
  });

  await flow("the keys [ and ] go from mark to mark, and the address has the moment", async () => {
    await page.locator("h1").first().click();
    await page.keyboard.press("[");
    await page.waitForURL(/at=\d+/);
    await shows(".trap trapped because", "aside");
    assert.match(await checkedCommand(page), /instance fork then --at \d+$/);
    await page.keyboard.press("[");
    await page.waitForURL(/at=mark%3Athirty/);
    assert.match(await checkedCommand(page), /instance fork then --at mark:thirty$/);
    await page.keyboard.press("[");
    await page.waitForURL(/at=snapshot%3Aten/);
    assert.match(await checkedCommand(page), /instance fork then --snapshot ten$/);
    await page.keyboard.press("]");
    await page.waitForURL(/at=mark%3Athirty/);
    const colleague = await context.newPage();
    await colleague.goto(page.url());
    await colleague.waitForSelector("aside h1 >> text=Mark thirty");
    await colleague.close();
  });

  await flow("a query is asked at a past moment, and leaves no fork", async () => {
    const before = instances();
    await page.selectOption("[name=canister]", { label: "bank" });
    await page.fill("[name=method]", "balance");
    await page.fill("[name=as]", on("canister", "id", "bank"));
    await page.locator("aside button", { hasText: /^Ask$/ }).click();
    await page.waitForSelector("pre[aria-label=answer]");
    assert.equal(await text("pre[aria-label=answer]"), "(30 : nat)");
    assert.match(page.url(), /method=balance/);
    await page.waitForTimeout(200);
    assert.equal(instances(), before);
  });

  await flow("two moments are compared by canister, and by what queries answer", async () => {
    const before = instances();
    await page.goto(`${base}time?i=${name}&at=snapshot:ten&as=${on("canister", "id", "bank")}`);
    await page.click("text=Compare from here");
    await page.waitForURL(/from=snapshot%3Aten/);
    await page.locator("g.part", { has: page.locator("title", { hasText: "mark thirty" }) }).focus();
    await page.keyboard.press("Enter");
    await shows("What changed from snapshot ten to mark thirty");
    await settled(page);
    const differences = await text('section[aria-label="differences of bank"]');
    assert.match(differences, /balance/);
    assert.match(differences, /content of the heap\s+\d+ pages? of 4 KiB differs?/);
    assert.equal(await page.locator("g.cursor").count(), 2);
    assert.match(await checkedCommand(page), /instance fork after --at mark:thirty && canisterd -i past instance diff @ten after$/);
    assert.equal(await text('section[aria-label="bank.balance"] ins'), "30");
    await page.locator("aside button", { hasText: /^Ask$/ }).click();
    await page.waitForSelector("aside .sides ins");
    assert.deepEqual([await text("aside .sides div:first-child pre"), await text("aside .sides div:last-child pre")], ["(10 : nat)", "(30 : nat)"]);
    await shot(page, "time-compared");
    await page.click("text=Swap");
    await shows("What changed from mark thirty to snapshot ten");
    await settled(page);
    await page.click("text=Compare no more");
    await page.waitForTimeout(200);
    assert.equal(instances(), before);
  });

  await flow("a past round is forked with a click on the strip, and stays there", async () => {
    await page.goto(`${base}time?i=${name}`);
    await settled(page);
    const box = await page.locator(".strip svg").boundingBox();
    await page.mouse.click(box.x + box.width - 14, box.y + 60);
    await page.waitForURL(/at=\d+/);
    await page.goto(`${base}time?i=${name}&at=mark:thirty`);
    await page.fill("[name=fork]", "thirty");
    await page.click("text=Fork here");
    await page.waitForURL(/i=thirty/);
    assert.equal(balance("thirty"), "(30 : nat)");
    assert.equal(canisterd("-i", "thirty", "pacing"), "manual");
    canisterd("instance", "delete", "thirty");
  });

  await flow("rounds run and time passes with buttons that say what they did", async () => {
    await page.goto(`${base}time?i=${name}`);
    await settled(page);
    const before = height();
    await page.locator("main button", { hasText: "Run a round" }).click();
    await shows("1 round, ");
    assert.equal(height(), before + 1);
    const then = JSON.parse(on("--json", "time")).time;
    await page.fill("text=let pass >> input", "1h30m");
    await page.click("text=Advance");
    await page.waitForFunction(() => /rounds?, \d+ messages?; it is/.test(document.querySelector("main p.soft[role=status]").innerText));
    assert.equal(Date.parse(JSON.parse(on("--json", "time")).time) - Date.parse(then) >= 5_400_000, true);
    await page.locator("main .pace button", { hasText: /^Step$/ }).click();
    await shows("is over: no message was left");
    await page.fill("text=let pass >> input", "soon");
    await page.click("text=Advance");
    await shows('invalid duration "soon"');
    await page.selectOption("text=rounds run >> select", "PACING_MODE_STILL");
    await page.waitForFunction(() => document.querySelector(".clock").innerText.includes("stands still"));
    assert.equal(on("pacing"), "still");
    on("pacing", "manual");
  });

  await flow("a snapshot is gone back to after a question that says what is lost", async () => {
    await page.goto(`${base}time?i=${name}&at=snapshot:ten`);
    await shows("A snapshot can be gone back to");
    await page.click("text=Go back here");
    await shows("are lost, and calls that wait end with an error");
    await page.click("text=Cancel");
    assert.equal(balance(), "(70 : nat)");
    await page.click("text=Go back here");
    await page.locator(".asking button").first().click();
    await page.waitForURL((url) => !url.search.includes("at="));
    assert.equal(balance(), "(10 : nat)");
  });

  await flow("an instance without a history shows snapshots and traps, and names the flag that keeps one", async () => {
    canisterd("instance", "create", memory, "--ephemeral");
    canisterd("-i", memory, "deploy");
    canisterd("-i", memory, "instance", "snapshot", "first");
    trap(memory);
    await page.goto(`${base}time?i=${memory}`);
    await shows("This instance keeps no history");
    await shows("--ephemeral");
    await shows("1 snapshot and 1 trap");
    await page.locator("h1").first().click();
    await page.keyboard.press("[");
    await shows("Without a history, this moment cannot be forked", "aside");
    await page.keyboard.press("[");
    await shows("Snapshot first", "aside");
    await shows("Fork here", "aside");
    await checkedCommand(page);
  });

  await flow("100,000 rounds with many marks and events keep the document small", async () => {
    const one = await context.newPage();
    const broken = [];
    one.on("pageerror", (error) => broken.push(String(error)));
    const inputs = Array.from({ length: 16_000 }, (_, i) => ({ height: String(i * 6), time: "2030-01-01T00:00:00Z", kind: i % 3 ? "trap" : "mark", requestId: "", sender: "", canisterId: plan.ids.bank, method: "deposit", errorCode: i % 3 ? "IC0503" : "", text: i % 3 ? "<b>trapped</b>" : `m${i}` }));
    await one.route("**/rpc/Instances/GetHistory", (route) => {
      const from = Number(route.request().postDataJSON().pageToken || 0);
      route.fulfill({ json: { firstHeight: "0", firstTime: "2030-01-01T00:00:00Z", lastHeight: "100000", lastTime: "2030-01-01T00:00:00Z", checkpoints: [], inputs: inputs.slice(from, from + 1000), nextPageToken: from + 1000 < inputs.length ? String(from + 1000) : "" } });
    });
    const events = Array.from({ length: 16_384 }, (_, i) => `id: ${i}\ndata: ${JSON.stringify({ event: { kind: "EVENT_KIND_MESSAGE_EXECUTED", sequence: String(i + 1), height: String(83_000 + i), canisterId: plan.ids.bank, method: "deposit" }, resumeToken: String(i) })}\n\n`).join("");
    let sent = false;
    await one.route("**/stream/Events/Watch*", (route) => {
      if (!sent) route.fulfill({ contentType: "text/event-stream", body: events }); // later ones stay open
      sent = true;
    });
    for (const query of ["", "&at=mark:m3", "&at=90500&lo=90000&hi=91000"]) {
      sent = false;
      await one.goto(`${base}time?i=${name}${query}`);
      await one.waitForSelector("g.part");
      await one.waitForSelector("rect.ran");
      const nodes = await one.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < 2000, `${nodes} nodes`);
    }
    await one.locator("button", { hasText: "Zoom in" }).click();
    await one.waitForURL(/lo=\d+&hi=\d+/);
    await one.keyboard.press("]");
    assert.equal(await one.locator("main b").filter({ hasText: /^trapped$/ }).count(), 0);
    assert.deepEqual(broken, []);
    await one.close();
  });

  // What the pages are looked at with.
  if (!on("instance", "snapshots").includes("ten")) on("instance", "snapshot", "ten");
  deposit(5);
  on("instance", "mark", "before-upgrade");
  deposit(6);
  return [`time?i=${name}&from=snapshot:ten&at=mark:before-upgrade`, ...(instances().includes(memory) ? [`time?i=${memory}&at=snapshot:first`] : [])];
};
