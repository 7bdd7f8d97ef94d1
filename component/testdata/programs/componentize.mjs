// Makes a component of the program and the world NAME: node componentize.mjs OUT NAME [FEATURES], without the features of the list
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';

const [out, name, without] = process.argv.slice(2);
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const { component } = await componentize({
  sourcePath: here(`${name}.js`), witPath: here(`${name}.wit`), worldName: name, disableFeatures: without?.split(',') ?? [],
});
await writeFile(out, component);
