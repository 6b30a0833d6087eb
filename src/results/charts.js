/* charts.js - elements, numbers and charts.  Texts of documents are only ever
   text: nothing is parsed as markup. */
const SVG = (t => {
  t.innerHTML = '<svg>';
  return t.content.firstChild.namespaceURI;
})(document.createElement('template'));
const clean = text => String(text).replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, c => c === '\n' || c === '\t' ? ' ' :
  c < '\u0100' ? '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0') : '\\u' + c.charCodeAt(0).toString(16));
/* make(parent, 'p.dim', 'text', {attributes}) */
const make = (parent, what, text, attributes) => {
  const [name, ...classes] = what.split('.');
  const made = name === 'svg' || (parent && parent.namespaceURI === SVG)
    ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) made.setAttribute('class', classes.join(' '));
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined && text !== null) made.textContent = clean(text);
  if (parent) parent.append(made);
  return made;
};

/* ---- numbers ---- */
const SI = name => [[1e12, ' T' + name], [1e9, ' G' + name], [1e6, ' M' + name], [1e3, ' k' + name], [1, ' ' + name]];
const UNITS = {
  time: [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']],
  timerate: [[1e9, ' s/s'], [1e6, ' ms/s'], [1e3, ' µs/s'], [1, ' ns/s']],
  bytes: SI('B'), byterate: SI('B/s'),
  share: [[0.01, ' %']],
  count: [[1e9, ' G'], [1e6, ' M'], [1, '']],
  rate: [[1e9, ' G/s'], [1e6, ' M/s'], [1, '/s']],
};
const grouped = (x, digits) => x.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
/* Three significant digits with a unit; 'int': all digits of a count. */
const format = (x, unit = 'count') => {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (unit === 'int') return grouped(Math.round(x), 0);
  const list = UNITS[unit], least = list.at(-1);
  if (x === 0) return '0' + (unit === 'time' ? ' s' : least[1]);
  let i = list.findIndex(([size]) => Math.abs(x) >= size * 0.9995);
  if (i < 0) i = list.length - 1;
  const y = Number((x / list[i][0]).toPrecision(3));
  const whole = Number.isInteger(x) && list[i][0] === 1;
  return grouped(y, whole ? 0 : Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(y)))))) + list[i][1];
};
/* For axes: without needless zeros. */
const tick = (x, unit) => {
  const list = UNITS[unit], [size, name] = list.find(([s]) => Math.abs(x) >= s * 0.9999) || list.at(-1);
  return x === 0 ? '0' : Number((x / size).toPrecision(4)).toLocaleString('en-US') + name;
};
const span = s => s >= 7200 ? format(s / 3600) + ' h' : s >= 180 ? format(s / 60) + ' min' : format(s * 1e9, 'time');

/* ---- scales ---- */
const percentile = p => -Math.log10(Math.max(1 - p / 100, 1e-9));
const SCALES = {linear: x => x, log: x => Math.log10(Math.max(x, 1e-12)), percentile};
const nice = raw => {
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find(lead => raw <= lead * power * 1.0001);
};
const TIMES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];
const steps = (low, high, step) => {
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12) && list.length < 100; i++)
    list.push(+(i * step).toPrecision(12));
  return list;
};
/* The numbers at which an axis has ticks: about `n`. */
const ticksOf = (axis, low, high, n) => {
  if (axis.at) return axis.at.filter(x => x >= low * 0.999 && x <= high * 1.001);
  if (axis.scale === 'percentile') return [0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999].filter(p => p <= high);
  if (axis.scale === 'log') {
    const decades = Math.log10(high / low);
    const leads = decades < 1.2 ? [1, 2, 3, 5, 7] : decades < n / 2.5 ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / n)), list = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      if (e % every === 0 || leads.length > 1) for (const lead of leads) list.push(lead * 10 ** e);
    return list.filter(x => x >= low * 0.999 && x <= high * 1.001);
  }
  const raw = (high - low) / n;
  if (axis.time && raw > 0.1) return steps(low, high, TIMES.find(t => t >= raw) || nice(raw));
  return high > low ? steps(low, high, nice(raw)) : [low];
};

/* Hatches are the same in all charts. */
const hatches = () => {
  const defs = make(make(document.body, 'svg', null, {width: 0, height: 0, style: 'position:absolute', 'aria-hidden': 'true'}), 'defs');
  for (const [name, angle, gap, width] of [['stall', 45, 5, 3], ['brownout', -45, 7, 2]]) {
    const pattern = make(defs, 'pattern', null, {id: 'hatch-' + name, width: gap, height: gap,
      patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(' + angle + ')'});
    make(pattern, 'rect', null, {width, height: gap, style: 'fill:var(--shade)'});
  }
};

/* ---- charts over time share a cursor and a stretch of time ---- */
const timed = [];
const view = {range: null, at: null, zoomed: () => {}};
const pointAll = t => {
  view.at = t;
  timed.forEach(c => c.point(t));
};
const zoom = range => {
  view.range = range;
  timed.forEach(c => c.draw());
  pointAll(null);
  view.zoomed();
};

const BAND_NAMES = {stall: 'no service', brownout: 'brown-out', dip: 'dip', mark: 'mark'};

/*
 * spec: title, time (x is seconds of the run), x {scale, unit, at, names, label, low, high}, y {scale, unit, zero},
 * lines [{name, x, y, total, low, high, off, kind: ''|'dots'|'fit'|'beyond'|'area', colour}], bands [{kind, from, to, text}],
 * points [{x, y, text}], limit, verticals [{x, text}], grid {x, y, counts}, beyond: x, small
 */
class Chart {
  constructor(parent, spec) {
    this.spec = {x: {}, y: {}, lines: [], bands: [], points: [], ...spec};
    this.figure = make(parent, spec.small ? 'figure.small' : 'figure');
    if (spec.time) this.figure.classList.add('timed');
    const caption = make(this.figure, 'figcaption');
    make(caption, 'span', spec.title);
    this.at = make(caption, 'span.at');
    this.legend = make(this.figure, 'div.legend');
    this.values = [];
    this.spec.lines.forEach(line => this.key(line));
    for (const kind of new Set(this.spec.bands.map(b => b.kind))) this.chip(kind);
    if (this.spec.grid) {
      const key = make(this.legend, 'span.key', 'few events');
      const sample = make(key, 'svg', null, {width: 80, height: 12, 'aria-hidden': 'true'});
      for (let i = 0; i < 8; i++) make(sample, 'rect.h' + i, null, {x: 10 * i, width: 10, height: 12});
      key.append('many');
    }
    this.svg = make(this.figure, 'svg', null, {tabindex: 0, role: 'img', 'aria-label': spec.title});
    if (spec.time) timed.push(this);
    this.listen();
    /* Not at once: a drawing that changes the height would be observed again. */
    new ResizeObserver(() => requestAnimationFrame(() => this.figure.clientWidth !== this.width && this.draw())).observe(this.figure);
  }

  key(line) {
    const colour = line.colour ?? this.values.length % 8;
    line.class = 'c' + colour;
    const key = make(this.legend, 'button.key', null, {type: 'button', 'aria-pressed': String(!line.off)});
    const sample = make(key, 'svg', null, {width: 22, height: 10, 'aria-hidden': 'true'});
    if (line.kind === 'dots') make(sample, 'circle.dot.' + line.class, null, {cx: 11, cy: 5, r: 4});
    else make(sample, 'path.line.' + line.class + (line.kind ? '.' + line.kind : ''), null, {d: 'M0 5H22'});
    make(key, 'span', line.name);
    this.values.push(make(key, 'b.v'));
    key.onclick = () => {
      line.off = !line.off;
      key.setAttribute('aria-pressed', String(!line.off));
      this.draw();
    };
  }

  chip(kind) {
    const chip = make(this.legend, 'span.key');
    const sample = make(chip, 'svg', null, {width: 22, height: 12, 'aria-hidden': 'true'});
    if (kind === 'mark') make(sample, 'path.moment', null, {d: 'M11 0V12'});
    else make(sample, 'rect.' + kind, null, {width: 22, height: 12});
    make(chip, 'span', BAND_NAMES[kind]);
  }

  /* The limits of x and y that are shown. */
  limits() {
    const {lines, x, y, grid, points, limit, time} = this.spec;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    const seeX = v => { if (Number.isFinite(v)) { x0 = Math.min(x0, v); x1 = Math.max(x1, v); } };
    const seeY = v => { if (Number.isFinite(v) && (y.scale !== 'log' || v > 0)) { y0 = Math.min(y0, v); y1 = Math.max(y1, v); } };
    const seen = lines.filter(l => !l.off);
    for (const l of seen) l.x.forEach(seeX);
    if (grid) grid.x.forEach(seeX);
    if (time) seeX(0);
    if (x.low !== undefined) x0 = x.low;
    if (x.high !== undefined) x1 = x.high;
    if (time && view.range) [x0, x1] = view.range;
    for (const l of seen) l.x.forEach((v, i) => {
      if (v < x0 || v > x1) return;
      seeY(l.y[i]);
      if (l.low) seeY(l.low[i]), seeY(l.high[i]);
    });
    if (grid) grid.y.forEach(seeY);
    points.forEach(p => seeY(p.y));
    if (limit) seeY(limit);
    if (!(x1 > x0)) x1 = x0 + 1;
    if (y0 > y1) [y0, y1] = y.scale === 'log' ? [1, 10] : [0, 1];
    if (y.scale === 'log') {
      if (!grid) [y0, y1] = [y0 / 1.15, y1 * 1.15];
    } else {
      y0 = Math.min(0, y0);
      const step = nice(Math.max(y1 - y0, 1e-12) / 5);
      y1 = Math.ceil(y1 / step * 1.0001) * step || 1;
    }
    return [x0, x1, y0, y1];
  }

  draw() {
    const {spec, svg} = this, {x, y, bands, grid} = spec;
    const w = this.width = this.figure.clientWidth;
    if (w === 0) return;
    const W = Math.max(220, w - 24), [x0, x1, y0, y1] = this.limits();
    const strip = bands.length ? 14 : 0, H = Math.round(Math.min(spec.small ? 190 : 280, Math.max(spec.small ? 160 : 200, W / 2.3))) + strip;
    const yt = ticksOf(y, y0, y1, H > 220 ? 6 : 4).map(v => [v, tick(v, y.unit || 'count')]);
    const T = 10 + strip, B = x.label ? 40 : 24, R = 14, L = 12 + 7 * Math.max(2, ...yt.map(t => t[1].length));
    const fx = SCALES[x.scale || 'linear'], fy = SCALES[y.scale || 'linear'];
    const inset = x.names || spec.lines.some(l => l.kind === 'dots' || l.dots) ? 14 : 0;
    this.px = v => L + inset + (fx(v) - fx(x0)) / (fx(x1) - fx(x0)) * (W - L - R - 2 * inset);
    this.py = v => H - B - (fy(v) - fy(y0)) / (fy(y1) - fy(y0)) * (H - T - B);
    Object.assign(this, {x0, x1, y0, y1, L, T, W, H, right: W - R, bottom: H - B});
    svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
    svg.replaceChildren();
    this.labels = [];
    this.drawBands(strip);
    for (const [v, text] of yt) {
      make(svg, 'line.grid', null, {x1: L, x2: W - R, y1: this.py(v), y2: this.py(v)});
      make(svg, 'text', text, {x: L - 6, y: this.py(v) + 4, 'text-anchor': 'end'});
    }
    this.drawTicks();
    if (x.label) make(svg, 'text', x.label, {x: W - R, y: H - 4, 'text-anchor': 'end'});
    const id = this.id = this.id || 'clip' + Math.random().toString(36).slice(2);
    make(make(make(svg, 'defs'), 'clipPath', null, {id}), 'rect', null, {x: L, y: T - 3, width: W - R - L, height: H - B - T + 6});
    const plot = make(svg, 'g', null, {'clip-path': `url(#${id})`});
    if (grid) this.drawGrid(plot);
    if (spec.beyond < x1) {
      make(plot, 'rect.beyonddata', null, {x: this.px(spec.beyond), y: T, width: W, height: H - B - T});
      make(svg, 'text', 'extrapolated', {x: W - R - 4, y: T + 12, 'text-anchor': 'end'});
      this.labels.push({left: W - R - 90, width: 90, y: T + 12});
    }
    if (spec.limit) make(plot, 'line.limit', null, {x1: L, x2: W - R, y1: this.py(spec.limit), y2: this.py(spec.limit)});
    for (const [i, v] of (spec.verticals || []).entries()) {
      make(plot, 'line.limit', null, {x1: this.px(v.x), x2: this.px(v.x), y1: T, y2: H - B});
      this.label(v.text, [0, 1, 2, 3].map(k => [this.px(v.x) + 4, T + 10 + 14 * ((i + k) % 4)]));
    }
    spec.lines.forEach(line => line.off || this.drawLine(plot, line));
    for (const p of spec.points) this.drawPoint(p);
    this.cursor = make(svg, 'line.cursor', null, {y1: T, y2: H - B, visibility: 'hidden'});
    this.choice = make(svg, 'rect.choice', null, {y: T, height: H - B - T, width: 0});
    this.rest();
  }

  drawTicks() {
    const {spec: {x, time}, svg} = this;
    const list = ticksOf({...x, time}, this.x0, this.x1, Math.max(2, Math.floor(this.W / 95)));
    let last = -Infinity;
    for (const v of list) {
      const i = x.at ? x.at.indexOf(v) : -1, at = this.px(v);
      const text = x.names ? x.names[i] : time ? (list[1] - list[0] >= 60 ? v / 60 + ' min' : v + ' s')
        : x.scale === 'percentile' ? v + ' %' : tick(v, x.unit || 'count');
      const half = clean(text).length * 3.4;
      if (at - half < last + 6 || at + half > this.W) continue;
      last = at + half;
      make(svg, 'line.axis', null, {x1: at, x2: at, y1: this.bottom, y2: this.bottom + 4});
      make(svg, 'text', text, {x: at, y: this.bottom + 17, 'text-anchor': 'middle'});
    }
    make(svg, 'line.axis', null, {x1: this.L, x2: this.right, y1: this.bottom, y2: this.bottom});
  }

  /* A strip above the plot, and a lighter hatching in it. */
  drawBands(strip) {
    const clip = v => Math.min(Math.max(this.px(v), this.L), this.right);
    for (const b of this.spec.bands) {
      if (b.to < this.x0 || b.from > this.x1) continue;
      const from = clip(b.from), width = Math.max(2, clip(b.to) - from);
      if (b.kind === 'mark') {
        const flag = make(this.svg, 'path.moment', null, {d: `M${from} ${strip - 10}V${this.bottom}`, 'data-kind': b.kind});
        make(flag, 'title', b.text);
        if (this.W > 500) this.label(b.text.slice(0, 24), [[from + 4, strip + 6], [from - 4, strip + 6]]);
        continue;
      }
      const top = make(this.svg, 'rect.' + b.kind, null, {x: from, width, y: 2, height: 10, 'data-kind': b.kind,
        'data-from': b.from, 'data-to': b.to});
      make(top, 'title', b.text);
      if (!this.spec.grid)
        make(this.svg, 'rect.in.' + b.kind, null, {x: from, width, y: this.T, height: this.bottom - this.T});
    }
  }

  drawLine(plot, line) {
    const log = this.spec.y.scale === 'log', n = line.x.length;
    if (line.low) for (let i = 0; i < n; i++) if (line.high[i] > line.low[i])
      make(plot, 'line.range.' + line.class, null, {x1: this.px(line.x[i]), x2: this.px(line.x[i]),
        y1: this.py(line.low[i]), y2: this.py(line.high[i])});
    if (line.kind !== 'dots') {
      let text = '', down = false, column = null, low = 0, high = 0;
      const put = (x, y) => {
        text += (down ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1);
        down = true;
      };
      /* Of many points in a column of pixels, the lowest and the highest. */
      const dense = n > 3 * this.W;
      const flush = () => {
        if (column !== null) put(column, low), high !== low && put(column, high);
        column = null;
      };
      for (let i = 0; i < n; i++) {
        const v = line.y[i];
        if (v === null || v === undefined || !Number.isFinite(v) || (log && v <= 0)) {
          flush();
          down = false;
          continue;
        }
        const x = this.px(line.x[i]), y = this.py(v);
        if (!dense) {
          put(x, y);
        } else if (column === Math.round(x)) {
          low = Math.min(low, y), high = Math.max(high, y);
        } else {
          flush();
          column = Math.round(x), low = high = y;
        }
      }
      flush();
      if (line.kind === 'area' && text)
        make(plot, 'path.area.' + line.class, null, {d: text + `V${this.bottom}H${this.px(line.x[0])}Z`});
      make(plot, 'path.line.' + line.class + (line.kind ? '.' + line.kind : ''), null, {d: text});
    }
    if (line.kind === 'dots' || line.dots) line.x.forEach((v, i) => Number.isFinite(line.y[i]) &&
      make(plot, 'circle.dot.' + line.class + (line.hollow ? '.hollow' : ''), null, {cx: this.px(v), cy: this.py(line.y[i]), r: 4}));
  }

  drawPoint(p) {
    const x = this.px(p.x), y = this.py(p.y);
    make(this.svg, 'circle.mark', null, {cx: x, cy: y, r: 8});
    this.label(p.text, [-10, 20, -26, 36, 52].flatMap(dy => [[x + 12, y + dy], [x - 12, y + dy]]));
  }

  /* A text at the first of some places at which it is within the chart and over no other one, or none: from a place that is
     left of the one before, it ends there. */
  label(text, places) {
    const width = 7.5 * clean(text).length;
    for (const [i, [x, y]] of places.entries()) {
      const before = i > 0 && x < places[i - 1][0], left = before ? x - width : x;
      if (left < this.L || left + width > this.W || y < 12 || y > this.bottom) continue;
      if (this.labels.some(l => left < l.left + l.width && l.left < left + width && Math.abs(l.y - y) < 15)) continue;
      this.labels.push({left, width, y});
      return make(this.svg, 'text.strong', text, {x, y, 'text-anchor': before ? 'end' : 'start'});
    }
  }

  drawGrid(plot) {
    const {x, y, counts} = this.spec.grid, rows = y.length - 1;
    const most = Math.log(1 + counts.reduce((a, b) => Math.max(a, b), 1)), paths = Array(8).fill('');
    counts.forEach((count, i) => {
      const c = Math.floor(i / rows), r = i % rows;
      if (!count || x[c + 1] < this.x0 || x[c] > this.x1) return;
      const a = this.px(x[c]).toFixed(1), b = this.px(x[c + 1]).toFixed(1);
      paths[Math.min(7, Math.floor(8 * Math.log(1 + count) / most))] +=
        `M${a} ${this.py(y[r]).toFixed(1)}H${b}V${this.py(y[r + 1]).toFixed(1)}H${a}Z`;
    });
    paths.forEach((d, i) => d && make(plot, 'path.heat.h' + i, null, {d}));
  }

  /* What the legend shows without a pointer: totals. */
  rest() {
    this.at.textContent = this.spec.note || '';
    this.spec.lines.forEach((l, i) => this.say(i, l.total));
    if (this.cursor) this.cursor.setAttribute('visibility', 'hidden');
    if (this.spec.time && view.at !== null) this.point(view.at);
  }

  say(i, value) {
    const v = this.values[i];
    v.textContent = value === undefined ? '' : format(value, this.spec.y.unit);
    v.dataset.value = value ?? '';
  }

  point(t, height) {
    if (!this.cursor) return;
    if (t === null || t < this.x0 || t > this.x1) {
      view.at = this.spec.time ? null : view.at;
      return this.rest();
    }
    const {lines, grid, bands, time, x} = this.spec, px = this.px(t);
    this.cursor.setAttribute('x1', px);
    this.cursor.setAttribute('x2', px);
    this.cursor.setAttribute('visibility', 'visible');
    const here = bands.filter(b => (t >= b.from && t <= b.to) || Math.abs(this.px(b.from) - px) < 5).map(b => clean(b.text));
    const name = x.names ? x.names[x.at.indexOf(t)] : x.scale === 'percentile' ? +t.toPrecision(6) + ' %' : format(t, x.unit || 'count');
    this.at.textContent = (time ? 'at ' + grouped(t, 1) + ' s' : clean(name ?? '')) + here.map(b => ', ' + b).join('');
    lines.forEach((l, i) => this.say(i, l.x.length ? l.y[nearest(l.x, t)] : null));
    if (grid) this.sayCell(t, height);
  }

  sayCell(t, height) {
    const {x, y, counts} = this.spec.grid, rows = y.length - 1;
    const c = Math.min(Math.max(x.findIndex(end => end >= t) - 1, 0), x.length - 2);
    const here = counts.slice(c * rows, (c + 1) * rows), value = height === undefined ? 0 : this.yAt(height);
    const r = y.findIndex((low, i) => i < rows && value >= low && value < y[i + 1]);
    const all = here.reduce((a, b) => a + b, 0);
    this.at.textContent += r < 0 ? ': ' + format(all, 'int') + ' events'
      : `: ${format(y[r], 'time')} to ${format(y[r + 1], 'time')}: ${format(here[r], 'int')} of ${format(all, 'int')} events`;
  }

  yAt(height) {
    const share = (this.bottom - height) / (this.bottom - this.T);
    return this.spec.y.scale === 'log' ? this.y0 * (this.y1 / this.y0) ** share : this.y0 + share * (this.y1 - this.y0);
  }

  listen() {
    const {svg, spec} = this;
    let from = null;
    const place = event => {
      const box = svg.getBoundingClientRect(), scale = this.W / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    };
    const timeAt = event => {
      const share = (place(event)[0] - this.L) / (this.right - this.L);
      return this.x0 + Math.min(1, Math.max(0, share)) * (this.x1 - this.x0);
    };
    svg.addEventListener('pointermove', event => {
      if (!spec.time) return this.pointNear(place(event)[0]);
      const t = timeAt(event);
      pointAll(t);
      this.point(t, place(event)[1]);
      if (from === null) return;
      const a = this.px(Math.min(from, t)), b = this.px(Math.max(from, t));
      this.choice.setAttribute('x', a);
      this.choice.setAttribute('width', b - a);
    });
    svg.addEventListener('pointerleave', () => spec.time ? pointAll(null) : this.point(null));
    svg.addEventListener('keydown', event => this.press(event));
    if (!spec.time) return;
    svg.addEventListener('pointerdown', event => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      from = timeAt(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointerup', event => {
      if (from === null) return;
      const ends = [from, timeAt(event)].sort((a, b) => a - b);
      from = null;
      this.choice.setAttribute('width', 0);
      if (ends[1] - ends[0] > (this.x1 - this.x0) / 100) zoom(ends);
    });
    svg.addEventListener('pointercancel', () => { from = null; this.choice.setAttribute('width', 0); });
    svg.addEventListener('dblclick', () => zoom(null));
  }

  /* The nearest point of a chart that is not over time. */
  pointNear(at) {
    const all = [...new Set(this.spec.lines.filter(l => !l.off).flatMap(l => l.x))];
    if (all.length) this.point(this.now = all.reduce((a, b) => Math.abs(this.px(b) - at) < Math.abs(this.px(a) - at) ? b : a));
  }

  press(event) {
    const {time, lines} = this.spec, by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') time ? (view.range ? zoom(null) : pointAll(null)) : this.point(null);
    if (time && (event.key === '+' || event.key === '=' || event.key === '-')) this.rescale(event.key === '-' ? 2 : 0.5);
    if (!by) return;
    event.preventDefault();
    if (time) {
      const t = view.at === null ? this.x0 : view.at + by * (this.x1 - this.x0) / 100;
      return pointAll(Math.min(Math.max(t, this.x0), this.x1));
    }
    const all = [...new Set(lines.filter(l => !l.off).flatMap(l => l.x))].sort((a, b) => a - b);
    const i = all.indexOf(this.now);
    if (all.length) this.point(this.now = all[Math.min(Math.max(i + by, 0), all.length - 1)]);
  }

  /* Show a part of what is shown, around the cursor; with more than 1: more. */
  rescale(times) {
    const middle = view.at ?? (this.x0 + this.x1) / 2, length = (this.x1 - this.x0) * times;
    view.range = null;
    const [first, last] = this.limits();
    const start = Math.min(Math.max(middle - length / 2, first), last - length);
    zoom(length < last - first ? [start, start + length] : null);
    pointAll(middle);
  }
}

/* The index of the number nearest to `t`; they ascend. */
const nearest = (list, t) => {
  let low = 0, high = list.length - 1;
  if (list[0] > list[high]) return list.reduce((best, x, i) => Math.abs(x - t) < Math.abs(list[best] - t) ? i : best, 0);
  while (low < high) {
    const middle = low + high >> 1;
    if (list[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low > 0 && t - list[low - 1] < list[low] - t ? low - 1 : low;
};

/* ---- parts that both pages have ---- */
const sparkline = (parent, list) => {
  const seen = list.filter(Number.isFinite), high = seen.reduce((a, b) => Math.max(a, b), 0);
  if (seen.length < 3 || high <= 0) return;
  const svg = make(parent, 'svg', null, {viewBox: '0 0 100 22', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const every = Math.ceil(list.length / 200);
  make(svg, 'path.line.c0', null, {'vector-effect': 'non-scaling-stroke', d: list.filter((_, i) => i % every === 0)
    .map((y, i, all) => (i ? 'L' : 'M') + (100 * i / (all.length - 1)).toFixed(1) + ' ' + (21 - 20 * (y || 0) / high).toFixed(1)).join('')});
};
const box = (parent, items) => {
  const worst = ['bad', 'warn', 'good'].find(c => items.some(i => i[0] === c));
  const list = make(make(parent, 'div.box.' + worst, null, {role: 'status'}), 'ul');
  for (const [kind, name, text] of items) {
    const li = make(list, 'li.' + kind);
    make(li, 'b', name);
    li.append(clean(text));
  }
  return list;
};
const facts = (parent, list) => {
  const ul = make(parent, 'ul.facts');
  for (const [name, value] of list) {
    if (value === undefined || value === null || value === '') continue;
    const li = make(ul, 'li', name ? name + ' ' : '');
    make(li, 'b', value);
  }
  return ul;
};
/* Rows are lists of texts; the first has the names of the columns. */
const table = (parent, rows, numbers = 1) => {
  const t = make(make(parent, 'div.scroll', null, {tabindex: 0}), 'table');
  const head = make(make(t, 'thead'), 'tr'), body = make(t, 'tbody');
  const kind = i => i >= numbers ? '.n' : '';
  rows[0].forEach((text, i) => make(head, 'th' + kind(i), text, {scope: 'col'}));
  for (const row of rows.slice(1)) {
    const tr = make(body, 'tr');
    row.forEach((text, i) => make(tr, 'td' + kind(i), text));
  }
  return t;
};
const FACTORS = {ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9, k: 1e3, M: 1e6, G: 1e9};
const worth = cell => {
  const m = cell.textContent.replaceAll(',', '').match(/^([-+]?[0-9.]+) ?([a-zµ]+|[kMG])?/);
  return m ? m[1] * (FACTORS[m[2]] || 1) : -Infinity;
};
/* Buttons in the heads of a table sort it; narrow screens stack its cells. */
const sortable = t => {
  const heads = [...t.querySelectorAll('th')], body = t.tBodies[0];
  if (heads.length > 3 && body.rows.length <= 40) {
    t.classList.add('stack');
    for (const row of body.rows) [...row.cells].forEach((cell, i) => cell.dataset.label = heads[i].textContent);
  }
  if (body.rows.length < 4 || heads.length < 3) return;
  heads.forEach((head, column) => {
    const button = make(null, 'button', head.textContent, {type: 'button'});
    head.replaceChildren(button);
    button.onclick = () => {
      const down = head.getAttribute('aria-sort') !== 'descending';
      const rows = [...body.rows].map(row => [worth(row.cells[column]), row.cells[column].textContent, row]);
      rows.sort((a, b) => (down ? 1 : -1) * (b[0] - a[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0)));
      heads.forEach(h => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      body.append(...rows.map(r => r[2]));
    };
  });
};
