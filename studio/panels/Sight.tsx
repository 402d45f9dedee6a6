// Said when everything that moves has left the view, with the two ways back.
import { useEffect, useState } from 'react';
import { engine } from '../engine/engine';
import { onView, theView } from './commands';
import './Status.css';

export default function Sight() {
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    let stop: (() => void) | undefined;
    const follow = (): void => {
      stop?.();
      stop = theView()?.onSight(setSeen);
    };
    follow();
    const leave = onView(follow);
    return () => {
      leave();
      stop?.();
    };
  }, []);
  if (seen) return null;
  return (
    <div className="toast info sight" role="status">
      <span>Everything that moves has left the view.</span>
      <button type="button" className="button" onClick={() => theView()?.frameMoving()}>Frame all</button>
      <button type="button" className="button" onClick={() => void engine.run({ do: 'reset' })}>Reset</button>
    </div>
  );
}
