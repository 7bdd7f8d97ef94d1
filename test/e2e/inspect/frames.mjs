// Measures how long the page Now needs for a frame while the events that an instance remembers are scrolled, and the same
// for a page of as many plain rows. It prints the milliseconds of script, style and layout of each frame as JSON.
import { browser, entrance, finish, plan } from "./harness.mjs";

/** As many events as an instance remembers. */
const remembered = 16384;

/** Frames of a measurement, and those before it in which code is compiled. */
const frames = 240;
const warm = 60;

/** What of a trace is work of the page, whatever began it. */
const work = new Set(["FunctionCall", "EventDispatch", "FireAnimationFrame", "TimerFire", "RunMicrotasks", "UpdateLayoutTree", "Layout", "PrePaint", "MinorGC", "MajorGC"]);

/**
 * Scrolls a box by a step in each frame, and marks the frames in the trace.
 * @param {[selector: string, axis: "scrollLeft" | "scrollTop", step: number, frames: number]} how
 */
const scroll = ([selector, axis, step, count]) =>
  new Promise((done) => {
    const box = document.querySelector(selector);
    box[axis] = 0;
    let left = count;
    const frame = () => {
      console.timeStamp("frame");
      box[axis] += step;
      if (left-- > 0) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });

/**
 * Returns the milliseconds of work in each frame.
 * @param {any[]} trace
 */
const perFrame = (trace) => {
  const marks = trace.filter((e) => e.name === "TimeStamp" && e.args?.data?.message === "frame").sort((a, b) => a.ts - b.ts);
  const { pid, tid } = marks[0];
  const spans = trace.filter((e) => e.ph === "X" && e.pid === pid && e.tid === tid && work.has(e.name)).sort((a, b) => a.ts - b.ts);
  const sums = marks.slice(1).map(() => 0);
  let [until, at] = [0, 0];
  for (const { ts, dur } of spans) {
    while (at < sums.length && ts >= marks[at + 1].ts) at++;
    const begun = Math.max(ts, until); // work within other work counts once
    until = Math.max(until, ts + dur);
    if (ts >= marks[0].ts && at < sums.length) sums[at] += Math.max(0, ts + dur - begun) / 1000;
  }
  return sums;
};

/**
 * @param {import("playwright-core").Page} page
 * @param {[selector: string, axis: "scrollLeft" | "scrollTop", step: number]} how
 */
const measure = async (page, how) => {
  await page.evaluate(scroll, [...how, warm]);
  await browser.startTracing(page, { categories: ["devtools.timeline", "v8"] });
  await page.evaluate(scroll, [...how, frames]);
  return perFrame(JSON.parse(String(await browser.stopTracing())).traceEvents);
};

const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto(entrance());
await page.waitForSelector("header.top");
await page.evaluate(async ([bank, count]) => {
  const call = { canisterId: bank, method: "deposit", argument: { text: "(1)" } };
  const some = async () => {
    for (let i = 0; i < count / 16; i++) {
      const answer = await fetch("/_/inspect/rpc/Calls/Update", { method: "POST", headers: { "content-type": "application/json", "x-canisterd-inspect": "1" }, body: JSON.stringify({ call }) });
      if (!answer.ok) throw new Error(await answer.text());
    }
  };
  await Promise.all(Array.from({ length: 4 }, some));
}, [plan.ids.bank, remembered]);
await page.reload();
await page.waitForSelector("g.msg");
await page.waitForFunction(() => document.querySelector(".lanebox").scrollWidth > 100_000, undefined, { timeout: 60_000 });
const drawn = await measure(page, [".lanebox", "scrollLeft", 640]);

const plain = await context.newPage();
await plain.setContent(`<div id="rows" style="height:700px;overflow:auto">${Array.from({ length: remembered }, (_, i) => `<div style="height:22px">round ${i}: bank.deposit, 24_574 instructions</div>`).join("")}</div>`);
const floor = await measure(plain, ["#rows", "scrollTop", 640]);
await context.close();
console.error(JSON.stringify({ drawn, floor }));
await finish();
