// @ts-check
// Live plots of what the simulation does, over the last seconds of simulated time.

import { make, tell } from './dom.js';

/** How many seconds are shown. */
const SPAN = 20;

/** @typedef {{ key: string, name: string, color: string, of: (status: any) => number }} Curve */

/** @type {{ title: string, unit: string, curves: Curve[] }[]} */
const PLOTS = [
  {
    title: 'Energy',
    unit: 'J',
    curves: [
      { key: 'total', name: 'total', color: '--curve-1', of: (s) => s.kinetic + s.potential },
      { key: 'kinetic', name: 'kinetic', color: '--curve-2', of: (s) => s.kinetic },
      { key: 'potential', name: 'potential', color: '--curve-3', of: (s) => s.potential },
    ],
  },
  {
    title: 'Momentum',
    unit: 'kg m/s',
    curves: [{ key: 'momentum', name: 'amount', color: '--curve-1', of: (s) => s.momentum }],
  },
  {
    title: 'Angular momentum',
    unit: 'kg m²/s',
    curves: [{ key: 'angular', name: 'about the origin', color: '--curve-1', of: (s) => s.angular_momentum }],
  },
  {
    title: 'Contacts',
    unit: '',
    curves: [
      { key: 'contacts', name: 'pairs', color: '--curve-1', of: (s) => s.contacts },
      { key: 'awake', name: 'bodies awake', color: '--curve-2', of: (s) => s.awake },
    ],
  },
  {
    title: 'Time of a step',
    unit: 'ms',
    curves: [
      { key: 'step', name: 'whole', color: '--curve-1', of: (s) => s.step_ms },
      { key: 'detect', name: 'contacts', color: '--curve-2', of: (s) => s.detect_ms },
      { key: 'solve', name: 'solving', color: '--curve-3', of: (s) => s.solve_ms },
    ],
  },
];

export class Plots {
  /** @type {{ time: number, status: any }[]} */ #points = [];
  /** @type {{ plot: typeof PLOTS[0], canvas: HTMLCanvasElement, values: HTMLElement[] }[]} */ #drawn = [];

  /** @param {HTMLElement} pane */
  constructor(pane) {
    this.pane = pane;
    for (const plot of PLOTS) {
      const values = plot.curves.map(() => make('span', {}));
      const legend = plot.curves.map((curve, index) => {
        const swatch = make('i', {});
        swatch.style.background = `var(${curve.color})`;
        return make('span', {}, swatch, `${curve.name} `, values[index]);
      });
      const canvas = make('canvas', { role: 'img', 'aria-label': `${plot.title} over time` });
      const heading = make('header', {}, make('b', {}, plot.title + (plot.unit && ` / ${plot.unit}`)));
      pane.append(make('div', { className: 'plot' }, heading, make('div', { className: 'legend' }, ...legend), canvas));
      this.#drawn.push({ plot, canvas, values });
    }
  }

  clear() {
    this.#points = [];
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
    for (const { plot, canvas, values } of this.#drawn) {
      plot.curves.forEach((curve, index) => (values[index].textContent = tell(curve.of(last.status), 4)));
      const ratio = Math.min(devicePixelRatio, 2);
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      const pen = canvas.getContext('2d');
      if (!pen) return;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      const all = plot.curves.flatMap((curve) => this.#points.map((point) => curve.of(point.status)));
      let [low, high] = [Math.min(0, ...all), Math.max(...all)];
      if (plot.title === 'Energy') low = Math.min(...all);
      if (!(high - low > 1e-9 * Math.max(Math.abs(high), Math.abs(low)))) [low, high] = [low - 0.5, high + 0.5];
      const start = Math.max(this.#points[0].time, last.time - SPAN);
      const end = Math.max(last.time, start + 2);
      const x = (/** @type {number} */ time) => ((time - start) / (end - start)) * (width - 12) + 6;
      const y = (/** @type {number} */ value) => height - 8 - ((value - low) / (high - low)) * (height - 16);
      pen.strokeStyle = style.getPropertyValue('--line');
      pen.lineWidth = 1;
      for (const part of [0, 0.5, 1]) {
        pen.beginPath();
        pen.moveTo(6, y(low + part * (high - low)));
        pen.lineTo(width - 6, y(low + part * (high - low)));
        pen.stroke();
      }
      for (const curve of [...plot.curves].reverse()) {
        pen.strokeStyle = style.getPropertyValue(curve.color);
        pen.lineWidth = 1.7;
        pen.lineJoin = 'round';
        pen.beginPath();
        for (const point of this.#points) pen.lineTo(x(point.time), y(curve.of(point.status)));
        pen.stroke();
      }
      pen.fillStyle = style.getPropertyValue('--faint');
      pen.font = '10.5px system-ui, sans-serif';
      pen.fillText(tell(high, 3), 9, 18);
      pen.fillText(tell(low, 3), 9, height - 11);
    }
  }
}
