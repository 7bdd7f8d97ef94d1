// Waits for several times at once: a component in JavaScript with an asynchronous function.

import clock from 'wasi:clocks/monotonic-clock@0.3.0';

const second = 1_000_000_000;

export async function wait(name, seconds) {
  const start = clock.now();
  const timer = async (n) => {
    await clock.waitFor(n * second);
    return `${name} waited ${Math.floor((clock.now() - start) / second)} of ${n} s`;
  };
  return Promise.all(seconds.map(timer));
}
