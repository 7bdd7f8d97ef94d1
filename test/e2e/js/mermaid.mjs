// Reads diagrams, a JSON array on standard input, with Mermaid's own parser, and writes for each what it says: the names of its
// participants and the texts of its messages and notes, as they would be drawn. A diagram that Mermaid refuses ends it.
import { JSDOM } from "jsdom";
import { text } from "node:stream/consumers";

const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");

// Between parsing and drawing Mermaid keeps #35; as ﬂ°°35¶ß. Lines are broken by <br/>.
const drawn = (label) => label.replaceAll("<br/>", "\n").replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));

const said = [];
for (const diagram of JSON.parse(await text(process.stdin))) {
  await mermaid.parse(diagram);
  const { db, type } = await mermaid.mermaidAPI.getDiagramFromText(diagram);
  if (type !== "sequence") throw new Error(`a diagram of type ${type}:\n${diagram}`);
  const labels = db.getMessages().map(({ message }) => drawn(message));
  said.push({ actors: [...db.getActors().values()].map(({ description }) => drawn(description)), labels });
}
console.log(JSON.stringify(said));
