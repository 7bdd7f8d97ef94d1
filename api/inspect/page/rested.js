// A value that follows another one with pauses, for pages whose data is large.
import { useEffect, useRef, useState } from "preact/hooks";

/** How long a value stays at least, in milliseconds. */
const rest = 1000;

/**
 * Returns a value that follows another one, once in each rest.
 * @param {number} value
 */
export const useRested = (value) => {
  const newest = useRef(value);
  newest.current = value;
  const [rested, set] = useState(value);
  const due = value !== rested;
  useEffect(() => {
    if (!due) return undefined;
    const timer = setTimeout(() => set(newest.current), rest);
    return () => clearTimeout(timer);
  }, [due, rested]);
  return rested;
};
