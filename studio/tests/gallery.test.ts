// @vitest-environment node
// @ts-nocheck: a test of a script of Node, whose modules have no types here.
// The gallery's script on the repository's own scenes.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';

vi.mock('../engine/engine', () => ({ engine: {} }));

import { byFolder, matchesScene, whatToTry, type GalleryScene } from '../panels/scenes';

const repository = resolve(__dirname, '../..');
const target = mkdtempSync(join(tmpdir(), 'tenon-gallery-'));
afterAll(() => rmSync(target, { recursive: true, force: true }));

describe('gallery', async () => {
  // A script of Node alone: it has no types.
  const script = (await import(/* @vite-ignore */ join(repository, 'studio/scripts/gallery.mjs'))) as {
    writeGallery: (repository: string, target: string) => GalleryScene[];
    pictureName: (path: string) => string;
    readHead: (text: string) => { sentence: string; try: string; source: string };
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
      expect(whatToTry(scene), scene.path).not.toBe('');
      expect(scene.try, scene.path).not.toMatch(/What must hold|Source:/);
    }
    expect(JSON.parse(readFileSync(join(target, 'scenes', 'index.json'), 'utf8')).scenes).toHaveLength(scenes.length);
  });
  it('has a small picture of every scene, drawn by the page, and none of a scene that is gone', () => {
    const pictures = join(repository, 'studio/public/pictures');
    const names = scenes.map((scene) => `${script.pictureName(scene.path)}.webp`);
    for (const name of names) expect(existsSync(join(pictures, name)), `${name}: run scripts/pictures.mjs`).toBe(true);
    for (const name of names) expect(statSync(join(pictures, name)).size, name).toBeLessThanOrEqual(12_000);
    expect(readdirSync(pictures).filter((name) => name.endsWith('.webp')).sort()).toEqual([...names].sort());
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
    const head = script.readHead('/* A bar. And more.\n\n   Source: Faure 1998, figure 2. Two joints.\n   What to look at: it\n   starts apart.\n   What must hold: six. */');
    expect(head).toEqual({ sentence: 'A bar.', try: 'It starts apart.', source: 'Faure 1998, figure 2.' });
    expect(script.readHead('/* Ball joint.\n   Look at the lever: it leans.\n   What must hold: x. */').try).toBe('Look at the lever: it leans.');
    expect(script.readHead('solid a end').sentence).toBe('');
  });
  it('is in folders, and can be searched', () => {
    expect(byFolder(scenes).map((f) => f.folder)).toEqual(['figures', 'linkages', 'joints', 'faure', 'gascuel', 'manikin', 'jeon', 'peers']);
    expect(scenes.filter((s) => matchesScene(s, 'jansen leg')).map((s) => s.path)).toContain('linkages/jansen-leg.tenon');
    expect(scenes.find((s) => s.path === 'linkages/four-bar.tenon')?.parameters).toEqual(['angle', 'crank', 'coupler', 'rocker', 'base']);
  });
});
