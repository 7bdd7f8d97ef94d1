// The address of the page: /_/inspect/PAGE/…?i=INSTANCE. Whatever is selected is in it, so that it can be sent to others.
import { computed, signal } from "@preact/signals";

const root = "/_/inspect/";

/** The address. */
const address = signal(new URL(location.href));

addEventListener("popstate", () => {
  address.value = new URL(location.href);
});

/**
 * Decodes a part of a path; one that is not encoded right stays as it is.
 * @param {string} part
 */
const decoded = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The parts of the path below /_/inspect/. */
export const path = computed(() => address.value.pathname.slice(root.length).split("/").filter(Boolean).map(decoded));

/** The name of the selected instance, "" for the default one. */
export const instance = computed(() => address.value.searchParams.get("i") ?? "");

/** The name of the selected instance as people say it. */
export const instanceName = computed(() => instance.value || "default");

/**
 * Returns a parameter of the address, "" for none.
 * @param {string} name
 */
export const parameter = (name) => address.value.searchParams.get(name) ?? "";

/**
 * Returns the address of a page of the selected instance, or of another one.
 * @param {string[]} to the parts of the path
 * @param {Record<string, string>} [parameters]
 */
export const linkTo = (to, parameters = {}) => {
  const query = new URLSearchParams();
  const at = parameters.i ?? instance.value;
  if (at) query.set("i", at);
  for (const [name, value] of Object.entries(parameters)) if (value && name !== "i") query.set(name, value);
  const text = query.toString();
  return root + to.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
};

/**
 * Goes to an address of linkTo.
 * @param {string} to
 * @param {{replace?: boolean}} [how]
 */
export const go = (to, { replace = false } = {}) => {
  const at = new URL(to, location.href);
  if (at.href === address.value.href) return;
  history[replace ? "replaceState" : "pushState"]({}, "", at);
  address.value = at;
};

/**
 * Makes links within the inspector change the page without loading it again.
 * @param {MouseEvent} event
 */
export const followLink = (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const at = new URL(link.getAttribute("href") ?? "", location.href);
  if (at.origin !== location.origin || !at.pathname.startsWith(root) || at.pathname.startsWith(`${root}files/`) || link.hasAttribute("download")) return;
  event.preventDefault();
  go(at.href);
};
