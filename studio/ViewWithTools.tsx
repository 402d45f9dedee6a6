// The view, the tools that act in it, and its commands: loaded together, since three.js comes with them.
import { connectView } from './panels/commands';
import { installTools, type View } from './tools';
import Viewport from './viewport/Viewport';

function put(view: View): () => void {
  const remove = installTools(view);
  connectView(view);
  window.tenon.view = view;
  return () => {
    connectView(null);
    remove();
  };
}

export default function ViewWithTools() {
  return <Viewport onReady={put} />;
}
