// What the frontend of a canister does with an agent, for the browser: calls of its backend, at the origin of the page.
import { Actor, HttpAgent } from "@icp-sdk/core/agent";

const counterInterface = ({ IDL }) => IDL.Service({
  inc: IDL.Func([], [IDL.Nat], []),
  get: IDL.Func([], [IDL.Nat], ["query"]),
});

export const count = async (canisterId) => {
  const agent = await HttpAgent.create({ host: location.origin, shouldFetchRootKey: true });
  const counter = Actor.createActor(counterInterface, { agent, canisterId });
  const counted = await counter.inc();
  return `${counted} by an update, ${await counter.get()} by a query`;
};
