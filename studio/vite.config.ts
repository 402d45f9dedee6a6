/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The version is written in one place only: the engine's header.
const header = readFileSync(new URL('../engine/include/tenon/version.h', import.meta.url), 'utf8');
const version = ['MAJOR', 'MINOR', 'PATCH']
  .map((part) => new RegExp(`TENON_VERSION_${part} (\\d+)`).exec(header)?.[1] ?? '0')
  .join('.');

export default defineConfig({
  base: './', // works from any host and folder
  plugins: [react()],
  define: { __TENON_VERSION__: JSON.stringify(version) },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 900, // three.js
    rollupOptions: {
      output: {
        manualChunks(id) {
          if (/node_modules\/three\//.test(id)) return 'three';
          if (/node_modules\/(@codemirror|codemirror|@lezer|style-mod|w3c-keyname|crelt)\//.test(id)) return 'codemirror';
          if (/node_modules\/(react|react-dom|scheduler|zustand|use-sync-external-store)\//.test(id)) return 'react';
          return undefined;
        },
      },
    },
  },
  test: { environment: 'jsdom', include: ['**/*.test.{ts,tsx}'], exclude: ['node_modules/**', 'dist/**'] },
});
