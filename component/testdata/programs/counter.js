// A canister in JavaScript.

let total = 0;

export function add(amount) {
  total += amount;
  console.log(`total ${total}`);
  return total;
}

export function fail(amount) {
  add(amount);
  throw new Error('no more');
}

export function words(text) {
  const counts = new Map();
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort();
}
