// The view, the tools that act in it, and its commands: loaded together, since three.js comes with them.
import { useStudio, type Studio } from './panels/studio';
import { installTools, type View } from './tools';
import Viewport from './viewport/Viewport';

function put(studio: Studio, view: View): () => void {
  const remove = installTools(view, studio);
  studio.view.connect(view);
  return () => {
    studio.view.connect(null);
    remove();
  };
}

export default function ViewWithTools() {
  const studio = useStudio();
  return <Viewport page={studio.page} onReady={(view) => put(studio, view)} />;
}
