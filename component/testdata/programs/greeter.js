// Greets people: a component in JavaScript.

export const people = {
  greet(who, times) {
    if (who.name === '') throw 'a person without a name';
    const text = `Hello, ${who.name}`;
    if (times === undefined) return { tag: 'short', val: text };
    return { tag: 'long', val: Array(times).fill(text) };
  },
};

export function randomNumbers(count) {
  return Array.from({ length: count }, () => Math.floor(Math.random() * 100));
}
