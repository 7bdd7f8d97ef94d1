// The keys [ and ] on pages with a list: they select the entry before and the one after.
import { useEffect, useRef } from "preact/hooks";

/**
 * Selects entries of a list with the keys [ and k, ] and j, as long as the component is shown.
 * @param {string[]} all the entries in order
 * @param {string} selected "" for none
 * @param {(to: string) => void} select
 */
export const useSteps = (all, selected, select) => {
  const current = useRef({ all, selected, select });
  current.current = { all, selected, select };
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      const written = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
      const by = event.key === "[" || event.key === "k" ? -1 : event.key === "]" || event.key === "j" ? 1 : 0;
      if (by === 0 || written || event.ctrlKey || event.metaKey || event.altKey) return;
      const { all, selected, select } = current.current;
      const at = all.indexOf(selected);
      const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
      if (all[to] !== undefined) select(all[to]);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
};
