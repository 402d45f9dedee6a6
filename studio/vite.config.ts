/// <reference types="vitest/config" />
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
// @ts-expect-error: a script of Node alone, without types.
import { licences } from './scripts/licences.mjs';
import { renderDocs } from './scripts/docs.mjs';

// The version is written in one place only: the engine's header.
const header = readFileSync(new URL('../engine/include/tenon/version.h', import.meta.url), 'utf8');
const version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => new RegExp(`TENON_VERSION_${part} (\\d+)`).exec(header)?.[1] ?? '0').join('.');

// What the header of `tenon studio` says (cli/studio_site.cpp), but for `frame-ancestors`, which counts in headers only: for
// pages that another server hosts. tests/cli/test_studio.py compares the two.
const policy = (scripts: string): string =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'${scripts}; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'`;

// Not while developing: the scripts that reload a page are inside it, and others each time.
const contentPolicy: Plugin = {
  name: 'tenon-content-policy',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const inside = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
        ([, script]) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
      );
      const content = policy(inside.join(''));
      return [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' }];
    },
  },
};

const { plugin: licencesOfTheBundle, workerPlugin } = licences() as { plugin: Plugin; workerPlugin: Plugin };

// The documentation goes with the page, so that its links work wherever it is hosted.
const documentation: Plugin = {
  name: 'tenon-documentation',
  generateBundle() {
    for (const { name, html } of renderDocs()) this.emitFile({ type: 'asset', fileName: `docs/${name}.html`, source: html });
  },
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const page = renderDocs().find(({ name }) => request.url === `/docs/${name}.html`);
      if (page) response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page.html);
      else next();
    });
  },
};

export default defineConfig({
  base: './', // works from any host and folder
  plugins: [react(), contentPolicy, documentation, licencesOfTheBundle],
  define: { __TENON_VERSION__: JSON.stringify(version) },
  worker: { format: 'es', plugins: () => [workerPlugin] },
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
  // The machine may be busy: what hangs is ended, and nothing else.
  test: { environment: 'jsdom', include: ['**/*.test.{ts,tsx}'], exclude: ['node_modules/**', 'dist/**'], testTimeout: 60_000 },
});
