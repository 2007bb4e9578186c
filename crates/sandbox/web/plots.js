// @ts-check
// Live plots of what the simulation does, over the last seconds of simulated time.

import { make, tell } from './dom.js';

/** How many seconds are shown. */
const SPAN = 20;
/** The margins around the curves, in pixels. */
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 8, 8, 18];

/**
 * @typedef {{ name: string, color: string, of: (status: any) => number | undefined }} Curve
 * @typedef {{ title: string, unit: string, zero?: boolean, log?: boolean, curves: Curve[] }} Plot
 */

/** @type {Plot[]} */
export const PLOTS = [
  {
    title: 'Energy',
    unit: 'J',
    curves: [
      { name: 'total', color: '--curve-1', of: (s) => s.kinetic + s.potential },
      { name: 'kinetic', color: '--curve-2', of: (s) => s.kinetic },
      { name: 'potential', color: '--curve-3', of: (s) => s.potential },
    ],
  },
  { title: 'Momentum', unit: 'kg m/s', zero: true, curves: [{ name: 'amount', color: '--curve-1', of: (s) => s.momentum }] },
  { title: 'Angular momentum', unit: 'kg m²/s', zero: true, curves: [{ name: 'about the origin', color: '--curve-1', of: (s) => s.angular_momentum }] },
  {
    title: 'Contacts',
    unit: '',
    zero: true,
    curves: [
      { name: 'pairs', color: '--curve-1', of: (s) => s.contacts },
      { name: 'bodies awake', color: '--curve-2', of: (s) => s.awake },
    ],
  },
  {
    title: 'Time of a step',
    unit: 'ms',
    zero: true,
    curves: [
      { name: 'whole', color: '--curve-1', of: (s) => s.step_ms },
      { name: 'contacts', color: '--curve-2', of: (s) => s.detect_ms },
      { name: 'solving', color: '--curve-3', of: (s) => s.solve_ms },
    ],
  },
];

/** @type {Plot[]} */
export const DIFFERENCE = [
  {
    title: 'Distance between the runs',
    unit: 'm',
    log: true,
    curves: [
      { name: 'largest', color: '--curve-2', of: (s) => s.second?.largest },
      { name: 'root mean square', color: '--curve-1', of: (s) => s.second?.mean },
    ],
  },
  {
    title: 'Energy of both',
    unit: 'J',
    curves: [
      { name: 'first', color: '--curve-1', of: (s) => s.kinetic + s.potential },
      { name: 'second', color: '--curve-2', of: (s) => s.second && s.second.kinetic + s.second.potential },
    ],
  },
];

export class Plots {
  /** @type {{ time: number, status: any }[]} */ #points = [];
  /** @type {{ plot: Plot, canvas: HTMLCanvasElement, values: HTMLElement[] }[]} */ #drawn = [];

  /**
   * @param {HTMLElement} pane what hides them when they are not to be seen
   * @param {HTMLElement} parent
   * @param {Plot[]} list
   */
  constructor(pane, parent, list) {
    this.pane = pane;
    for (const plot of list) {
      const values = plot.curves.map(() => make('b', {}));
      const legend = plot.curves.map((curve, index) => {
        const swatch = make('i', {});
        swatch.style.background = `var(${curve.color})`;
        return make('span', {}, swatch, `${curve.name} `, values[index]);
      });
      const canvas = make('canvas', { role: 'img', 'aria-label': `${plot.title} over time` });
      const heading = make('h2', {}, plot.title + (plot.unit && ` in ${plot.unit}`));
      parent.append(make('div', { className: 'plot' }, heading, make('div', { className: 'legend' }, ...legend), canvas));
      this.#drawn.push({ plot, canvas, values });
    }
  }

  clear() {
    this.#points = [];
  }

  /** How many points there are, for tests. */
  get length() {
    return this.#points.length;
  }

  /** @param {any} status */
  add(status) {
    const points = this.#points;
    while (points.length && points[points.length - 1].time >= status.time) points.pop();
    points.push({ time: status.time, status });
    while (points[0].time < status.time - SPAN) points.shift();
    this.draw();
  }

  draw() {
    if (this.pane.hidden || !this.#points.length) return;
    const style = getComputedStyle(document.documentElement);
    const last = this.#points[this.#points.length - 1];
    const start = Math.max(this.#points[0].time, last.time - SPAN);
    const end = Math.max(last.time, start + 2);
    for (const { plot, canvas, values } of this.#drawn) {
      plot.curves.forEach((curve, index) => (values[index].textContent = tell(curve.of(last.status) ?? NaN, plot.log ? 2 : 4)));
      const ratio = Math.min(devicePixelRatio, 2);
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width || !height) continue;
      if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      const pen = canvas.getContext('2d');
      if (!pen) return;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      /** @type {[number, number][][]} */
      const curves = plot.curves.map((curve) => this.#points.flatMap(({ time, status }) => this.#point(plot, time, curve.of(status))));
      const { low, high, ticks } = scale(plot, curves.flatMap((curve) => curve.map(([, value]) => value)));
      pen.font = '10.5px system-ui, sans-serif';
      // As many digits as neighbouring lines need to differ.
      const digits = Math.max(2, 1 + Math.ceil(Math.log10(Math.max(...ticks.map(Math.abs)) / (ticks[1] - ticks[0] || 1)) || 0));
      const labels = ticks.map((tick) => (plot.log ? `10${raised(tick)}` : tell(tick, digits)));
      const left = Math.max(LEFT, 10 + Math.max(...labels.map((label) => pen.measureText(label).width)));
      const x = (/** @type {number} */ time) => left + ((time - start) / (end - start)) * (width - left - RIGHT);
      const y = (/** @type {number} */ value) => height - BOTTOM - ((value - low) / (high - low)) * (height - TOP - BOTTOM);
      pen.fillStyle = style.getPropertyValue('--soft');
      pen.strokeStyle = style.getPropertyValue('--line');
      pen.lineWidth = 1;
      const line = (/** @type {[number, number][]} */ way) => {
        pen.beginPath();
        for (const [along, up] of way) pen.lineTo(along, up);
        pen.stroke();
      };
      pen.textAlign = 'right';
      pen.textBaseline = 'middle';
      ticks.forEach((tick, index) => {
        line([[left, Math.round(y(tick)) + 0.5], [width - RIGHT, Math.round(y(tick)) + 0.5]]);
        pen.fillText(labels[index], left - 5, y(tick));
      });
      pen.textAlign = 'center';
      pen.textBaseline = 'bottom';
      for (const tick of evenly(start, end, 5)) {
        line([[Math.round(x(tick)) + 0.5, height - BOTTOM], [Math.round(x(tick)) + 0.5, height - BOTTOM + 3]]);
        pen.fillText(`${tell(tick, 4)} s`, Math.min(x(tick), width - 14), height - 1);
      }
      pen.lineWidth = 1.7;
      pen.lineJoin = 'round';
      plot.curves.map((curve, index) => ({ color: curve.color, points: curves[index] })).reverse().forEach(({ color, points }) => {
        pen.strokeStyle = style.getPropertyValue(color);
        line(points.map(([time, value]) => [x(time), y(value)]));
      });
    }
  }

  /**
   * Where a value is drawn: its logarithm on a logarithmic scale, which has no place for zero; nowhere if there is none.
   * @param {Plot} plot
   * @param {number} time
   * @param {number | undefined} value
   * @returns {[number, number][]}
   */
  #point(plot, time, value) {
    if (value === undefined || !Number.isFinite(value)) return [];
    if (plot.log && value <= 0) return [];
    return [[time, plot.log ? Math.log10(value) : value]];
  }
}

/**
 * The range of a plot and where it has lines.
 * @param {Plot} plot
 * @param {number[]} all
 */
function scale(plot, all) {
  let [low, high] = [Math.min(...all), Math.max(...all)];
  if (!all.length) [low, high] = plot.log ? [-8, 0] : [0, 1];
  if (plot.zero) low = Math.min(0, low);
  if (plot.log) {
    // Whole powers of ten, at least four of them, as many as have room.
    [low, high] = [Math.floor(low), Math.ceil(high + 1e-9)];
    low = Math.min(low, high - 4);
    const by = Math.ceil((high - low) / 5);
    const ticks = [];
    for (let tick = high; tick >= low; tick -= by) ticks.push(tick);
    return { low, high, ticks };
  }
  // What is constant but for rounding is drawn as a line in the middle.
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const ticks = evenly(low, high, 4);
  return { low, high: high + 0.02 * (high - low), ticks };
}

/**
 * Round numbers in a range, about as many as asked for.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
function evenly(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) ticks.push(Math.abs(tick) < 1e-9 * step ? 0 : tick);
  return ticks;
}

/** A number in raised digits. @param {number} value */
function raised(value) {
  return [...String(value)].map((digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]).join('');
}
