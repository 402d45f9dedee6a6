// What motion does to errors, energy, momenta and time, as it goes; ghosts of a comparison over each other.
import { useEffect, useId, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { methodColour } from '../store/colours';
import { seconds, short } from './numbers';
import { chartOf, leaving, rangeOf, type Chart, type ChartName } from './series';
import { usePage, useStudio } from './use';
import './Plots.css';

const charts: { name: ChartName; title: string; unit: string; log: boolean }[] = [
  { name: 'error', title: 'Joint error', unit: 'm, rad', log: true },
  { name: 'energy', title: 'Energy', unit: 'J', log: false },
  { name: 'momentum', title: 'Momenta', unit: 'N s, N m s', log: false },
  { name: 'cost', title: 'Time per step', unit: 'ms', log: true },
];
const axisWidth = 52; // [px] of the numbers at the left
const redraw = 80; // [ms] at least, between drawings

// Of a logarithmic axis, only powers of ten, and of many not all.
function powers(_: uPlot, ticks: number[]): (number | null)[] {
  const exponents = ticks.map((tick) => Math.log10(tick));
  const whole = exponents.map((x) => Math.abs(x - Math.round(x)) < 1e-6);
  const every = Math.max(1, Math.ceil((exponents[exponents.length - 1] - exponents[0]) / 5));
  return ticks.map((tick, k) => (whole[k] && Math.round(exponents[k]) % every === 0 ? tick : null));
}

// `range`: of the values now; `point`: called where the pointer goes, with the sample that is nearest to it; `inside`: has the
// theme's colours; `pointer`: of the plots that show it together.
function optionsOf(
  chart: Chart,
  log: boolean,
  width: number,
  height: number,
  range: () => [number, number],
  point: (plot: uPlot) => void,
  inside: HTMLElement,
  pointer: string,
): uPlot.Options {
  const style = getComputedStyle(inside);
  const variable = (name: string): string => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: variable('--text-dim'),
    font: `11px ${variable('--font')}`,
    grid: { stroke: variable('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: pointer }, points: { size: 6 } },
    scales: {
      x: { time: false, range: (_, low, high) => (low === null ? [0, 1] : [low, Math.max(high, low + 0.5)]) },
      y: log ? { distr: 3, log: 10 } : { range },
    },
    hooks: { setCursor: [point] },
    axes: [
      { ...axis, size: 26, gap: 7, values: (_, ticks) => ticks.map((tick) => `${short(tick)} s`) },
      {
        ...axis,
        ...(log ? { filter: powers, grid: { ...axis.grid, filter: powers } } : {}),
        size: axisWidth,
        gap: 4,
        values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))),
      },
    ],
    series: [
      {},
      ...chart.lines.map((line) => ({
        label: line.label,
        stroke: line.colour,
        width: 1.5,
        dash: line.dash,
        spanGaps: false,
        points: { show: false },
      })),
    ],
  };
}

// One sample is no line, and uPlot would make an axis of a hundred seconds of it.
const dataOf = (chart: Chart): uPlot.AlignedData =>
  chart.times.length < 2 ? [[], ...chart.lines.map(() => [])] : [chart.times, ...chart.lines.map((line) => line.values)];
// What is read at a time: of the pointer, or the last one.
interface Reading {
  time: number | null;
  lines: { label: string; colour: string; dash: boolean; value: string }[];
  away: string[]; // lines that have left the axis
  at: { x: number; width: number } | null; // of the pointer, if it is over this very plot
}
const nothing: Reading = { time: null, lines: [], away: [], at: null };
const keyOf = (chart: Chart): string => chart.lines.map((line) => line.label).join('|');

// `labelled`: its lines are named beside its title; else they are methods, which are named once above all.
function Plot({ name, title, unit, log, labelled, pointer }: (typeof charts)[number] & { labelled: boolean; pointer: string }) {
  const { element: root, page } = useStudio();
  const box = useRef<HTMLDivElement>(null);
  const theme = usePage((state) => state.theme);
  const [reading, setReading] = useState<Reading>(nothing);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot: uPlot | null = null;
    let key = '';
    let drawn: unknown = null;
    let chart: Chart = { times: [], lines: [] };
    let over = false;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const size = { width: Math.max(60, element.clientWidth), height: Math.max(60, element.clientHeight) };

    const draw = (): void => {
      timer = null;
      const { history, state, catalogue } = page.getState();
      if (history === drawn) return;
      drawn = history;
      chart = chartOf(name, history, state?.settings.method ?? '', (method) => methodColour(catalogue, method));
      if (!plot || keyOf(chart) !== key) {
        plot?.destroy();
        key = keyOf(chart);
        plot = new uPlot(
          optionsOf(chart, log, size.width, size.height, () => rangeOf(chart), read, element, pointer),
          dataOf(chart),
          element,
        );
        plot.over.addEventListener('pointerenter', () => {
          over = true;
        });
        plot.over.addEventListener('pointerleave', () => {
          over = false;
        });
      } else {
        plot.setData(dataOf(chart));
      }
      read(plot);
    };
    const read = (from: uPlot): void => {
      const { idx, left } = from.cursor;
      const pointed = idx !== null && idx !== undefined && left !== undefined && left >= 0;
      const k = pointed ? idx : chart.times.length - 1;
      setReading({
        time: pointed ? (chart.times[k] ?? null) : null,
        lines: chart.lines.map(({ label, colour, dash, values }) => ({ label, colour, dash: dash !== undefined, value: short(values[k]) })),
        away: leaving(chart),
        at: pointed && over ? { x: left, width: from.over.clientWidth } : null,
      });
    };
    const later = (): void => {
      if (timer === null) timer = setTimeout(draw, redraw);
    };
    const again = (): void => {
      plot?.destroy();
      plot = null;
      drawn = null;
      draw();
    };
    const observer = new ResizeObserver(() => {
      size.width = Math.max(60, element.clientWidth);
      size.height = Math.max(60, element.clientHeight);
      plot?.setSize(size);
    });
    observer.observe(element);
    // Colours of the axes are the theme's, and a canvas does not follow CSS.
    const themes = new MutationObserver(again);
    themes.observe(root, { attributes: true, attributeFilter: ['data-theme'] });
    const stop = page.subscribe(later);
    draw();
    return () => {
      stop();
      observer.disconnect();
      themes.disconnect();
      if (timer !== null) clearTimeout(timer);
      plot?.destroy();
    };
  }, [name, log, theme, root, page, pointer]);

  const { time, lines, away, at } = reading;
  const words = lines.map(({ label, value }) => `${label} ${value}`).join(', ');
  return (
    <figure className="plot">
      <figcaption>
        <b>{title}</b> <span className="dim">{unit}</span>
        {time !== null && <span className="plot-time number">at {seconds(time)}</span>}
        {away.length > 0 && (
          <span className="plot-away" title={`${away.join(', ')}: too large for this axis`}>
            {away.join(', ')} off the scale
          </span>
        )}
        <span className="plot-legend">
          {labelled &&
            lines.map(({ label, colour, dash, value }) => (
              <span key={label}>
                <i className={dash ? 'dash' : ''} style={{ borderColor: colour }} />
                {label} <span className="number">{value}</span>
              </span>
            ))}
        </span>
      </figcaption>
      <div className="plot-frame">
        <div ref={box} className="plot-canvas" role="img" aria-label={`${title}: ${words === '' ? 'no data yet' : words}`} />
        {at && time !== null && (
          <div
            className={`plot-reading${at.x > at.width / 2 ? ' left' : ''}`}
            style={at.x > at.width / 2 ? { right: at.width - at.x + 10 } : { left: at.x + axisWidth + 10 }}>
            <b className="number">{seconds(time)}</b>
            {lines.map(({ label, colour, dash, value }) => (
              <span key={label}>
                <i className={dash ? 'dash' : ''} style={{ borderColor: colour }} />
                {label} <span className="number">{value}</span>
              </span>
            ))}
          </div>
        )}
      </div>
    </figure>
  );
}

export default function Plots() {
  const { set } = useStudio();
  const catalogue = usePage((state) => state.catalogue);
  const pointer = useId();
  const empty = usePage((state) => state.history.length < 2);
  const compared = usePage((state) =>
    state.ghosts.length === 0 ? '' : [state.state?.settings.method, ...state.ghosts.map((ghost) => ghost.method)].join(' '),
  );
  return (
    <div className={compared === '' ? 'plots' : 'plots compared'}>
      <div className="plots-head">
        {compared === '' ? (
          <span className="hint">{empty ? 'Press play. The plots fill while the scene moves.' : ''}</span>
        ) : (
          <span className="plot-legend">
            {compared.split(' ').map((method) => (
              <span key={method}>
                <i style={{ borderColor: methodColour(catalogue, method) }} />
                {method}
              </span>
            ))}
          </span>
        )}
        <button type="button" className="button quiet" disabled={empty} onClick={() => set({ history: [] })}>
          Clear
        </button>
      </div>
      <div className="plots-grid" role="group" aria-label="Plots" tabIndex={0}>
        {charts.map((chart) => (
          <Plot key={chart.name} {...chart} labelled={compared === ''} pointer={pointer} />
        ))}
      </div>
    </div>
  );
}
