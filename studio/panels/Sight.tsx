// Said when everything that moves has left the view, with the two ways back.
import { useEffect, useState } from 'react';
import { useStudio } from './use';
import './Status.css';

export default function Sight() {
  const { engine, view } = useStudio();
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    let stop: (() => void) | undefined;
    const follow = (): void => {
      stop?.();
      stop = view.now()?.onSight(setSeen);
    };
    follow();
    const leave = view.onChange(follow);
    return () => {
      leave();
      stop?.();
    };
  }, [view]);
  if (seen) return null;
  return (
    <div className="toast info sight" role="status">
      <span>Everything that moves has left the view.</span>
      <button type="button" className="button" onClick={() => view.now()?.frameMoving()}>
        Frame all
      </button>
      <button type="button" className="button" onClick={() => void engine.run({ do: 'reset' })}>
        Reset
      </button>
    </div>
  );
}
