// What all flows use: a browser, the command line of the daemon under test, and a record of what held.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** The daemon under test and its project: {binary, url, project, screens, restarter, ids}. */
export const plan = JSON.parse(process.env.CANISTERD_PLAN ?? "{}");
mkdirSync(plan.screens, { recursive: true });

export const browser = await chromium.launch({
  executablePath: process.env.CANISTERD_CHROMIUM ?? "/usr/bin/chromium",
  // Names of strangers resolve to this machine (DNS rebinding), and the browser's own rules for requests to it are off:
  // those of the inspector are tested.
  args: ["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.test 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"],
});

/**
 * Runs a command of the binary under test.
 * @param {...string} args
 */
export const canisterd = (...args) =>
  execFileSync(plan.binary, ["--url", plan.url, ...args], { cwd: plan.project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Begins a command that waits, such as a call of which a part is held. */
export const submit = (...args) => JSON.parse(canisterd("--json", ...args));

/** The address with the token. */
export const entrance = (...args) => canisterd("inspect", "--print", ...args);

/**
 * Opens a window with a session.
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export const visit = async (options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const broken = [];
  page.on("pageerror", (error) => broken.push(String(error)));
  page.on("dialog", (dialog) => {
    broken.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(entrance());
  await page.waitForSelector("header.top");
  return { context, page, broken };
};

/** @param {import("playwright-core").Page} page */
export const shot = (page, name) => page.screenshot({ path: join(plan.screens, `${name}.png`) });

/** The flows that ran: {name, error}. */
const results = [];

/**
 * Runs a flow, and records whether it held.
 * @param {string} name a sentence
 * @param {() => Promise<void>} flow
 */
export const flow = async (name, run) => {
  if (plan.only && !new RegExp(plan.only).test(name)) return;
  try {
    await run();
    results.push({ name });
  } catch (error) {
    results.push({ name, error: error.stack ?? String(error) });
    for (const [i, page] of browser.contexts().flatMap((c) => c.pages()).entries()) await shot(page, `failed-${results.length}-${i}`).catch(() => {});
  }
};

/** Prints the results. */
export const finish = async () => {
  await browser.close();
  console.log(JSON.stringify(results));
};
