// A scene in an address: `#s=` and base64url of the deflated JSON of {name, text, files}.
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';

export interface SharedScene {
  name: string;
  text: string;
  files: Record<string, string>;
}

const kMostBytes = 20_000_000; // of what a link may unfold to

export function encodeScene(scene: SharedScene): string {
  const bytes = deflateSync(strToU8(JSON.stringify(scene)), { level: 9 });
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// Null for what is no scene: links get cut off, and anyone can write one.
export function decodeScene(encoded: string): SharedScene | null {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    // A buffer of fixed size: what unfolds to more is an error, not gigabytes.
    const room = new Uint8Array(Math.min(kMostBytes, Math.max(1 << 16, bytes.length * 1100)));
    const data: unknown = JSON.parse(strFromU8(inflateSync(bytes, { out: room })));
    if (typeof data !== 'object' || data === null) return null;
    const { name, text, files } = data as Record<string, unknown>;
    if (typeof name !== 'string' || typeof text !== 'string') return null;
    const kept: Record<string, string> = {};
    if (typeof files === 'object' && files !== null) for (const [file, content] of Object.entries(files)) if (typeof content === 'string') kept[file] = content;
    return { name, text, files: kept };
  } catch {
    return null;
  }
}

export function sceneInHash(hash: string): SharedScene | null {
  const match = /^#?(?:.*&)?s=([\w-]+)/.exec(hash);
  return match ? decodeScene(match[1] as string) : null;
}

// Whom a link with this address reaches: everyone, this machine only, or machines of this network.
export type Reach = 'all' | 'machine' | 'network';
export function reachOf(address: string): Reach {
  const { hostname, protocol } = new URL(address);
  if (protocol === 'file:' || /^(localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(hostname)) return 'machine';
  if (/^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cde])|\.local$/.test(hostname) || !/[.:]/.test(hostname)) return 'network';
  return 'all';
}

export function shareLink(address: string, { name, text, files }: SharedScene, embed = false): string {
  const url = new URL(address);
  url.search = embed ? '?embed' : '';
  url.hash = `s=${encodeScene({ name, text, files })}`;
  return url.toString();
}

export function embedCode(link: string, title: string): string {
  const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<iframe src="${quoted(link)}" title="${quoted(title)}" width="640" height="400" style="border:0" loading="lazy" allow="fullscreen; xr-spatial-tracking"></iframe>`;
}
