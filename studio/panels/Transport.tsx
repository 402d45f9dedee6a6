// Play, step, reset; how fast; and by what a hand pulls.
import Icon from './icons';
import { seconds } from './numbers';
import { usePage, useStudio } from './use';
import './Transport.css';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const speedName = (speed: number): string => (speed === 1 ? '1×' : speed < 1 ? `1⁄${Math.round(1 / speed)}×` : `${speed}×`);

export default function Transport() {
  const { set, engine } = useStudio();
  const playing = usePage((page) => page.playing);
  const speed = usePage((page) => page.speed);
  const mode = usePage((page) => page.dragMode);
  const open = usePage((page) => page.scene !== null);
  // A frame more or less does not matter to a reader: hundredths of a second are redrawn, and no more.
  const time = usePage((page) => seconds(page.measures?.time ?? 0));
  const behind = usePage((page) => (page.playing && page.rate < 0.95 ? Math.round(100 * page.rate) : null));
  return (
    <div className="transport" role="toolbar" aria-label="Motion">
      <button
        type="button"
        className="button icon quiet"
        disabled={!open}
        title="Reset to the pose in the text (R)"
        aria-label="Reset"
        onClick={() => void engine.run({ do: 'reset' })}>
        <Icon name="reset" />
      </button>
      <button
        type="button"
        className="button icon primary transport-play"
        disabled={!open}
        title={playing ? 'Pause (Space)' : 'Play (Space)'}
        aria-label={playing ? 'Pause' : 'Play'}
        onClick={() => engine.play(!playing)}>
        <Icon name={playing ? 'pause' : 'play'} size={18} />
      </button>
      <button
        type="button"
        className="button icon quiet"
        disabled={!open || playing}
        title="One step"
        aria-label="One step"
        onClick={() => void engine.run({ do: 'step', count: 1 })}>
        <Icon name="step" />
      </button>
      <output className="transport-time number" aria-label="Time">
        {time}
        {behind !== null && (
          <span className="transport-behind" title="Slower than real time">
            {' '}
            {behind}%
          </span>
        )}
      </output>
      <label className="transport-speed">
        <span className="visually-hidden">Speed</span>
        <select value={speed} title="Speed" onChange={(event) => engine.setSpeed(Number(event.target.value))}>
          {!speeds.includes(speed) && <option value={speed}>{speedName(speed)}</option>}
          {speeds.map((value) => (
            <option key={value} value={value}>
              {speedName(value)}
            </option>
          ))}
        </select>
      </label>
      <div className="transport-mode" role="group" aria-label="Drag by">
        <button
          type="button"
          className="button quiet"
          aria-pressed={mode === 'pose'}
          title="Drag to pose. No time passes"
          onClick={() => set({ dragMode: 'pose' })}>
          <Icon name="hand" />
          <span>Pose</span>
        </button>
        <button
          type="button"
          className="button quiet"
          aria-pressed={mode === 'physics'}
          title="Drag by physics. Pull, swing and throw"
          onClick={() => set({ dragMode: 'physics' })}>
          <Icon name="bolt" />
          <span>Physics</span>
        </button>
      </div>
    </div>
  );
}
