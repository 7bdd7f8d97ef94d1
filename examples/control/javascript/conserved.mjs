// Explores two withdrawals at the same time. The invariant is a function of this program: the daemon asks it.
//
//     canisterd start                  # in another shell
//     npm ci && npm run generate && node conserved.mjs
import { readFile } from "node:fs/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Calls } from "./gen/control/v1/calls_pb.js";
import { Canisters } from "./gen/control/v1/canisters_pb.js";
import { Explorer } from "./gen/control/v1/explorer_pb.js";
import { Instances } from "./gen/control/v1/instances_pb.js";

const baseUrl = process.argv[2] ?? "http://127.0.0.1:4943";
const sessionManager = new Http2SessionManager(baseUrl);
const transport = createGrpcTransport({ baseUrl, sessionManager });
const [instances, canisters, calls, explorer] = [Instances, Canisters, Calls, Explorer].map((s) => createClient(s, transport));

// The instance lives as long as this stream.
const leaving = new AbortController();
const leases = instances.holdLease({}, { signal: leaving.signal })[Symbol.asyncIterator]();
const { lease } = (await leases.next()).value;
const instance = (await instances.createInstance({ lease })).instance.name;

async function deploy(name) {
  const { canisterId } = await canisters.createCanister({ instance });
  const wasm = await readFile(new URL(`../../doublewithdraw/${name}.wasm`, import.meta.url));
  await canisters.installCode(
    (async function* () {
      yield { part: { case: "head", value: { instance, canisterId } } };
      yield { part: { case: "chunk", value: wasm } };
    })(),
  );
  return canisterId;
}
const [bank, vault] = [await deploy("bank"), await deploy("vault")];
const call = (method, text) => ({ canisterId: bank, method, argument: { form: { case: "text", value: text } } });

// conserved compares what the vault has paid with what the answers of the bank say.
function conserved({ number, answers, observed }) {
  const told = 60 * answers.filter(({ answer }) => answer.case === "reply" && answer.value.text.includes("paid")).length;
  const paid = Number(observed[0].result.value.text.match(/\d+/));
  return { number, holds: told <= paid && paid <= 100, text: `of 100, the vault has paid ${paid}` };
}

await calls.update({ instance, call: call("open", `("${vault}")`) });
await calls.update({ instance, call: call("deposit", "(100)") });
const operation = { title: "withdraw 60", call: call("withdraw", "(60)") };
const steps = explorer.explore({
  instance, names: { bank, vault }, operations: [operation, operation], seed: 1n, faults: 1,
  properties: { onlyStated: true, asked: [{ title: "money is conserved", queries: ["vault paidOut"] }] },
});
for await (const { step } of steps) {
  if (step.case === "questions") {
    const { exploration, questions } = step.value;
    await explorer.answerQuestions({ exploration, verdicts: questions.map(conserved) });
  } else if (step.case === "report") {
    for (const finding of step.value.findings) console.log(finding.explanation);
    console.log(step.value.conclusion);
  }
}

leaving.abort();
sessionManager.abort();
