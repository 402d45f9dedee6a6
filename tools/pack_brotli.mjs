// Puts FILE.br beside each FILE: packed by Brotli as small as it can, for browsers that take it.
//
//   node tools/pack_brotli.mjs FILE...
import {readFileSync, writeFileSync} from 'node:fs';
import {brotliCompressSync, constants} from 'node:zlib';

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  }));
}
