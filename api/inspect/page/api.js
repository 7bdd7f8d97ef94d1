// The control API, as docs/grpc.md describes it. Every page shows and does only what these functions can.

const root = "/_/inspect/";

/** An error of the control API. */
export class Failure extends Error {
  /**
   * @param {{code: string, message: string, reason?: string, metadata?: Record<string, string>}} failure
   * @param {number} status of HTTP
   */
  constructor(failure, status) {
    super(failure.message);
    this.code = failure.code;
    this.reason = failure.reason ?? "";
    this.metadata = failure.metadata ?? {};
    this.status = status;
  }
}

/**
 * Reads an answer.
 * @param {Response} response
 */
const answerOf = async (response) => {
  const text = await response.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure({ code: "internal", message: text || `the daemon answered with status ${response.status}` }, response.status);
  }
  if (!response.ok) throw new Failure(body, response.status);
  return body;
};

/**
 * Sends a request to the daemon. A daemon that is gone is a Failure too.
 * @param {string} path
 * @param {RequestInit} [init]
 */
const ask = async (path, init) => {
  let response;
  try {
    response = await fetch(root + path, { ...init, headers: { ...init?.headers, "X-Canisterd-Inspect": "1" } });
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    throw new Failure({ code: "unavailable", message: "the daemon does not answer: it was stopped, or is being started again" }, 0);
  }
  return answerOf(response);
};

/**
 * Makes a unary RPC.
 * @param {string} method such as "Calls/Query"
 * @param {object} [request]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export const rpc = (method, request = {}, signal) =>
  ask(`rpc/${method}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal });

/**
 * Makes an RPC with a client stream.
 * @param {string} method such as "Canisters/InstallCode"
 * @param {object[]} messages
 * @returns {Promise<any>}
 */
export const send = (method, messages) =>
  ask(`rpc/${method}`, { method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body: new Blob(messages.map((m) => `${JSON.stringify(m)}\n`)) });

/**
 * Returns the names of an instance's canisters by id, and the version of the daemon.
 * @param {string} instance
 * @returns {Promise<{version: string, canisters: Record<string, string>}>}
 */
export const namesOf = (instance) => ask(`names?${new URLSearchParams({ instance })}`);

/**
 * Returns the methods of a canister with their types.
 * @param {string} instance
 * @param {string} canister
 */
export const typesOf = (instance, canister) => ask(`types?${new URLSearchParams({ instance, canister })}`);

/**
 * Returns an argument or a reply in Candid's text form.
 * @param {{instance: string, canister: string, method: string, reply: boolean, bytes: string}} message bytes in base64
 * @returns {Promise<{text: string}>}
 */
export const valuesOf = (message) => ask("values", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) });

/**
 * Makes an RPC with a server stream that ends when the signal says so, and does not begin again.
 * @param {string} method such as "Explorer/Explore"
 * @param {object} request
 * @param {(m: any) => void} message
 * @param {AbortSignal} signal
 */
export const stream = async (method, request, message, signal) => {
  const gone = () => new Failure({ code: "unavailable", message: "the connection to the daemon broke off before the answer was complete" }, 0);
  let response;
  try {
    response = await fetch(`${root}stream/${method}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Canisterd-Inspect": "1" }, body: JSON.stringify(request), signal });
  } catch (error) {
    throw signal.aborted ? error : gone();
  }
  if (!response.ok || !response.body) return answerOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw signal.aborted ? error : gone();
    });
    if (done) throw gone();
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (event.startsWith("event: ended")) return undefined;
      if (event.startsWith("event: failed")) throw new Failure(JSON.parse(data ?? "{}"), 0);
      if (data) message(JSON.parse(data));
    }
  }
};

/** How long a stream that broke off waits before it begins again, in milliseconds. */
const retryAfter = 1000;

/**
 * Follows an RPC with a server stream. A hidden page gets nothing, so that windows in the background take no
 * connections, of which a browser has only six for a host; a stream with resume tokens continues when it is shown again.
 * @param {string} method such as "Events/Watch"
 * @param {any} request
 * @param {{message: (m: any) => void, failed?: (f: Failure) => void, connected?: (up: boolean) => void}} to
 * @returns {() => void} ends it
 */
export const follow = (method, request, to) => {
  /** @type {EventSource | undefined} */
  let source;
  let token = "";
  let ended = false;
  let timer = 0;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const again = () => {
    close();
    if (!ended) timer = setTimeout(open, retryAfter);
  };
  const open = () => {
    if (ended || document.hidden || source) return;
    const at = token ? { ...request, resumeToken: token } : request;
    source = new EventSource(`${root}stream/${method}?${new URLSearchParams({ request: JSON.stringify(at) })}`);
    source.onopen = () => to.connected?.(true);
    source.onmessage = (event) => {
      if (event.lastEventId) token = event.lastEventId;
      to.message(JSON.parse(event.data));
    };
    source.addEventListener("failed", (event) => {
      token = "";
      to.failed?.(new Failure(JSON.parse(/** @type {MessageEvent} */ (event).data), 0));
      again();
    });
    source.addEventListener("ended", () => {
      ended = true;
      close();
    });
    source.onerror = () => {
      to.connected?.(false);
      again();
    };
  };
  const shown = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", shown);
  open();
  return () => {
    ended = true;
    close();
    document.removeEventListener("visibilitychange", shown);
  };
};
