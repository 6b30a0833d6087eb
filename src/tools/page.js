'use strict';
/* The report is complete without this script, which adds the values under the
   pointer, a common cursor, zoom by dragging, and tables that can be sorted. */
(() => {
  const UNITS = {
    time: [[1e9, ' s'], [1e6, ' ms'], [1e3, ' us'], [1, ' ns']],
    bytes: [[1e12, ' TB'], [1e9, ' GB'], [1e6, ' MB'], [1e3, ' kB'], [1, ' B']],
    share: [[1, ' %']],
  };
  const number = (x, digits) => x.toLocaleString('en-US', {
    minimumFractionDigits: digits, maximumFractionDigits: digits});
  const format = (x, unit) => {
    if (x == null) return '-';
    const [size, name] = (UNITS[unit] || [[1, '']])
      .find(([least]) => Math.abs(x) >= least) || [1, (UNITS[unit] || [[1, '']]).at(-1)[1]];
    const y = x / size, a = Math.abs(y);
    return number(y, Number.isInteger(y) && size === 1 ? 0 : a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3) + name;
  };
  const node = (parent, name, attributes) => {
    const made = document.createElementNS(parent.namespaceURI, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    parent.append(made);
    return made;
  };

  /* ---- charts over time ---- */
  const charts = [];
  document.documentElement.classList.add('scripted');
  let times = [];
  for (const part of document.querySelectorAll('script.times, figure.timed')) {
    if (part.matches('script')) {
      times = JSON.parse(part.textContent);
      continue;
    }
    const data = JSON.parse(part.querySelector('script').textContent);
    for (const line of data.lines) {
      const up = 10 ** Math.max(line.scale, 0), down = 10 ** Math.max(-line.scale, 0);
      line.y = line.y.map(y => y === null ? null : y * up / down);
    }
    const svg = part.querySelector(':scope > svg');
    const at = document.createElement('span');
    at.className = 'at';
    part.querySelector('figcaption').append(' ', at);
    svg.tabIndex = 0;
    const [left, top, right, bottom] = data.box;
    charts.push({
      ...data, svg, at, left, top, right, bottom, times,
      values: [...part.querySelectorAll('.v')],
      paths: [...svg.querySelectorAll('path.line')],
      ticks: svg.querySelector('.xt'),
      first: svg.querySelector('.xt').innerHTML,
      drawn: [...svg.querySelectorAll('path.line')].map(p => p.getAttribute('d')),
      cells: svg.querySelector('.cells'),
      bands: [...svg.querySelectorAll('.band, .moment')],
      cursor: node(svg, 'line', {class: 'cursor', y1: top, y2: bottom, visibility: 'hidden'}),
      choice: node(svg, 'rect', {class: 'choice', y: top, height: bottom - top, width: 0}),
    });
  }
  let range = null; /* the seconds that are shown; null: all */
  const shown = c => range || c.x;
  const placeX = (c, t) => c.left + (t - shown(c)[0]) / (shown(c)[1] - shown(c)[0]) * (c.right - c.left);
  const placeY = (c, y) => {
    const f = c.log ? Math.log : x => x;
    return c.bottom - (f(y) - f(c.y[0])) / (f(c.y[1]) - f(c.y[0])) * (c.bottom - c.top);
  };
  const timeAt = (c, event) => {
    const box = c.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * c.svg.viewBox.baseVal.width;
    const share = Math.min(1, Math.max(0, (x - c.left) / (c.right - c.left)));
    return shown(c)[0] + share * (shown(c)[1] - shown(c)[0]);
  };
  const heightAt = (c, event) => {
    const box = c.svg.getBoundingClientRect();
    return (event.clientY - box.top) / box.height * c.svg.viewBox.baseVal.height;
  };
  /* The index of the value nearest to `t`; times ascend. */
  const nearest = (list, t) => {
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (list[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low > 0 && t - list[low - 1] < list[low] - t ? low - 1 : low;
  };
  const say = (at, raw, text) => {
    if (!at) return;
    at.textContent = text;
    at.dataset.value = raw ?? '';
  };

  /* Put the cursor of all charts at a time; null: take it away. */
  let place = null;
  const point = (t, over, event) => {
    place = t;
    /* What is written below could move the chart. */
    const height = over && heightAt(over, event);
    for (const c of charts) {
      if (t === null || t < shown(c)[0] || t > shown(c)[1]) {
        c.cursor.setAttribute('visibility', 'hidden');
        c.at.textContent = '';
        for (const v of c.values) say(v, null, '');
        continue;
      }
      const x = placeX(c, t);
      c.cursor.setAttribute('x1', x);
      c.cursor.setAttribute('x2', x);
      c.cursor.setAttribute('visibility', 'visible');
      c.at.textContent = 'at ' + number(t, 1) + ' s' + bandsAt(c, t, x);
      c.lines.forEach((line, i) => {
        const list = c.times[line.times - 1];
        const y = list && line.y[nearest(list, t)];
        say(c.values[i], y, format(y, c.unit));
      });
      if (c.grid) sayCell(c, t, over === c ? height : null);
    }
  };
  /* What is shaded there, and marks that are near. */
  const bandsAt = (c, t, x) => c.bands.filter(b => (t >= +b.dataset.from && t <= +b.dataset.to) ||
    Math.abs(x - placeX(c, +b.dataset.from)) < 5).map(b => ', ' + b.textContent.trim()).join('');
  const sayCell = (c, t, height) => {
    const {x, y, counts} = c.grid, rows = y.length - 1;
    let column = x.findIndex(end => end >= t) - 1;
    column = Math.min(Math.max(column, 0), x.length - 2);
    const here = counts.slice(column * rows, (column + 1) * rows);
    const row = height === null ? -1 : y.findIndex((low, i) => i < rows &&
      height <= placeY(c, low) && height > placeY(c, y[i + 1]));
    if (row >= 0)
      say(c.values[0], here[row], format(y[row], c.unit) + ' to ' + format(y[row + 1], c.unit) + ': ' +
        number(here[row], 0) + ' events');
    else {
      const all = here.reduce((a, b) => a + b, 0);
      say(c.values[0], all, number(all, 0) + ' events');
    }
  };

  /* ---- zoom ---- */
  const ticks = c => {
    const [from, to] = shown(c), raw = (to - from) / 8;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find(lead => raw <= lead * power);
    c.ticks.replaceChildren();
    for (let i = Math.ceil(from / step), n = 0; i * step <= to; i++, n++) {
      const x = placeX(c, i * step);
      node(c.ticks, 'line', {class: 'tick', x1: x, x2: x, y1: c.bottom, y2: c.bottom + 5});
      node(c.ticks, 'text', {class: n % 2 ? 'odd' : '', x, y: c.bottom + 18, 'text-anchor': 'middle'})
        .textContent = Number((i * step).toPrecision(10));
    }
  };
  const clip = c => {
    if (c.clip) return;
    c.clip = 'plot' + charts.indexOf(c);
    const path = node(node(c.svg, 'defs', {}), 'clipPath', {id: c.clip});
    node(path, 'rect', {x: c.left, y: c.top - 4, width: c.right - c.left, height: c.bottom - c.top + 5});
    for (const p of c.paths) p.setAttribute('clip-path', 'url(#' + c.clip + ')');
    if (c.cells) {
      const around = node(c.svg, 'g', {'clip-path': 'url(#' + c.clip + ')'});
      c.cells.before(around);
      around.append(c.cells);
    }
  };
  const path = (c, line) => {
    const list = c.times[line.times - 1] || [];
    let text = '', down = false;
    /* One point beyond each end, so that lines leave the frame. */
    const first = Math.max(0, list.findIndex(t => t >= shown(c)[0]) - 1);
    for (let i = first; i < list.length; i++) {
      const y = line.y[i];
      if (y == null || (c.log && y <= 0)) {
        down = false;
        continue;
      }
      text += (down ? 'L' : 'M') + placeX(c, list[i]).toFixed(1) + ' ' + placeY(c, y).toFixed(1);
      down = true;
      if (list[i] > shown(c)[1]) break;
    }
    return text;
  };
  const draw = c => {
    clip(c);
    if (range) ticks(c);
    else c.ticks.innerHTML = c.first;
    c.lines.forEach((line, i) => c.paths[i].setAttribute('d', range ? path(c, line) : c.drawn[i]));
    if (c.cells) {
      const scale = (c.x[1] - c.x[0]) / (shown(c)[1] - shown(c)[0]);
      c.cells.setAttribute('transform', 'translate(' + (placeX(c, c.x[0]) - scale * c.left) + ' 0) scale(' + scale + ' 1)');
    }
    for (const band of c.bands) {
      const from = Math.max(placeX(c, +band.dataset.from), c.left);
      const to = Math.min(placeX(c, +band.dataset.to), c.right);
      band.setAttribute('visibility', to < from ? 'hidden' : 'visible');
      band.setAttribute('x', from);
      band.setAttribute('width', Math.max(to - from, 1.5));
    }
  };
  const tools = document.createElement('div');
  const reset = document.createElement('button');
  const what = document.createElement('span');
  const hint = 'drag over a chart to enlarge a stretch of time (keys: arrows, + and -)';
  const zoom = to => {
    range = to;
    charts.forEach(draw);
    point(null);
    reset.hidden = !range;
    what.textContent = range ? 'shown: ' + number(range[0], 1) + ' s to ' + number(range[1], 1) + ' s'
      : hint;
    tools.dataset.range = range ? range.join(' ') : '';
  };
  if (charts.length) {
    tools.className = 'tools';
    reset.textContent = 'show all';
    reset.hidden = true;
    reset.onclick = () => zoom(null);
    tools.append(what, reset);
    charts[0].svg.closest('.charts').before(tools);
    what.textContent = hint;
  }
  /* Show a part of what is shown, around the cursor; with more than 1: more. */
  const scale = (c, times) => {
    const [low, high] = shown(c), [first, last] = c.x;
    const length = Math.min((high - low) * times, last - first);
    if (times < 1 && length < (last - first) / 1000) return;
    const middle = place ?? (low + high) / 2;
    const start = Math.min(Math.max(middle - length / 2, first), last - length);
    zoom(length < last - first ? [start, start + length] : null);
    point(middle);
  };
  for (const c of charts) {
    let from = null;
    const end = event => {
      const to = from === null ? null : timeAt(c, event), start = from;
      from = null;
      c.choice.setAttribute('width', 0);
      const least = (shown(c)[1] - shown(c)[0]) / 100;
      if (to !== null && Math.abs(to - start) > least)
        zoom([Math.min(start, to), Math.max(start, to)]);
    };
    c.svg.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      from = timeAt(c, event);
      c.svg.setPointerCapture(event.pointerId);
    });
    c.svg.addEventListener('pointermove', event => {
      const t = timeAt(c, event);
      point(t, c, event);
      if (from === null) return;
      const a = placeX(c, Math.min(from, t)), b = placeX(c, Math.max(from, t));
      c.choice.setAttribute('x', a);
      c.choice.setAttribute('width', b - a);
    });
    c.svg.addEventListener('pointerup', end);
    c.svg.addEventListener('pointercancel', () => {
      from = null;
      c.choice.setAttribute('width', 0);
    });
    c.svg.addEventListener('pointerleave', () => point(null));
    c.svg.addEventListener('dblclick', () => zoom(null));
    c.svg.addEventListener('keydown', event => {
      const step = (shown(c)[1] - shown(c)[0]) / 100;
      const by = {ArrowLeft: -step, ArrowRight: step}[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') range ? zoom(null) : point(null);
      if (event.key === '+' || event.key === '=') scale(c, 0.5);
      if (event.key === '-') scale(c, 2);
      if (!by) return;
      event.preventDefault();
      const t = place === null ? shown(c)[0] : place + by;
      point(Math.min(Math.max(t, shown(c)[0]), shown(c)[1]));
    });
  }

  /* ---- tables ---- */
  const value = cell => {
    const n = parseFloat(cell.textContent.replaceAll(',', ''));
    return Number.isNaN(n) ? -Infinity : n;
  };
  for (const table of document.querySelectorAll('table.sort')) {
    const heads = [...table.querySelectorAll('th')];
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.onclick = () => {
        const down = head.getAttribute('aria-sort') !== 'descending';
        const body = table.tBodies[0];
        const rows = [...body.rows].map(row => [value(row.cells[column]), row]);
        rows.sort((a, b) => down ? b[0] - a[0] : a[0] - b[0]);
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        body.append(...rows.map(([, row]) => row));
      };
    });
  }
})();
