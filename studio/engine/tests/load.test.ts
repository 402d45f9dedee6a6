import { afterEach, describe, expect, it, vi } from 'vitest';
import { compiled, created, type Create, type Module } from '../load';

// The smallest module there is.
const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const base = 'http://here/';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('WebAssembly', () => {
  const from = (type: string | null, status = 200) => {
    const headers = new Headers(type === null ? {} : { 'Content-Type': type });
    vi.stubGlobal('fetch', () => Promise.resolve({ ok: status === 200, status, headers, arrayBuffer: () => Promise.resolve(bytes.buffer) }));
    return vi.spyOn(WebAssembly, 'compileStreaming').mockResolvedValue(new WebAssembly.Module(bytes));
  };
  it('is compiled while it comes, if it comes as what it is', async () => {
    const streaming = from('application/wasm');
    expect(await compiled(`${base}tenon.wasm`)).toBeInstanceOf(WebAssembly.Module);
    expect(streaming).toHaveBeenCalledOnce();
  });
  it('is compiled from its bytes where the host says nothing, another type, or more', async () => {
    for (const type of [null, 'application/octet-stream', 'application/wasm; charset=utf-8', 'application/wasm;']) {
      const streaming = from(type);
      expect(await compiled(`${base}tenon.wasm`)).toBeInstanceOf(WebAssembly.Module);
      expect(streaming).not.toHaveBeenCalled();
      streaming.mockRestore();
    }
  });
  it('that is not there is an error', async () => {
    from('text/html', 404);
    await expect(compiled(`${base}tenon.wasm`)).rejects.toThrow('404');
  });
});

describe('an instance', () => {
  const wasm = new WebAssembly.Module(bytes);
  const module = {} as Module;
  // As the script that emscripten writes: it is ready once it has its instance, and asks for nothing else.
  const create: Create = (options) =>
    new Promise((resolve) => {
      options.instantiateWasm({}, () => resolve(module));
    });
  it('makes the module', async () => {
    expect(await created(create, wasm, base)).toBe(module);
  });
  it('that cannot be made is an error, and is not waited for', async () => {
    vi.spyOn(WebAssembly, 'instantiate').mockRejectedValue(new Error('out of memory') as never);
    await expect(created(create, wasm, base)).rejects.toThrow('out of memory');
  });
  it('that the script does not take is an error too', async () => {
    const refuses: Create = (options) =>
      new Promise(() => {
        options.instantiateWasm({}, () => {
          throw new Error('no such export');
        });
      });
    await expect(created(refuses, wasm, base)).rejects.toThrow('no such export');
  });
});
