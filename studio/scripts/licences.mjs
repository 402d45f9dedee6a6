// Writes licences.txt beside the page: of each package that is in its scripts, from node_modules, and of what is compiled into
// the module, from the repository's licences/.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const studio = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const rule = '='.repeat(100);

// The package that a module of the bundle is from; '' if it is ours. Helpers that Vite writes are Vite's.
export function packageOf(id) {
  const found = [...id.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].pop();
  if (found) return found[1];
  return /^\0(vite\/|commonjsHelpers)/.test(id) ? 'vite' : '';
}

export function licenceOf(name, modules = join(studio, 'node_modules')) {
  const folder = join(modules, name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (!file) throw new Error(`${name} ${version} has no licence text, and is in the page: put one into licences/`);
  // What a tool bundles itself is not in our scripts.
  const text = readFileSync(join(folder, file), 'utf8').split(/^# Licenses of bundled dependencies/m)[0].trim();
  return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${text}\n`;
}

export function licences() {
  const names = new Set();
  const collect = (bundle) => {
    for (const chunk of Object.values(bundle))
      for (const [id, module] of Object.entries(chunk.modules ?? {}))
        if (packageOf(id) !== '' && (module.renderedLength > 0 || /\.css$/.test(id))) names.add(packageOf(id));
  };
  return {
    workerPlugin: { name: 'tenon-licences-of-workers', apply: 'build', generateBundle: (_, bundle) => collect(bundle) },
    plugin: {
      name: 'tenon-licences',
      apply: 'build',
      generateBundle(_, bundle) {
        collect(bundle);
        const folder = join(studio, '..', 'licences');
        const compiled = existsSync(folder) ? readdirSync(folder).sort().map((file) => readFileSync(join(folder, file), 'utf8')) : [];
        const source = [...compiled, ...[...names].sort().map((name) => licenceOf(name))].join('\n');
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
      },
    },
  };
}
