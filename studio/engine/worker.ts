// The worker's shell: has WebAssembly loaded, and gives the loop its messages.
import { load, type Module } from './load';
import { Loop } from './loop';
import type { FromWorker, Native, ToWorker } from './protocol';

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

async function start(base: string): Promise<void> {
  try {
    const module = await load(base);
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
