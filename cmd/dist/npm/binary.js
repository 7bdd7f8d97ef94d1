// Finds the binary of this platform, which an optional dependency of this package has.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** @returns {string} the path of the binary */
export function findBinary() {
  const name = `@canisterd/${process.platform}-${process.arch}`;
  const program = process.platform === "win32" ? "canisterd.exe" : "canisterd";
  try {
    return require.resolve(`${name}/bin/${program}`);
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed. Either canisterd has no binary for this platform, or optional dependencies ` +
        "were omitted: install again without --omit=optional.",
      { cause },
    );
  }
}
