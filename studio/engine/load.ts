// Loads WebAssembly. Apart from the worker, so that what can go wrong with it can be tried without one.
export interface Module {
  _tenon_create(): number;
  _tenon_destroy(session: number): void;
  _tenon_run(session: number, request: number): number;
  _tenon_poses(session: number): number;
  _tenon_pose_numbers(session: number): number;
  _malloc(bytes: number): number;
  _free(address: number): void;
  UTF8ToString(address: number): string;
  stringToUTF8(text: string, address: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  HEAPF32: Float32Array;
}
type Instantiate = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => object;
export type Create = (options: { locateFile(name: string): string; instantiateWasm: Instantiate }) => Promise<Module>;

// Some hosts do not say that it is WebAssembly, or say more than that, which browsers do not compile while it comes:
// then it is compiled once all of it is there.
export async function compiled(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`tenon.wasm: ${response.status}`);
  return response.headers.get('Content-Type') === 'application/wasm'
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

// The script waits for an instance and never hears that there will be none: so it is not waited for alone.
export function created(create: Create, wasm: WebAssembly.Module, base: string): Promise<Module> {
  return new Promise((resolve, reject) => {
    create({
      locateFile: (name) => new URL(name, base).href,
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(wasm, imports)
          .then((instance) => done(instance, wasm))
          .catch(reject);
        return {};
      },
    }).then(resolve, reject);
  });
}

export async function load(base: string): Promise<Module> {
  const address = new URL('tenon.js', base).href;
  // Compiled while its script is still being fetched.
  const [wasm, script] = await Promise.all([compiled(new URL('tenon.wasm', base).href), import(/* @vite-ignore */ address) as Promise<{ default: Create }>]);
  return created(script.default, wasm, base);
}
