// @vitest-environment node
// @ts-nocheck: a test of a script of Node, whose modules have no types here.
// The gallery's script on the repository's own scenes.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { byUse, matchesScene, type GalleryScene } from '../panels/scenes';

const repository = resolve(__dirname, '../..');
const target = mkdtempSync(join(tmpdir(), 'tenon-gallery-'));
afterAll(() => rmSync(target, { recursive: true, force: true }));

describe('gallery', async () => {
  // A script of Node alone: it has no types.
  const script = (await import(/* @vite-ignore */ join(repository, 'studio/scripts/gallery.mjs'))) as {
    writeGallery: (repository: string, target: string) => GalleryScene[];
    pictureName: (path: string) => string;
    readHead: (text: string) => { sentence: string; source: string };
  };
  const scenes = script.writeGallery(repository, target);

  it('has every scene with a title, a sentence and a picture', () => {
    expect(scenes.length).toBeGreaterThan(50);
    for (const scene of scenes) {
      expect(scene.title, scene.path).not.toBe('');
      expect(scene.sentence, scene.path).toMatch(/^[A-Z].*\.$/);
      expect(scene.sentence.length, scene.path).toBeLessThan(160);
      expect(scene.picture, scene.path).not.toBe('');
      expect(existsSync(join(target, 'scenes', scene.path)), scene.path).toBe(true);
    }
    expect(JSON.parse(readFileSync(join(target, 'scenes', 'index.json'), 'utf8')).scenes).toHaveLength(scenes.length);
  });
  it('has one real hint on each card, in words that the page knows', () => {
    expect(new Set(scenes.map((s) => s.try)).size).toBe(scenes.length);
    for (const { path, title, sentence, try: hint } of scenes) {
      expect(hint, path).toMatch(/^[A-Z].*\.$/);
      expect(hint.length, path).toBeLessThan(130);
      for (const text of [title, sentence, hint]) expect(text, path).not.toMatch(/--|`|\btenon \w+/);
    }
  });
  it('names no parameter that its scene does not have', () => {
    for (const { path, try: hint, parameters } of scenes)
      for (const [, name] of hint.matchAll(/\b[Ss]et (\w+) to\b|\bChange (\w+),/g)) if (name) expect(parameters, path).toContain(name);
  });
  it('has a card for no scene that is gone, and refuses a scene without one', async () => {
    const { cards } = await import(/* @vite-ignore */ join(repository, 'studio/scripts/cards.mjs'));
    expect(Object.keys(cards).sort()).toEqual(scenes.map((s) => s.path.replace(/\.tenon$/, '')).sort());
    const other = mkdtempSync(join(tmpdir(), 'tenon-gallery-'));
    mkdirSync(join(other, 'scenes/new'), { recursive: true });
    writeFileSync(join(other, 'scenes/new/one.tenon'), '/* A new one. */\ntitle "New";\n');
    expect(() => script.writeGallery(other, join(other, 'out'))).toThrow(/new\/one.tenon has no card: add it/);
    rmSync(other, { recursive: true });
  });
  it('has a small picture of every scene, drawn by the page, and none of a scene that is gone', () => {
    const pictures = join(repository, 'studio/public/pictures');
    const names = scenes.map((scene) => `${script.pictureName(scene.path)}.webp`);
    for (const name of names) expect(existsSync(join(pictures, name)), `${name}: run scripts/pictures.mjs`).toBe(true);
    for (const name of names) expect(statSync(join(pictures, name)).size, name).toBeLessThanOrEqual(12_000);
    expect(
      readdirSync(pictures)
        .filter((name) => name.endsWith('.webp'))
        .sort(),
    ).toEqual([...names].sort());
  });
  it('takes that picture, and without it the drawing', () => {
    const first = scenes[0];
    expect(first.picture).toMatch(/\.svg$/); // an empty folder has no pictures
    const name = `pictures/${script.pictureName(first.path)}.webp`;
    writeFileSync(join(target, name), '');
    expect(script.writeGallery(repository, target)[0].picture).toBe(name);
    expect(existsSync(join(target, first.picture))).toBe(false);
  });
  it('knows what is included, and does not show what only serves others', () => {
    expect(scenes.find((s) => s.path === 'manikin/chair.tenon')?.files).toEqual(['human.tenon']);
    expect(scenes.some((s) => s.path === 'manikin/human.tenon')).toBe(false);
    expect(existsSync(join(target, 'scenes', 'manikin', 'human.tenon'))).toBe(true);
  });
  it('reads the comment at the top', () => {
    const head = script.readHead(
      '/* A bar. And more.\n\n   Source: Faure 1998, figure 2. Two joints.\n   What to look at: it\n   starts apart.\n   What must hold: six. */',
    );
    expect(head).toEqual({ sentence: 'A bar.', source: 'Faure 1998, figure 2.' });
    expect(script.readHead('solid a end').sentence).toBe('');
  });
  it('is ordered by use, and can be searched', () => {
    const index = JSON.parse(readFileSync(join(target, 'scenes', 'index.json'), 'utf8'));
    const groups = byUse(index);
    expect(groups.map((g) => g.title)).toEqual(['People and animals', 'Walking machines', 'Machines', 'Joints, one by one', 'From the papers', 'Benchmarks']);
    expect(groups.flatMap((g) => g.scenes)).toHaveLength(scenes.length);
    expect(scenes.filter((s) => matchesScene(s, 'jansen leg')).map((s) => s.path)).toContain('linkages/jansen-leg.tenon');
    expect(scenes.find((s) => s.path === 'linkages/four-bar.tenon')?.parameters).toEqual(['angle', 'crank', 'coupler', 'rocker', 'base']);
  });
});
