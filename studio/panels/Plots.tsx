// What motion does to errors, energy, momenta and time, as it goes; ghosts of a comparison over each other.
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { methodColour } from '../store/colours';
import { usePage } from '../store/hooks';
import { page, set } from '../store/store';
import { short } from './numbers';
import { chartOf, type Chart, type ChartName } from './series';
import './Plots.css';

const charts: { name: ChartName; title: string; unit: string; log: boolean }[] = [
  { name: 'error', title: 'Joint error', unit: 'm, rad', log: true },
  { name: 'energy', title: 'Energy', unit: 'J', log: false },
  { name: 'momentum', title: 'Momenta', unit: 'N s, N m s', log: false },
  { name: 'cost', title: 'Time of a step', unit: 'ms', log: true },
];
const redraw = 80; // [ms] at least, between drawings

const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Of a logarithmic axis, only powers of ten, and of many not all.
function powers(_: uPlot, ticks: number[]): (number | null)[] {
  const exponents = ticks.map((tick) => Math.log10(tick));
  const whole = exponents.map((x) => Math.abs(x - Math.round(x)) < 1e-6);
  const every = Math.max(1, Math.ceil((exponents[exponents.length - 1] - exponents[0]) / 5));
  return ticks.map((tick, k) => (whole[k] && Math.round(exponents[k]) % every === 0 ? tick : null));
}

function optionsOf(chart: Chart, log: boolean, width: number, height: number): uPlot.Options {
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
    cursor: { drag: { x: false, y: false }, sync: { key: 'tenon' }, points: { size: 6 } },
    scales: { x: { time: false, range: (_, low, high) => (low === null ? [0, 1] : [low, Math.max(high, low + 0.5)]) }, y: log ? { distr: 3, log: 10 } : {} },
    axes: [
      { ...axis, size: 26, gap: 7, values: (_, ticks) => ticks.map((tick) => `${short(tick)} s`) },
      { ...axis, ...(log ? { filter: powers, grid: { ...axis.grid, filter: powers } } : {}), size: 52, gap: 4, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))) },
    ],
    series: [{}, ...chart.lines.map((line) => ({
      label: line.label, stroke: line.colour, width: 1.5, dash: line.dash, spanGaps: false, points: { show: false },
    }))],
  };
}

// One sample is no line, and uPlot would make an axis of a hundred seconds of it.
const dataOf = (chart: Chart): uPlot.AlignedData =>
  chart.times.length < 2 ? [[], ...chart.lines.map(() => [])] : [chart.times, ...chart.lines.map((line) => line.values)];
const keyOf = (chart: Chart): string => chart.lines.map((line) => line.label).join('|');

// `labelled`: its lines are named beside its title; else they are methods, which are named once above all.
function Plot({ name, title, unit, log, labelled }: (typeof charts)[number] & { labelled: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const theme = usePage((state) => state.theme);
  const [legend, setLegend] = useState<{ label: string; colour: string; dash: boolean; value: string }[]>([]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot: uPlot | null = null;
    let key = '';
    let drawn: unknown = null;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const size = { width: Math.max(60, element.clientWidth), height: Math.max(60, element.clientHeight) };

    const draw = (): void => {
      timer = null;
      const { history, state } = page.getState();
      if (history === drawn) return;
      drawn = history;
      const chart = chartOf(name, history, state?.settings.method ?? '');
      if (!plot || keyOf(chart) !== key) {
        plot?.destroy();
        key = keyOf(chart);
        plot = new uPlot(optionsOf(chart, log, size.width, size.height), dataOf(chart), element);
      } else {
        plot.setData(dataOf(chart));
      }
      const at = plot.cursor.idx ?? chart.times.length - 1;
      setLegend(chart.lines.map((line) => ({ label: line.label, colour: line.colour, dash: line.dash !== undefined, value: short(line.values[at]) })));
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
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const stop = page.subscribe(later);
    draw();
    return () => {
      stop();
      observer.disconnect();
      themes.disconnect();
      if (timer !== null) clearTimeout(timer);
      plot?.destroy();
    };
  }, [name, log, theme]);

  const words = legend.map(({ label, value }) => `${label} ${value}`).join(', ');
  return (
    <figure className="plot">
      <figcaption>
        <b>{title}</b> <span className="dim">{unit}</span>
        <span className="plot-legend">
          {labelled && legend.map(({ label, colour, dash, value }) => (
            <span key={label}><i className={dash ? 'dash' : ''} style={{ borderColor: colour }} />{label} <span className="number">{value}</span></span>
          ))}
        </span>
      </figcaption>
      <div ref={box} className="plot-canvas" role="img" aria-label={`${title}: ${words === '' ? 'nothing yet' : words}`} />
    </figure>
  );
}

export default function Plots() {
  const empty = usePage((state) => state.history.length < 2);
  const compared = usePage((state) => (state.ghosts.length === 0 ? '' : [state.state?.settings.method, ...state.ghosts.map((ghost) => ghost.method)].join(' ')));
  return (
    <div className={compared === '' ? 'plots' : 'plots compared'}>
      <div className="plots-head">
        {compared === '' ? (
          <span className="hint">{empty ? 'Press play: the plots fill as it moves.' : ''}</span>
        ) : (
          <span className="plot-legend">
            {compared.split(' ').map((method) => <span key={method}><i style={{ borderColor: methodColour(method) }} />{method}</span>)}
          </span>
        )}
        <button type="button" className="button quiet" disabled={empty} onClick={() => set({ history: [] })}>Clear</button>
      </div>
      <div className="plots-grid" role="group" aria-label="Plots" tabIndex={0}>
        {charts.map((chart) => <Plot key={chart.name} {...chart} labelled={compared === ''} />)}
      </div>
    </div>
  );
}
