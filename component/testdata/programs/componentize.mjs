// Makes a component of greeter.js: node componentize.mjs OUT
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { component } = await componentize({ sourcePath: here('greeter.js'), witPath: here('greeter.wit'), worldName: 'greeter' });
await writeFile(process.argv[2], component);
