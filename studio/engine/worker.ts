// The worker's shell: loads WebAssembly, and gives the loop its messages.
import { Loop } from './loop';
import type { FromWorker, Native, ToWorker } from './protocol';

interface Module {
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
type Create = (options: { locateFile(name: string): string; instantiateWasm: Instantiate }) => Promise<Module>;

interface Scope {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}
const scope = self as unknown as Scope;
const post = (message: FromWorker, transfer: Transferable[]): void => scope.postMessage(message, transfer);

function nativeOf(module: Module): Native {
  return {
    create: () => module._tenon_create(),
    destroy: (session) => module._tenon_destroy(session),
    run(session, request) {
      const text = JSON.stringify(request);
      const bytes = module.lengthBytesUTF8(text) + 1;
      const address = module._malloc(bytes);
      module.stringToUTF8(text, address, bytes);
      const answer = module._tenon_run(session, address);
      module._free(address);
      return JSON.parse(module.UTF8ToString(answer)) as ReturnType<Native['run']>;
    },
    poses(session) {
      const address = module._tenon_poses(session); // first: it computes them, and memory may grow here
      const count = module._tenon_pose_numbers(session);
      return module.HEAPF32.slice(address / 4, address / 4 + count);
    },
  };
}

let loop: Loop | null = null;
let early: ToWorker[] = []; // what came while WebAssembly was loading

// Some hosts do not say that it is WebAssembly: then it is compiled once all of it is there.
async function compiled(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`tenon.wasm: ${response.status}`);
  return response.headers.get('Content-Type')?.startsWith('application/wasm')
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function start(base: string): Promise<void> {
  try {
    const address = new URL('tenon.js', base).href;
    // Compiled while its script is still being fetched.
    const code = compiled(new URL('tenon.wasm', base).href);
    const { default: create } = (await import(/* @vite-ignore */ address)) as { default: Create };
    const wasm = await code;
    const module = await create({
      locateFile: (name) => new URL(name, base).href,
      instantiateWasm: (imports, done) => {
        void WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm));
        return {};
      },
    });
    loop = new Loop(nativeOf(module), post, {
      now: () => performance.now(),
      later: (call, milliseconds) => void setTimeout(call, milliseconds),
    });
  } catch (problem) {
    post({ type: 'failed', what: problem instanceof Error ? problem.message : String(problem) }, []);
    return;
  }
  post({ type: 'ready' }, []);
  for (const message of early) loop.receive(message);
  early = [];
}

scope.onmessage = ({ data }) => {
  if (data.type === 'start') void start(data.base);
  else if (loop) loop.receive(data);
  else early.push(data);
};
