// Opens hostile pages in headless Chromium and prints, as JSON, what each of them could read or open at a server.
// node foreign.mjs < PLAN, with {port, requests: [{method, path, body}], local: the same of a page of this machine, call: {path, canister, method, arg}}
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const plan = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({
  executablePath: process.env.CANISTERD_CHROMIUM ?? "/usr/bin/chromium",
  // Names of strangers resolve to this machine (DNS rebinding), and the browser's own rules for requests to it are off:
  // those of the server are tested.
  args: ["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.test 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"],
});

// attack runs in a page. It sends every request in every way that a page has, and returns those whose answer it could
// read, or that opened a stream.
const attack = async ({ base, requests, call }) => {
  const got = new Set();
  const note = (how, method, path, status) => status > 0 && status < 400 && got.add(`${how} ${method} ${path}`);
  const until = (begin) => new Promise((end) => begin(end));
  const types = [undefined, "text/plain", "application/x-www-form-urlencoded", "application/json", "application/grpc",
    "application/grpc-web+proto", "application/grpc-web-text"];
  const ask = async (how, { method, path, body }, options) => {
    const response = await fetch(base + path, { method, body, ...options }).catch(() => undefined);
    if (response?.type !== "opaque") note(how, method, path, response?.status);
  };

  const viaFetch = async (request) => {
    for (const type of request.body === undefined ? [undefined] : types) {
      const headers = type ? { "content-type": type } : {};
      await ask("fetch", request, { headers });
      await ask("no-cors", request, { headers, mode: "no-cors" });
    }
    if (request.body !== undefined) await ask("bytes", { ...request, body: new Blob([request.body]) }, {});
  };

  const viaXHR = ({ method, path, body }) => until((end) => {
    const x = new XMLHttpRequest();
    x.onloadend = () => end(note("xhr", method, path, x.status));
    x.open(method, base + path);
    x.send(body);
  });

  // A page may look into a frame of its own origin only, and a form sends only three types.
  const viaFrame = ({ method, path, body = "{}" }, enctype) => until((end) => {
    const frame = document.createElement("iframe");
    frame.name = `f${Math.random()}`;
    const done = () => {
      let status = 0;
      try {
        status = frame.contentWindow.performance.getEntriesByType("navigation")[0].responseStatus;
      } catch {} // of another origin
      note("frame", method, path, status);
      frame.remove();
      end();
    };
    setTimeout(done, 3000); // an answer without content loads nothing
    if (method === "GET") {
      frame.onload = done;
      frame.src = base + path;
      document.body.append(frame);
      return;
    }
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: base + path, target: frame.name, enctype });
    const field = document.createElement("input");
    // In text/plain the name, = and the value are a JSON object.
    field.name = `${body.replace(/\}$/, body === "{}" ? "" : ",")}"x":"`;
    field.value = `"}`;
    form.append(field);
    frame.srcdoc = "<p>";
    frame.addEventListener("load", () => {
      frame.onload = done;
      form.submit();
    }, { once: true });
    document.body.append(form, frame);
  });

  const viaStreams = async (path) => {
    await until((end) => {
      const source = new EventSource(base + path);
      source.onopen = source.onerror = (e) => (note("events", "GET", path, e.type === "open" ? 200 : 0), source.close(), end());
    });
    await until((end) => {
      const socket = new WebSocket(base.replace("http", "ws") + path);
      socket.onopen = socket.onclose = (e) => (note("socket", "GET", path, e.type === "open" ? 200 : 0), socket.close(), end());
    });
  };

  const viaElements = async (path) => {
    for (const [tag, attribute] of [["img", "src"], ["script", "src"], ["link", "href"]]) {
      await until((end) => {
        const element = document.createElement(tag);
        element.onload = element.onerror = end;
        if (tag === "link") element.rel = "stylesheet";
        element[attribute] = base + path;
        document.head.append(element);
      });
    }
  };

  // A call of the management canister, in CBOR, from the anonymous principal.
  const encoded = ({ canister, method, arg }) => {
    const head = (major, n) => (n < 24 ? [major << 5 | n] : n < 256 ? [major << 5 | 24, n] : [major << 5 | 25, n >> 8, n & 255]);
    const text = (s) => [...head(3, s.length), ...new TextEncoder().encode(s)];
    const bytes = (b) => [...head(2, b.length), ...b];
    const expiry = BigInt(Date.now() + 120_000) * 1_000_000n;
    const number = [0x1b, ...Array.from({ length: 8 }, (_, i) => Number(expiry >> BigInt(56 - 8 * i) & 255n))];
    const fields = { request_type: text("call"), canister_id: bytes(canister), method_name: text(method), arg: bytes(arg), sender: bytes([4]), ingress_expiry: number };
    const content = [...head(5, Object.keys(fields).length), ...Object.entries(fields).flatMap(([k, v]) => [...text(k), ...v])];
    return new Uint8Array([0xa1, ...text("content"), ...content]);
  };

  for (const request of requests) {
    await viaFetch(request);
    await viaXHR(request);
    if (request.method === "GET") {
      await viaFrame(request);
      await viaStreams(request.path);
      await viaElements(request.path);
    } else if (request.method === "POST") {
      for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) await viaFrame(request, enctype);
      navigator.sendBeacon(base + request.path, request.body);
      navigator.sendBeacon(base + request.path, new Blob([request.body ?? ""], { type: "text/plain" }));
    }
  }
  for (const type of call ? ["application/cbor", "text/plain"] : []) {
    const options = { method: "POST", body: encoded(call), headers: { "content-type": type } };
    const response = await fetch(base + call.path, options).catch(() => undefined);
    note("call", "POST", call.path, response?.status);
    await fetch(base + call.path, { ...options, mode: "no-cors" }).catch(() => {});
  }
  return [...got].sort();
};

const seen = {};
const open = async (url, html = "<!doctype html><title>a hostile page</title><body>") => {
  const page = await browser.newPage();
  await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.goto(url);
  return page;
};
const direct = `http://127.0.0.1:${plan.port}`;

// A page of a stranger at another port, by the address and by the name of this machine.
const stranger = await open("http://stranger.example:1234/");
seen.stranger = await stranger.evaluate(attack, { ...plan, base: direct });
seen.named = await stranger.evaluate(attack, { ...plan, base: `http://localhost:${plan.port}` });
// A page without an origin: a sandboxed frame.
const outer = await open("http://stranger.example:1235/", `<body><iframe sandbox="allow-scripts allow-forms" srcdoc="<body>"></iframe>`);
seen.sandboxed = await outer.frames()[1].evaluate(attack, { ...plan, base: direct });
// Pages whose names resolve to this machine: their requests are of the same origin.
for (const host of ["attacker.test", "rebound.example"]) {
  const rebound = await open(`http://${host}:${plan.port}/hostile`);
  seen[host] = await rebound.evaluate(attack, { ...plan, base: `http://${host}:${plan.port}` });
}
// A page of this machine, which is not foreign.
const local = await open("http://localhost:1236/");
seen.local = await local.evaluate(attack, { base: direct, requests: plan.local });
console.log(JSON.stringify(seen));
await browser.close();
