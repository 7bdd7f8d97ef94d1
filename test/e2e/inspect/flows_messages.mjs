// What a developer does with what waits: held messages, rules and HTTP outcalls.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { settled } from "./flows_call.mjs";
import { canisterd, flow, plan, shot, submit } from "./harness.mjs";

/**
 * Checks that the commands that a page shows exist with the flags that they have, and returns them.
 * @param {import("playwright-core").Page} page
 */
export const checkedCommand = async (page) => {
  const shown = await page.innerText("footer.command code");
  const script = `canisterd() { "${plan.binary}" --url ${plan.url} "$@"; }\n${shown.replaceAll(" && canisterd ", " --help && canisterd ")} --help`;
  const help = execFileSync("sh", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  for (const one of shown.split(" && ")) {
    const words = one.replace(/^canisterd (-i \S+ )?/, "").split(" ");
    const named = words.slice(0, ["rule", "outcalls", "instance", "canister"].includes(words[0]) ? 2 : 1).join(" ");
    assert.ok(help.includes(`canisterd ${named}`), `${one} is no command:\n${help}`);
  }
  return shown;
};

/** The instance of these flows: it holds HTTP outcalls. */
const name = "inbox";

/**
 * Deploys the canisters of the flows, one of which makes the HTTP outcalls of its arguments.
 */
const deployed = () => {
  const dir = join(plan.project, "outcalls");
  mkdirSync(dir);
  copyFileSync(plan.fetcher, join(dir, "rates.wasm"));
  canisterd("instance", "create", name, "--outcalls", "hold");
  canisterd("-i", name, "deploy");
  execFileSync(plan.binary, ["--url", plan.url, "-i", name, "deploy"], { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const rates = execFileSync(plan.binary, ["--url", plan.url, "-i", name, "canister", "id", "rates"], { cwd: dir, encoding: "utf8" }).trim();
  const on = (...args) => canisterd("-i", name, ...args);
  on("canister", "call", "bank", "open", `("${on("canister", "id", "vault")}")`);
  on("canister", "call", "bank", "deposit", "(1000)", "--as", "bank");
  return rates;
};

/** Makes an HTTP outcall that waits. */
const outcall = (rates, url, body) =>
  submit("-i", name, "canister", "submit", rates, "fetch", `(record { url = "${url}"; method = variant { post }; headers = vec { record { name = "accept"; value = "text/<b>plain</b>" } }; body = opt blob "${body}" })`).request_id;

/** @param {{page: import("playwright-core").Page, base: string}} with */
export const messageFlows = async ({ page, base }) => {
  const on = (...args) => canisterd("-i", name, ...args);
  const text = (selector = "main") => page.innerText(selector);
  const shows = (what, selector = "main") => page.waitForFunction(([s, w]) => document.querySelector(s)?.innerText.includes(w), [selector, what], { timeout: 60_000 });
  const gone = () => page.waitForFunction(() => !document.querySelector('[aria-label="held messages"]'), undefined, { timeout: 60_000 });
  const withdraw = (amount) => submit("-i", name, "canister", "submit", "bank", "withdraw", `(${amount})`, "--as", "bank").request_id;
  const rates = deployed();

  await flow("an empty inbox says how messages are held and how outcalls are answered", async () => {
    await page.goto(`${base}messages?i=${name}`);
    await shows("Nothing waits for you");
    await shows("Nothing is held");
    await shows(`canisterd -i ${name} rule add hold --callee bank`);
    await shows("No HTTP outcall waits. When a canister makes one, its request appears here");
    assert.match(await checkedCommand(page), /held && .*outcalls list && .*rule list/);
    await page.goto(`${base}messages`);
    await shows("this instance sends them");
    await shows("canisterd instance create lab --outcalls hold");
    await shot(page, "messages-empty");
  });

  await flow("a rule is added by a form, whose address and command have every field", async () => {
    await page.goto(`${base}messages?i=${name}`);
    await page.click("text=Add a rule");
    await page.fill("[name=callee]", "vault");
    await page.fill("[name=method]", "trans*");
    await page.fill("[name=caller]", "bank");
    await page.fill("[name=skip]", "0");
    await page.fill("[name=times]", "50");
    await page.fill("[name=note]", "the vault is slow");
    assert.match(await checkedCommand(page), /rule add hold --caller bank --callee vault --method 'trans\*' --skip 0 --times 50 --note 'the vault is slow'/);
    assert.match(page.url(), /callee=vault/);
    await page.reload();
    assert.equal(await page.inputValue("[name=note]"), "the vault is slow");
    await page.click("text=Add the rule");
    await page.waitForURL(/sel=r1/);
    await shows("It holds calls trans*", "aside");
    assert.match(on("rule", "list"), /hold +request +bank +vault +trans\* +0 +the vault is slow/);
    await checkedCommand(page);
  });

  await flow("the form of rules names canisters and methods that do not exist, with the nearest name", async () => {
    await page.goto(`${base}messages?i=${name}&sel=new`);
    await page.fill("input[name=callee]", "valt");
    await shows("callee: this instance has no canister valt; did you mean vault?", "aside");
    await page.fill("input[name=callee]", "vault");
    await page.fill("input[name=method]", "transfre");
    await shows("vault has no method transfre; did you mean transfer?", "aside");
    await shot(page, "rule-doubt");
    await page.fill("input[name=method]", "trans*");
    await page.waitForFunction(() => !document.querySelector("aside").innerText.includes("No message seems"));
    await page.fill("input[name=caller]", "bnak");
    await shows("caller: this instance has no canister bnak; did you mean bank?", "aside");
    await page.selectOption("select[name=kind]", "ingress");
    await page.waitForFunction(() => !document.querySelector("aside").innerText.includes("No message seems"));
    await page.goto(`${base}messages?i=${name}`);
    await shows("0 messages");
  });

  await flow("every action of rules can be given, and a wrong duration is explained", async () => {
    for (const [does, fill, command] of [
      ["delay", { delay: "1h30m" }, /rule add delay 1h30m --callee nobody/],
      ["reply", { text: "(5 : nat)" }, /rule add reply '\(5 : nat\)' --callee nobody/],
      ["reject", { text: "closed" }, /rule add reject sys_transient closed --callee nobody/],
      ["unknown", {}, /rule add unknown --callee nobody/],
      ["drop", {}, /rule add drop --callee nobody/],
    ]) {
      await page.goto(`${base}messages?i=${name}&sel=new&do=${does}&callee=${plan.ids.blank}`);
      for (const [field, value] of Object.entries(fill)) await page.fill(`[name=${field}]`, value);
      if (does === "reject") await page.selectOption("[name=code]", "sys_transient");
      const shown = (await checkedCommand(page)).replace(plan.ids.blank, "nobody");
      assert.match(shown, command);
      await page.click("text=Add the rule");
      if (does === "unknown" || does === "drop") await shows("The rule is added", "aside");
      else await page.waitForURL(/sel=r\d+/);
    }
    const rules = JSON.parse(on("--json", "rule", "list")).rules;
    assert.deepEqual(rules.slice(1).map((r) => Object.keys(r).find((k) => ["delay", "answer", "drop"].includes(k))), ["delay", "answer", "answer", "answer", "drop"]);
    assert.equal(rules[1].delay, "5400s");
    assert.deepEqual(rules[3].answer.reject.text, "closed");
    for (const r of rules.slice(1)) on("rule", "remove", String(r.rule_id));
    await page.goto(`${base}messages?i=${name}&sel=new&do=delay`);
    await page.fill("[name=delay]", "soon");
    await page.click("text=Add the rule");
    await shows('invalid duration "soon"', "aside");
  });

  await flow("a held message appears as it is held, with its argument, and is released by hand", async () => {
    await page.goto(`${base}messages?i=${name}`);
    await shows("Nothing is held");
    const request = withdraw(60);
    await shows("1 held message waits for you");
    const row = page.locator('[aria-label="held messages"] tbody tr');
    assert.match(await row.innerText(), /vault\.transfer\s+call\s+bank/);
    await row.locator("a").first().click();
    await shows("It waits because rule 1 holds it", "aside");
    await shows("60", "aside pre");
    assert.match(page.url(), /sel=h\d+/);
    assert.match(await checkedCommand(page), /-i inbox release \d+$/);
    await shot(page, "messages-held");
    await page.click("aside >> text=Release");
    await gone();
    await shows("It waits no more", "aside");
    assert.match(on("trace", request.slice(0, 8)), /replied/);
  });

  await flow("a held message is answered and rejected by hand, with the command of the answer", async () => {
    const request = withdraw(5);
    await page.locator('[aria-label="held messages"] tbody a').first().click();
    await page.click("aside >> text=Reject…");
    await page.fill("aside textarea", "the vault is closed");
    await page.waitForFunction(() => document.querySelector("footer.command").innerText.includes("the vault is closed"));
    assert.match(await checkedCommand(page), /settle --held \d+ reject 'the vault is closed'/);
    await page.locator("aside button", { hasText: /^Reject$/ }).click();
    await gone();
    assert.match(on("trace", request.slice(0, 8)), /the vault is closed/);
    withdraw(6);
    await page.locator('[aria-label="held messages"] tbody a').first().click();
    await page.click("aside >> text=Answer…");
    await page.fill("aside textarea", "()");
    await page.locator("aside button", { hasText: /^Answer$/ }).click();
    await gone();
  });

  await flow("a rule says how many messages it took, and is removed with the messages that it holds released", async () => {
    const request = withdraw(7);
    await shows("1 held message waits for you");
    await page.locator('[aria-label="rules"] tbody a').first().click();
    await shows("took", "aside");
    assert.match(await text("aside"), /took\s+\d+ of \d+ matching messages/);
    await page.check("aside input[type=checkbox]");
    assert.match(await checkedCommand(page), /rule remove 1 --release/);
    await page.locator("aside button", { hasText: /^Remove$/ }).click();
    await shows("There are no rules");
    await gone();
    assert.match(on("trace", request.slice(0, 8)), /replied/);
  });

  await flow("an HTTP outcall shows its request as text only, and is answered with status, headers and body", async () => {
    await page.goto(`${base}messages?i=${name}`);
    const request = outcall(rates, "https://rates.example/usd?<script>", '{\\"of\\": [\\"ICP\\", \\"<img src=x>\\"]}');
    await shows("1 HTTP outcall waits for you");
    await page.locator('[aria-label="HTTP outcalls"] tbody a').first().click();
    await shows("https://rates.example/usd?<script>", "aside");
    await shows("text/<b>plain</b>", "aside");
    assert.equal(await text("aside pre[aria-label=body]"), '{\n  "of": [\n    "ICP",\n    "<img src=x>"\n  ]\n}');
    await page.locator("aside button", { hasText: /^hex$/ }).click();
    assert.match(await text("aside pre[aria-label=body]"), /^000000 {2}7b 22 6f 66 .*\{"of": \["ICP", /);
    assert.equal(await page.locator("main img, main script, main b").locator("visible=true").filter({ hasText: /plain|^$/ }).count(), 0);
    await page.fill("text=status >> input", "503");
    await page.fill("aside label:has-text('headers') textarea", "Content-Type: text/plain\nRetry-After: 5");
    await page.fill("aside label:has-text('body') textarea", "it's closed");
    await page.waitForFunction(() => document.querySelector("footer.command").innerText.includes("s closed")); // the last that was filled in
    assert.match(await checkedCommand(page), /outcalls answer 0 reply 'it'\\''s closed' --status 503 --header 'Content-Type: text\/plain' --header 'Retry-After: 5'/);
    await shot(page, "messages-outcall");
    await page.locator("aside button", { hasText: /^Answer$/ }).click();
    await page.waitForFunction(() => !document.querySelector('[aria-label="HTTP outcalls"]'));
    assert.match(on("canister", "await", request), /503.*it's closed|it's closed.*503/s);
  });

  await flow("an HTTP outcall is rejected by hand with the keyboard", async () => {
    const request = outcall(rates, "https://rates.example/eur", "\\00\\ff");
    await page.locator('[aria-label="HTTP outcalls"] tbody a').first().waitFor();
    await page.locator("h1").first().click();
    await page.keyboard.press("]");
    await page.waitForURL(/sel=o/);
    await page.waitForSelector("aside pre[aria-label=body]");
    assert.match(await text("aside pre[aria-label=body]"), /^000000 {2}00 ff/);
    await page.locator('[aria-label="kind of answer"] button', { hasText: "Reject" }).focus();
    await page.keyboard.press("Enter");
    await page.fill("aside label:has-text('the text of the reject') textarea", "connection reset");
    await page.waitForFunction(() => document.querySelector("footer.command").innerText.includes("connection reset"));
    assert.match(await checkedCommand(page), /outcalls answer 1 reject sys_transient 'connection reset'/);
    await page.locator("aside .row button.main").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector('[aria-label="HTTP outcalls"]'));
    assert.throws(() => on("canister", "await", request), /connection reset/);
  });

  await flow("an inbox in which nothing happens is read again with the stream's sign of life only, every ten seconds", async () => {
    await page.goto(`${base}messages?i=${name}`);
    await settled(page);
    await page.waitForTimeout(1000);
    let asked = 0;
    const count = (request) => { if (request.url().includes("/rpc/")) asked++; };
    page.on("request", count);
    await page.waitForTimeout(3000);
    page.off("request", count);
    assert.ok(asked <= 6, `${asked} requests in three seconds`);
  });

  // What the pages are looked at with. Time stands still, so that the outcall does not expire.
  on("pacing", "manual");
  on("rule", "add", "hold", "--callee", "vault", "--method", "transfer", "--note", "looked at");
  withdraw(8);
  outcall(rates, "https://rates.example/usd", '{\\"of\\": \\"ICP\\"}');
  on("run");
  const held = JSON.parse(on("--json", "held")).held?.[0]?.held_id;
  const shown = JSON.parse(on("--json", "outcalls", "list")).outcalls?.[0];
  return [`messages?i=${name}&sel=h${held}`, `messages?i=${name}&sel=o${shown?.subnet_id}/${shown?.number}`, `messages?i=${name}&sel=new&do=reject`, "messages"];
};
