/* page.js - the report of one or more documents. */
const main = document.querySelector('main');

const DRIVERS = {pgsql: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite', null: 'null driver'};
/* "PostgreSQL 15.18", or nothing. */
const serverOf = doc => {
  const d = doc.database;
  if (!d || !d.driver) return null;
  const version = String(d.server_version || '').split(' (')[0];
  return (/mariadb/i.test(version) ? 'MariaDB' : DRIVERS[d.driver] || d.driver) + ' ' + version.replace(/-mariadb.*/i, '');
};
const plural = (n, word) => format(n, 'int') + ' ' + word + (n === 1 ? '' : 's');
const clientsOf = doc => {
  const threads = doc.run.threads, clients = +doc.clients;
  if (!threads) return null;
  return clients > 0 ? plural(clients, 'client') + ' on ' + plural(threads, 'thread') : plural(threads, 'thread');
};
const dateOf = doc => {
  const at = new Date(doc.run.start_time || NaN);
  return isNaN(at) ? null : at.toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
};
const objectiveOf = doc => doc.slo && doc.slo.terms ? doc.slo.terms.map(t => t.term).join(', ') : null;
const hostOf = doc => {
  const e = doc.environment || {}, cpu = e.cpu || {};
  return e.host ? e.host + (cpu.allowed ? ' (' + plural(cpu.allowed, 'CPU') + ')' : '') : null;
};
const P = (doc, key) => {
  const l = doc.totals.latency_ns;
  return l && l.count > 0 ? key === 'max' || key === 'mean' ? l[key] : (l.percentiles || {})[key] : undefined;
};

/* A figure by its path: unit, factor, and name. */
const ENDINGS = [['_bytes_per_s', 'byterate', 1], ['_ns_per_s', 'timerate', 1], ['_per_s', 'rate', 1], ['_ratio', 'share', 1],
  ['_percent', 'share', 0.01], ['_bytes', 'bytes', 1], ['_ns', 'time', 1], ['_ms', 'time', 1e6], ['_s', 'time', 1e9]];
const describe = path => {
  const [end, unit, factor] = ENDINGS.find(e => path.endsWith(e[0])) || ['', 'count', 1];
  return [unit, factor, path.slice(0, path.length - end.length).replace(/^(system|servers\.\d+)\./, '').replace(/[._]/g, ' ')];
};
const TITLES = {
  'Options that differ': 'Differences', 'Figures': 'Figures of the test', 'Dips': 'Dips and their causes',
};
const MACHINE = [
  ['CPU usage', ['cpu.user_ratio', 'cpu.system_ratio', 'cpu.iowait_ratio', 'cpu.steal_ratio'], ['user', 'system', 'I/O wait', 'stolen']],
  ['Disk', ['disk.read_bytes_per_s', 'disk.written_bytes_per_s'], ['read', 'written']],
  ['Network', ['network.received_bytes_per_s', 'network.sent_bytes_per_s', 'network.loopback_bytes_per_s'], ['received', 'sent', 'loopback']],
  ['Pressure stall (PSI)', ['pressure.cpu_some_ratio', 'pressure.io_some_ratio', 'pressure.io_full_ratio', 'pressure.memory_some_ratio',
    'pressure.memory_full_ratio'], ['CPU', 'I/O', 'I/O, all tasks', 'memory', 'memory, all tasks']],
  ['Dirty pages', ['memory.dirty_bytes', 'memory.writeback_bytes'], ['dirty', 'being written']],
  ['TCP retransmits and major faults', ['network.retransmits_per_s', 'memory.major_faults_per_s'], ['retransmits', 'major faults']],
];

/* ---- reading ---- */
const WAITS_LISTED = 8; /* at most, of an interval */
const SHORT = {events_per_s: 'rate', offered_per_s: 'offered', 'queries.total_per_s': 'queries', errors_per_s: 'errors', reconnects_per_s: 'reconnects',
  'latency_ns.percentiles.50': 'p50', 'latency_ns.percentiles.95': 'p95', 'latency_ns.percentiles.99': 'p99',
  'latency_ns.percentiles.99.9': 'p999', 'latency_ns.max': 'max'};
const column = c => {
  const up = 10 ** Math.max(c.s, 0), down = 10 ** Math.max(-c.s, 0);
  return c.y.map(y => y === null ? null : y * up / down);
};
const unpack = run => {
  const have = run.series || {}, series = run.series = {};
  for (const path in have) {
    const of = /^(?:members\.(.*)\.(events_per_s|latency_ns\.percentiles\.95)|servers\.(\d+)\.waits\.(.*)\.sessions)$/s.exec(path);
    const key = !of ? SHORT[path] || path : of[1] !== undefined ? `members.${of[2]}.${of[1]}` : `waits.${of[3]}.${of[4]}`;
    series[key] = column(have[path]);
    /* Of waits that a list lacks there were none, unless the list is full. */
    const listed = of && of[3] && have[`servers.${of[3]}.waits`];
    if (listed) series[key] = series[key].map((y, i) => y === null && listed.y[i] !== null &&
      Math.round(listed.y[i] * 10 ** listed.s) < WAITS_LISTED ? 0 : y);
  }
  run.t = series.t || [];
  for (const key in series) if (/^(servers|members)(\.\d+\.waits)?$/.test(key)) delete series[key];
  /* The median, the lowest and the highest of the repeats. */
  ['rate', 'p50', 'p95', 'p99', 'mean'].forEach((key, i) => {
    const all = run.repeats.map(r => r[i]).filter(Number.isFinite).sort((a, b) => a - b), n = all.length;
    run[key] = n ? [(all[(n - 1) >> 1] + all[n >> 1]) / 2, all[0], all[n - 1]] : [null, null, null];
  });
};
const bandsOf = run => {
  const {outages, coincidences, marks} = run.doc, list = [];
  const add = (kind, from, length, text) => Number.isFinite(from) && list.length < 400 &&
    list.push({kind, from, to: from + length, text});
  for (const s of (outages && outages.stalls) || [])
    add('stall', s.at_s, s.length_s, 'no service for ' + span(s.length_s) + (s.first_error ? '; first error: ' + s.first_error.text : ''));
  for (const b of (outages && outages.brownouts) || [])
    add('brownout', b.at_s, b.length_s, 'brown-out for ' + span(b.length_s));
  for (const d of (coincidences && coincidences.dips) || []) {
    const from = run.t[d.first - 1] ?? Math.max(0, 2 * run.t[0] - run.t[1]);
    if (d.last in run.t) add('dip', from, run.t[d.last] - from, 'dip');
  }
  for (const m of marks || []) add('mark', m.at_s, 0, m.text);
  return list;
};

/* ---- the frame ---- */
const toc = [];
/* A part that can be folded, and its body; its heading is in the contents. */
const fold = (title, open = true) => {
  const details = make(main, 'details', null, open ? {open: ''} : {});
  make(make(details, 'summary'), 'h2', title);
  details.id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  toc.push([title, details]);
  return details;
};
const note = (details, text) => make(details.firstElementChild, 'span.dim', text);
const charts = parent => make(parent, 'div.charts');
const dropEmpty = details => {
  for (const d of details.querySelectorAll('.charts')) if (!d.children.length) d.remove();
  if (details.children.length > 1) return;
  toc.splice(toc.findIndex(t => t[1] === details), 1);
  details.remove();
};
const navigation = before => {
  const nav = make(null, 'nav', null, {'aria-label': 'Contents'});
  before.before(nav);
  for (const [title, details] of toc)
    make(nav, 'a', title, {href: '#' + details.id}).onclick = () => details.open = true;
  const place = make(nav, 'span.zoom');
  const hint = make(place, 'span.hint', 'Drag over a chart to zoom (keys: arrows, + and −)');
  const shown = make(place, 'span', '', {id: 'range'});
  const reset = make(place, 'button', 'Show all', {type: 'button', hidden: ''});
  reset.onclick = () => zoom(null);
  hint.hidden = !timed.length;
  view.zoomed = () => {
    hint.hidden = reset.hidden = !!view.range;
    reset.hidden = !view.range;
    shown.textContent = view.range ? 'Shown: ' + grouped(view.range[0], 1) + ' s to ' + grouped(view.range[1], 1) + ' s ' : '';
  };
};

/* The sections that the program has written, by their kinds. */
class Sections {
  constructor() {
    this.of = {};
    for (const s of document.querySelectorAll('main > section')) {
      const key = (s.dataset.part ? s.dataset.part + '/' : '') + s.dataset.kind;
      (this.of[key] = this.of[key] || []).push(s);
      const head = s.querySelector('h2, h3');
      if (head) for (const from in TITLES) head.textContent = head.textContent.replace(from, TITLES[from]);
      s.querySelectorAll('table').forEach(sortable);
      s.remove();
    }
  }
  take(key) {
    const list = this.of[key] || [];
    delete this.of[key];
    return list;
  }
  /* Move sections into `parent`; bare: without their headings. */
  put(parent, keys, bare) {
    for (const key of keys) for (const s of this.take(key)) {
      if (bare && s.firstElementChild) s.firstElementChild.remove();
      parent.append(s);
    }
  }
}

/* ---- the top ---- */
/* The sentences, remarks and gaps of bench database. */
const list = of => Array.isArray(of) ? of : [];
const summary = (parent, d) => {
  const box = make(parent, 'div.summary');
  for (const text of list(d.sentences)) make(box, 'p', clean(String(text)));
  const remarks = list(d.remarks).filter(r => r && r.text), all = remarks.length > 0 && make(box, 'ul');
  for (const r of remarks) make(all, 'li', clean(r.text + (r.advice ? '; ' + r.advice : '') + '.'));
  for (const [key, text] of [['cut', 'Not measured, because the time was too short: '], ['tls_failure', 'Not measured: '], ['isolation', 'Isolation: '],
    ['left_behind', 'Tables are left; to remove them: ']])
    if (d[key] && d[key].length > 0) make(box, 'p', clean(text + [].concat(d[key]).join(', ')));
};
const header = (data, docs) => {
  const first = docs[0], find = data.files.some(f => f.search);
  const h1 = document.querySelector('h1');
  h1.textContent = clean(data.files[0].database ? 'bench database' : data.parts ? 'bench machine' : first.run.test) + (docs.length > 1 && data.files.length > 1 ? ': comparison' :
    find ? ': search' : docs.length > 1 && !data.parts ? ': sweep' : '');
  document.title = 'bench: ' + h1.textContent;
  const intro = h1.nextElementSibling, version = intro && intro.tagName === 'P' ? intro.textContent.split(',')[0] : '';
  if (version) intro.remove();
  const each = data.files.length > 1 ? data.files.map(f => [f.name, data.runs[f.first].doc, f]) : [[null, first, data.files[0]]];
  each.slice(0, 8).forEach(([name, doc, file], i) => {
    const many = file.n > 1 && !data.parts;
    const list = facts(main, [[name ? '' : null, name], ['', serverOf(doc)], ['', many || data.parts ? null : clientsOf(doc)],
      ['', many || data.parts ? null : span(doc.totals.elapsed_s)], ['on', hostOf(doc)], ['', dateOf(doc)],
      ['label', doc.label], ['objective', objectiveOf(doc) || (file.search && file.search.objective)],
      ['', many ? plural(file.search ? file.search.steps.length : file.n, 'step') : null], ['', i === 0 ? version : null]]);
    if (file.database) summary(main, file.database);
    if (name && !many) make(null, 'i.swatch.c' + i), list.firstElementChild.prepend(make(null, 'i.swatch.c' + i), ' ');
  });
};
const cardList = run => {
  const {totals, client, database, outages, test} = run.doc, io = totals.file_operations, list = [];
  if (test && test.new_orders_per_minute) list.push(['New orders/min', null, test.new_orders_per_minute, 'count']);
  list.push(['Throughput', 'rate', totals.events_per_s, 'rate']);
  if (totals.queries) list.push(['Queries', 'queries', totals.queries.total_per_s, 'rate']);
  if (io) for (const [key, name] of [['read', 'Read'], ['write', 'Written']])
    if (io[key] && io[key].bytes_per_s > 0) list.push([name, null, io[key].bytes_per_s, 'byterate']);
  if (outages && outages.longest_stall_s >= 1) list.push(['Longest outage', null, 1e9 * outages.longest_stall_s, 'time']);
  list.push(['Errors', 'errors', totals.errors, 'int']);
  for (const [key, name] of [['50', 'p50'], ['95', 'p95'], ['99', 'p99'], ['max', 'max']])
    list.push(['Latency ' + name, name, P(run.doc, key), 'time']);
  if (client) list.push(['Client CPUs', null, client.cpus_used, 'count']);
  return list.slice(0, 8);
};
const card = (parent, name) => {
  const c = make(parent, 'div.card');
  make(c, 'span', name, {title: clean(name)});
  return c;
};
/* Changes have the colour of the verdict on their figure. */
const VERDICTS = {faster: '.better', slower: '.worse'}, FIGURES_OF = {Throughput: 'events/s', Queries: 'queries/s'};
const cards = (runs, sections) => {
  const grid = make(main, 'div.cards'), lists = runs.map(cardList);
  const said = new Map((sections.of.Comparison || []).flatMap(s => [...s.querySelectorAll('tbody tr')])
    .map(row => [row.cells[1].textContent, row.cells[0].textContent]));
  for (const [name, series, value, unit] of lists[0]) {
    const c = card(grid, name);
    if (runs.length === 1) {
      make(c, 'b', format(value, unit)).dataset.value = value ?? '';
      if (series && runs[0].series[series]) sparkline(c, runs[0].series[series]);
      continue;
    }
    const values = lists.map(l => (l.find(row => row[0] === name) || [])[2]);
    values.forEach((v, k) => {
      const b = make(c, 'b.of');
      make(b, 'i.swatch.c' + k);
      b.append(format(v, unit));
      b.dataset.value = v ?? '';
    });
    if (values.length === 2 && values[0] > 0 && values[1] !== undefined) {
      const change = values[1] / values[0] - 1, verdict = said.get(FIGURES_OF[name] || name.replace('Latency ', ''));
      make(c, 'span' + (VERDICTS[verdict] || ''), (change > 0 ? '+' : '') + format(change, 'share'));
    }
  }
};
const plainCards = list => {
  const grid = make(main, 'div.cards.few');
  for (const [name, value] of list)
    if (value !== null && value !== undefined) make(card(grid, name), value.length > 9 ? 'b.long' : 'b', value);
  return grid;
};

/* Verdicts, and warnings, each once. */
const verdicts = (data, sections) => {
  const items = [], name = run => data.runs.length > 1 ? run.label + ': ' : '';
  const answers = sections.take('Search').map(s => [data.files.some(f => f.search && f.search.end !== 'found') ? 'warn' : 'good', 'Answer',
    [...s.querySelectorAll('p')].map(p => p.textContent).join(' ')]);
  for (const run of data.runs) {
    const {reconciliation: all, audit} = run.doc.test || {};
    for (const r of !all ? [] : all.verdict ? [all] : Object.values(all)) {
      const counts = [[r.committed, 'committed'], [r.unknown, 'with an unknown outcome'], [r.in_tables, 'in the tables']]
        .filter(([n]) => Number.isFinite(n)).map(([n, text]) => format(n, 'int') + ' ' + text).join(', ');
      items.push([{bad: 'bad', ok: 'good'}[r.verdict] || 'warn', r.verdict !== 'bad' ? 'Acknowledged commits'
        : r.in_tables < r.committed ? 'Acknowledged commits are lost' : 'The tables do not match the commits',
      name(run) + [counts, r.verdict === 'bad' ? '' : r.verdict].filter(t => t).join(': ')]);
    }
    if (audit && data.runs.length <= 8) {
      const of = {};
      for (const line of Object.values(audit)) of[line.verdict] = (of[line.verdict] || 0) + 1;
      items.push([of.bad ? 'bad' : of.ok === Object.keys(audit).length ? 'good' : 'warn', 'Audit',
        name(run) + Object.entries(of).sort().map(([verdict, n]) => plural(n, 'rule') + ' ' + verdict).join(', ')]);
    }
    if (run.doc.slo && data.runs.length <= 8) for (const t of run.doc.slo.terms || [])
      items.push([t.verdict === 'failed' ? 'bad' : t.verdict === 'held' ? 'good' : 'warn', 'Objective ' + t.term,
        name(run) + t.verdict + ' with ' + format(t.value, t.unit === 'ns' ? 'time' : t.unit === 'ratio' ? 'share' : 'count')]);
  }
  /* Of many results, warnings that differ only in numbers are shown once. */
  const alike = text => data.runs.length > 3 ? text.replace(/\(the busiest was [^)]*\)|[0-9][0-9.,]*/g, '') : text, seen = new Map();
  for (const s of Object.keys(sections.of).filter(k => /(^|\/)(Warnings|Parts that failed)$/.test(k)).flatMap(k => sections.take(k)))
    for (const row of s.querySelectorAll('tbody tr')) {
      const [label, text] = [...row.cells].map(cell => cell.textContent);
      const one = seen.get(alike(text)) || {text, labels: new Set()};
      one.labels.add(s.dataset.part || label);
      seen.set(alike(text), one);
    }
  for (const {text, labels} of seen.values()) {
    const bad = data.runs.some(r => r.doc.run.error && clean(r.doc.run.error) === text) || text.startsWith('failed and is left out');
    const who = data.runs.length > 1 ? [...labels] : [];
    items.push([bad ? 'bad' : 'warn', bad ? 'Failed' : 'Warning', (who.length ? who[0] + (who.length > 1 ?
      ` and ${who.length - 1} more (${who.slice(1, 4).join('; ')}${who.length > 4 ? '; …' : ''})` : '') + ': ' : '') + text]);
  }
  if (!items.length) items.push(['good', 'No warnings', '']);
  const order = ['bad', 'warn', 'good'];
  const list = box(main, answers.concat(items.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]))));
  if (items.length < 7) return;
  const more = make(list.parentElement, 'details');
  make(more, 'summary', plural(items.length - 4, 'more warning'));
  make(more, 'ul').append(...[...list.children].slice(4));
};

/* ---- over time ---- */
const lineOf = (run, key, name, more) => ({name, x: run.t, y: run.series[key], ...more});
const enough = runs => runs.filter(r => r.t.length >= 5);
/* Events in columns of intervals and in rows of latencies, of which there are eight per octave, or fewer. */
const heatOf = run => {
  const n = run.t.length, columns = run.heat || [], each = Math.ceil(n / 240), rowOf = v => Math.floor(8 * Math.log2(v));
  const x = [Math.max(0, 2 * run.t[0] - run.t[1]), ...columns.map((_, i) => run.t[Math.min((i + 1) * each, n) - 1])];
  const used = columns.flat().map(([v]) => rowOf(v)), low = Math.min(...used), every = Math.ceil((Math.max(...used) + 1 - low) / 40);
  if (!used.length || x.some((v, i) => !(i === 0 || v > x[i - 1]))) return null;
  const rows = Math.ceil((Math.max(...used) + 1 - low) / every), counts = Array(columns.length * rows).fill(0);
  columns.forEach((bins, i) => bins.forEach(([v, count]) => counts[i * rows + Math.floor((rowOf(v) - low) / every)] += count));
  return {x, y: Array.from({length: rows + 1}, (_, i) => 2 ** ((low + i * every) / 8)), counts};
};
const overTime = (details, runs) => {
  const grid = charts(details);
  const bands = runs.length === 1 ? bandsOf(runs[0]) : [];
  const add = (title, unit, lines, more) => lines.length && new Chart(grid, {title, time: true, bands, lines, y: {unit}, ...more});
  const drawn = enough(runs), of = key => drawn.map((r, i) => [r, runs.indexOf(r)]).filter(([r]) => r.series[key]);
  if (!drawn.length) {
    make(details, 'p.dim', runs.some(r => r.t.length) ? 'The results have fewer than five intervals: there is nothing to draw over time.'
      : 'The results have no intervals. Use --report-interval or --json if you want charts over time.');
    return;
  }
  if (runs.length === 1) {
    const run = runs[0], s = run.series, t = run.doc.totals, latency = {y: {unit: 'time', scale: 'log'}};
    add('Throughput', 'rate', [['rate', s.offered ? 'achieved' : 'events', t.events_per_s], ['offered', 'offered'],
      ['queries', 'queries', t.queries && t.queries.total_per_s]].filter(([k]) => s[k])
      .map(([k, name, total]) => lineOf(run, k, name, {total, off: k === 'queries'})));
    add('Latency', 'time', [['p50', 'p50', '50', 0], ['p99', 'p99', '99', 1], ['max', 'max', 'max', 2], ['p95', 'p95', '95', 3],
      ['p999', 'p99.9', '99.9', 4]].filter(([k]) => s[k])
      .map(([k, name, p, colour]) => lineOf(run, k, name, {total: P(run.doc, p), colour, off: colour > 2})), latency);
    add('Errors', 'rate', [['errors', 'errors', t.errors_per_s], ['reconnects', 'reconnects']].filter(([k]) => s[k])
      .map(([k, name, total]) => lineOf(run, k, name, {total})));
  } else {
    for (const [key, title, unit] of [['rate', 'Throughput', 'rate'], ['offered', 'Offered load', 'rate'], ['p50', 'Latency p50', 'time'],
      ['p99', 'Latency p99', 'time'], ['errors', 'Errors', 'rate']])
      add(title, unit, of(key).map(([r, i]) => lineOf(r, key, r.label, {colour: i,
        total: key === 'rate' ? r.rate[0] : key[0] === 'p' ? r[key][0] : undefined})), unit === 'time' ? {y: {unit, scale: 'log'}} : {});
  }
  for (const run of drawn) {
    const heat = heatOf(run);
    if (heat) new Chart(grid, {title: 'Heat map of latency' + (runs.length > 1 ? ': ' + run.label : ''), time: true, bands, grid: heat,
      y: {unit: 'time', scale: 'log'}});
  }
  for (const run of drawn) {
    const names = [...new Set(Object.keys(run.series).filter(k => k.startsWith('members.events_per_s.')).map(k => k.slice(21)))];
    const of = run === runs[0] && runs.length === 1 ? '' : ': ' + run.label;
    for (const [key, title, y] of [['events_per_s', 'Throughput of members', {unit: 'rate'}], ['latency_ns.percentiles.95', 'Latency p95 of members', {unit: 'time', scale: 'log'}]])
      add(title + of, null, names.filter(n => run.series[`members.${key}.${n}`]).map(n => lineOf(run, `members.${key}.${n}`, n)), {y});
  }
};

const distribution = (details, runs) => {
  const grid = charts(details), have = runs.filter(r => r.hist);
  const spectrum = h => {
    const total = h.reduce((a, [, c]) => a + c, 0), x = [0], y = [h[0][0]];
    let below = 0;
    for (const [v, c] of h) x.push(100 * (below + c / 2) / total), y.push(v), below += c;
    return {x, y};
  };
  const bins = h => {
    const low = h[0][0] / 1.05, high = h.at(-1)[0] * 1.05, n = 80, total = h.reduce((a, [, c]) => a + c, 0), y = Array(n).fill(0);
    for (const [v, c] of h) y[Math.min(n - 1, Math.floor(n * Math.log(v / low) / Math.log(high / low)))] += c / total;
    const x = y.flatMap((_, i) => [low * (high / low) ** (i / n), low * (high / low) ** ((i + 1) / n)]);
    return {x, y: y.flatMap(v => [v, v])};
  };
  if (!have.length) {
    make(details, 'p.dim', 'The results have no histogram: the run had no events, or percentiles were switched off.');
    return;
  }
  const most = Math.max(...have.map(r => r.hist.reduce((a, [, c]) => a + c, 0)));
  new Chart(grid, {title: 'Latency by percentile', x: {scale: 'percentile', label: 'share of events', low: 0,
    high: Math.min(100 - 50 / most, 99.9999)}, y: {unit: 'time', scale: 'log'},
  lines: have.map(r => ({name: runs.length > 1 ? r.label : 'latency', colour: runs.indexOf(r), ...spectrum(r.hist)}))});
  new Chart(grid, {title: 'Histogram of latencies', x: {scale: 'log', unit: 'time', label: 'latency'}, y: {unit: 'share'},
    note: 'share of events in each of 80 bins',
    verticals: runs.length === 1 ? ['50', '95', '99'].map(p => ({x: P(runs[0].doc, p), text: 'p' + p})).filter(v => v.x > 0) : [],
    lines: have.map(r => ({name: runs.length > 1 ? r.label : 'events', colour: runs.indexOf(r), kind: 'area', ...bins(r.hist)}))});
  const sync = runs.filter(r => r.fsync);
  if (sync.length) new Chart(grid, {title: 'Histogram of fsync latencies', x: {scale: 'log', unit: 'time', label: 'latency'}, y: {unit: 'share'},
    lines: sync.map(r => ({name: runs.length > 1 ? r.label : 'fsync', colour: runs.indexOf(r), kind: 'area', ...bins(r.fsync)}))});
};

/* Charts of figures that several runs have, or of several figures of one run. */
const rows = (grid, runs, bands, paths, title) => {
  const here = paths.filter(p => runs.some(r => r.series[p]));
  for (const path of here) {
    const [unit, factor, name] = describe(path);
    new Chart(grid, {title: title(name), time: true, small: true, bands, y: {unit},
      lines: runs.map((r, i) => [r, i]).filter(([r]) => r.series[path]).map(([r, i]) => ({name: runs.length > 1 ? r.label : name, colour: i,
        x: r.t, y: factor === 1 ? r.series[path] : r.series[path].map(v => v === null ? null : v * factor)}))});
  }
};
const machineOf = (details, runs) => {
  const grid = charts(details), bands = runs.length === 1 ? bandsOf(runs[0]) : [], drawn = enough(runs), used = new Set(['system.cpu.idle_ratio']);
  if (!drawn.length) return;
  if (runs.length === 1) for (const [title, paths, names] of MACHINE) {
    const have = paths.map((p, i) => ['system.' + p, names[i]]).filter(([p]) => runs[0].series[p]);
    have.forEach(([p]) => used.add(p));
    if (have.length) new Chart(grid, {title, time: true, bands, small: true, y: {unit: describe(have[0][0])[0]},
      lines: have.map(([p, name]) => lineOf(runs[0], p, name))});
  }
  rows(grid, drawn, bands, [...new Set(drawn.flatMap(r => Object.keys(r.series)))].filter(k => k.startsWith('system.') && !used.has(k)),
    name => name[0].toUpperCase() + name.slice(1));
};
const serversOf = (details, runs) => {
  const grid = charts(details), bands = runs.length === 1 ? bandsOf(runs[0]) : [], drawn = enough(runs);
  const keys = [...new Set(drawn.flatMap(r => Object.keys(r.series)))];
  const several = keys.some(k => /^(servers|waits)\.1\./.test(k));
  if (drawn.length === 1) for (const n of new Set(keys.filter(k => k.startsWith('waits.')).map(k => k.split('.')[1])))
    new Chart(grid, {title: 'Wait events' + (several ? `, server ${+n + 1}` : ''), note: 'sessions', time: true, bands, y: {},
      lines: (((drawn[0].doc.servers || [])[n] || {}).waits || []).map(w => [`waits.${n}.${w.name}`, w.name]).filter(([k]) => drawn[0].series[k])
        .slice(0, 8).map(([k, name]) => lineOf(drawn[0], k, name))});
  for (const n of new Set(keys.filter(k => k.startsWith('servers.')).map(k => k.split('.')[1])))
    rows(grid, drawn, bands, keys.filter(k => k.startsWith(`servers.${n}.`)),
      name => (several ? `Server ${+n + 1}: ` : '') + (several ? name : name[0].toUpperCase() + name.slice(1)));
};
const COLUMNS = [['rate', 'events/s', 'rate'], ['offered', 'offered/s', 'rate'], ['queries', 'queries/s', 'rate'], ['p50', 'p50', 'time'],
  ['p95', 'p95', 'time'], ['p99', 'p99', 'time'], ['p999', 'p99.9', 'time'], ['max', 'max', 'time'], ['errors', 'errors/s', 'rate']];
/* Long tables are made when they are unfolded. */
const intervals = (outer, runs) => {
  const all = runs.filter(r => r.t.length > 1);
  if (all.length === 1) note(outer, format(all[0].t.length, 'int'));
  for (const run of all) {
    const details = make(outer, all.length > 1 ? 'details' : 'div');
    if (all.length > 1) make(details, 'summary', run.label + ' (' + format(run.t.length, 'int') + ')');
    const have = COLUMNS.filter(([k]) => run.series[k]);
    (all.length > 1 ? details : outer).addEventListener('toggle', () => sortable(table(details, [['elapsed (s)', ...have.map(c => c[1])],
      ...run.t.map((t, i) => [grouped(t, 1), ...have.map(([k, , unit]) => format(run.series[k][i], unit))])], 0)), {once: true});
  }
};

/* ---- sweeps and searches ---- */
const SIZES = {K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4};
const number = text => {
  const m = /^([0-9.]+)([KMGT]?)$/.exec(text ?? '');
  return m && !isNaN(m[1]) ? m[1] * (SIZES[m[2]] || 1) : null;
};
/* A rate of 0 is none: such a step is no point of an axis of rates. */
const isClosed = (option, value) => option === 'rate' && number(value) === 0;
const valueText = values => Object.entries(values).map(([k, v]) => isClosed(k, v) ? 'closed loop' : k.replace(/_/g, ' ') + ' ' + v).join(', ');
const sweeps = (details, data) => {
  const files = data.files.filter(f => f.n > 1 && !f.search && data.runs[f.first].values);
  if (!files.length) return false;
  const steps = files.flatMap(f => data.runs.slice(f.first, f.first + f.n).map(run => ({run, file: f})));
  const names = [...new Set(steps.flatMap(s => Object.keys(s.run.values)))];
  const several = names.filter(n => new Set(steps.map(s => s.run.values[n])).size > 1);
  const option = several.find(n => steps.every(s => number(s.run.values[n]) !== null)) || several[0] || names[0];
  const closed = run => isClosed(option, run.values[option]);
  const values = [...new Set(steps.filter(s => !closed(s.run)).map(s => s.run.values[option] ?? ''))], numeric = values.every(v => number(v) !== null);
  const xOf = run => numeric ? number(run.values[option]) : values.indexOf(run.values[option] ?? '');
  const at = numeric ? values.map(number).sort((a, b) => a - b) : values.map((_, i) => i);
  const wide = numeric && at[0] > 0 && at.at(-1) / at[0] >= 8;
  const x = {scale: wide ? 'log' : 'linear', label: option.replace(/_/g, ' '), at, names: numeric ? at.map(v => tick(v, 'count')) : values};
  const lines = new Map();
  for (const s of steps) {
    const rest = names.filter(n => n !== option || closed(s.run)).map(n => isClosed(n, s.run.values[n]) ? 'closed loop' : n + '=' + s.run.values[n]);
    const name = [...(files.length > 1 ? [s.file.name] : []), ...rest].join(', ') || 'median of repeats';
    lines.set(name, [...(lines.get(name) || []), s.run]);
  }
  const repeats = steps.some(s => s.run.repeats.length > 1);
  const shown = [...lines].slice(0, 8).map(([name, runs]) => [name === 'median of repeats' && !repeats ? 'measured' : name,
    runs.sort((a, b) => xOf(a) - xOf(b))]);
  /* The same at all rates: what a closed loop reaches. */
  const lineOf = ([name, runs], key) => closed(runs[0]) ? {name, kind: 'beyond', x: [at[0], at.at(-1)], y: Array(2).fill(runs[0][key][0])}
    : {name, dots: true, x: runs.map(xOf), y: runs.map(r => r[key][0]), low: runs.map(r => r[key][1]), high: runs.map(r => r[key][2])};
  const grid = make(details, 'div.charts.three'), what = option.replace(/_/g, ' ');
  const same = (a, b) => a && b && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every(k => a[k] === b[k]);
  const find = (f, values) => steps.find(s => s.file === f && same(s.run.values, values));
  const points = [], law = files.length === 1 && shown.length === 1 ? files[0].law : null;
  for (const f of files) {
    const [best, knee] = [find(f, f.best), find(f, f.knee)].map(s => s && !closed(s.run) ? s : null);
    if (best) points.push({x: xOf(best.run), y: best.run.rate[0], text: best === knee ? 'best and knee' : 'best'});
    if (knee && knee !== best) points.push({x: xOf(knee.run), y: knee.run.rate[0], text: 'knee'});
  }
  const fit = {lines: []};
  const contention = law && law.contention_ratio, fits = law && !(contention.value > 1 || (contention.low <= 0 && contention.high > 1));
  if (fits && numeric) {
    const {single_events_per_s: g, coherence_ratio: b, peak_at: peak} = law, end = at.at(-1) * 1.5;
    const far = Math.max(at.at(-1) * 2, Math.min(peak ? peak.value * 1.2 : 0, at.at(-1) * 8));
    const curve = (from, to) => {
      const xs = Array.from({length: 60}, (_, i) => wide ? from * (to / from) ** (i / 59) : from + (to - from) * i / 59);
      return {x: xs, y: xs.map(n => g.value * n / (1 + contention.value * (n - 1) + b.value * n * (n - 1)))};
    };
    fit.lines = [{name: 'scalability law', kind: 'fit', colour: 6, ...curve(at[0], end)},
      {name: 'beyond the data', kind: 'beyond', colour: 6, ...curve(end, far)}];
    fit.beyond = at.at(-1);
    let next = at.at(-1);
    while ((next *= 2) <= far) x.at = [...x.at, next], x.names = [...x.names, tick(next, 'count')];
  }
  new Chart(grid, {title: 'Throughput vs. ' + what, x, y: {unit: 'rate'}, points, beyond: fit.beyond,
    lines: [...shown.map(l => lineOf(l, 'rate')), ...fit.lines]});
  const plain = {...x, at, names: numeric ? at.map(v => tick(v, 'count')) : values};
  const latency = shown.length === 1 ? [['p50', 'p50'], ['p99', 'p99'], ['p95', 'p95'], ['mean', 'mean']].map(([k, name]) => ({
    ...lineOf(shown[0], k), name, off: k === 'p95' || k === 'mean'})) : shown.map(l => lineOf(l, 'p99'));
  new Chart(grid, {title: 'Latency' + (shown.length > 1 ? ' p99' : '') + ' vs. ' + what, x: plain, y: {unit: 'time'}, lines: latency});
  new Chart(grid, {title: 'Latency p99 vs. throughput', x: {unit: 'rate', label: 'events per second', low: 0}, y: {unit: 'time'},
    note: 'in the order of ' + what, lines: shown.map(([name, runs]) => ({name, dots: true, x: runs.map(r => r.rate[0]), y: runs.map(r => r.p99[0])}))});
  make(details, 'p.dim', (repeats ? 'Points are medians of the repeats, vertical lines their ranges. ' : '') +
    'The best step has the highest throughput; the knee is the smallest value that reaches 95 % of it.' +
    (lines.size > 8 ? ` The charts show the first 8 of ${lines.size} combinations.` : ''));
  if (law && !fits) make(details, 'p', 'The scalability law does not fit these runs, so its curve is not drawn.');
  const best = find(files[0], files[0].best), knee = find(files[0], files[0].knee);
  return files.length > 1 || !best ? [] : [['Best', format(best.run.rate[0], 'rate')], ['At', valueText(best.run.values)],
    ['p99 of the best', format(best.run.p99[0], 'time')], ['Knee', knee && valueText(knee.run.values)],
    ['p99 of the knee', knee && format(knee.run.p99[0], 'time')], ['Steps', format(files[0].n, 'int')]];
};
/* Between which values the answer is if there is none: the highest that held in most steps, and the lowest above that failed. */
const between = s => {
  const of = new Map();
  for (const {value, verdict, phase} of s.steps) if (value > 0 && phase !== 'reference' && (verdict === 'held' || verdict === 'failed'))
    of.set(value, (of.get(value) || 0) + (verdict === 'held' ? 1 : -1));
  const all = [...of].sort((a, b) => a[0] - b[0]), low = all.filter(v => v[1] > 0).at(-1);
  return [low && low[0], (all.find(v => v[1] <= 0 && (!low || v[0] > low[0])) || [])[0]];
};
const searches = (details, data) => {
  const files = data.files.filter(f => f.search), grid = charts(details);
  for (const f of files) {
    const s = f.search, of = verdict => s.steps.filter(step => step.value > 0 && step.verdict === verdict);
    const highest = s.steps.reduce((a, step) => Math.max(a, step.latency_ns || 0), s.limit_ns || 0);
    const dots = (name, list, colour, more) => ({name, kind: 'dots', colour, x: list.map(p => p.value),
      y: list.map(p => p.latency_ns === null ? 2 * highest : p.latency_ns), ...more});
    const answer = s.steps.find(step => step.value === s.low && step.latency_ns);
    const found = s.end === 'found' && answer ? [{x: s.low, y: answer.latency_ns, text: 'answer'}] : [];
    const lines = [dots('held', of('held'), 2), dots('failed', of('failed'), 1, {hollow: true}), dots('not decided', of('open'), 6)]
      .filter(l => l.x.length);
    if (s.limit_ns) lines.push({name: 'objective ' + s.objective, kind: 'beyond', colour: 6, x: [Math.min(...lines.flatMap(l => l.x)),
      Math.max(...lines.flatMap(l => l.x))], y: [s.limit_ns, s.limit_ns]});
    const what = s.find === 'rate' ? 'events per second' : s.find;
    if (highest > 0) new Chart(grid, {title: 'Latency by load' + (files.length > 1 ? ': ' + f.name : ''), x: {label: what, unit: s.find === 'rate' ? 'rate' : 'count', scale: 'log'},
      y: {unit: 'time', scale: 'log'}, lines, points: found,
      note: s.steps.some(p => p.value > 0 && p.latency_ns === null) ? 'steps at the top did not end' : ''});
    new Chart(grid, {title: 'Achieved by offered load' + (files.length > 1 ? ': ' + f.name : ''), x: {label: what, scale: 'log', unit: s.find === 'rate' ? 'rate' : 'count'},
      y: {unit: 'rate'}, lines: lines.filter(l => l.kind === 'dots').map(l => ({...l, y: of({2: 'held', 1: 'failed', 6: 'open'}[l.colour]).map(p => p.events_per_s)}))});
  }
  const s = files[0] && files[0].search, show = v => format(v, s.find === 'rate' ? 'rate' : 'int');
  if (!s) return false;
  const [low, high] = s.end === 'found' ? [s.low, s.high] : between(s), ends = [low, high].map(v => v ? show(v) : null);
  return [s.end === 'found' ? ['Answer', ends[0]] : low && high ? ['Between', ends.join(' and ')] : ['Answer', low ? 'at least ' + ends[0] : 'none'],
    ['Fails at', s.end === 'found' || !low ? ends[1] : null], ['Drift of the machine', Math.abs(s.drift) >= 0.05 ? format(s.drift, 'share') : null],
    ['Objective', s.objective], ['Steps', format(s.steps.length, 'int')]];
};

/* ---- figures of the test ---- */
const DRAWN = ['figures', 'reconciliation', 'latency', 'loaded', 'pairs', 'numa', 'audit'], QUIET = ['reconnects', 'longest_outage_s', 'without_connection_s'];
const required = r => r.most === undefined ? '≥ ' + r.least + ' ' + r.unit : r.unit === 's' ? '≤ ' + r.most + ' s' : r.least + ' – ' + r.most + ' ' + r.unit;
const testOf = (details, runs) => {
  const isGroup = v => v !== null && typeof v === 'object';
  const text = (path, v) => {
    const [unit, factor] = describe(path);
    return typeof v === 'number' ? format(v * factor, unit === 'count' && Number.isInteger(v) ? 'int' : unit) : Array.isArray(v) ? v.join(', ') : String(v ?? '–');
  };
  const tests = runs.map(r => r.doc.test || {}), of = r => runs.length > 1 ? ': ' + r.label : '';
  const keys = [...new Set(tests.flatMap(t => Object.keys(t)))].filter(k => !DRAWN.includes(k)).sort();
  const single = keys.filter(k => !tests.some(t => isGroup(t[k])) && !(QUIET.includes(k) && tests.every(t => !t[k])));
  runs.forEach((run, i) => {
    const test = tests[i];
    if (test.audit) {
      make(details, 'h3', 'Audit' + of(run));
      sortable(table(details, [['rule', 'required', 'measured', 'of', 'verdict'], ...Object.entries(test.audit).sort().map(([rule, r]) =>
        [rule.replace(/_/g, ' ').replace(/ 90 within$/, ', 90 % within'), required(r), r.unit === '%' ? format(r.value / 100, 'share')
          : format(r.unit === 's' ? r.value * 1e9 : r.value, r.unit === 's' ? 'time' : 'count'), format(r.of, 'int'), r.verdict])]));
    }
    for (const k of keys) {
      const rows = isGroup(test[k]) && !Array.isArray(test[k]) ? Object.entries(test[k]).sort() : [], groups = rows.filter(([, v]) => isGroup(v) && !Array.isArray(v));
      const heads = [...new Set(groups.flatMap(([, v]) => Object.keys(v)))].filter(h => !groups.some(([, v]) => isGroup(v[h]))).sort();
      if (!rows.length) continue;
      make(details, 'h3', describe(k)[2] + of(run));
      if (groups.length === rows.length && heads.length) sortable(table(details, [[describe(k)[2], ...heads.map(h => describe(h)[2])],
        ...rows.map(([name, v]) => [name.replace(/_/g, ' '), ...heads.map(h => text(h, v[h]))])]));
      else table(details, [['figure', ''], ...rows.filter(([, v]) => !isGroup(v)).map(([name, v]) => [describe(name)[2], text(name, v)])]);
    }
  });
  if (single.length) table(details, [['figure', ...(runs.length > 1 ? runs.map(r => r.label) : [''])],
    ...single.map(k => [describe(k)[2], ...tests.map(t => text(k, t[k]))])]);
};

/* ---- tests of memory and processors ---- */
const bars = (parent, title, names, series, valueOf) => {
  const first = names.map(n => valueOf(series[0], n));
  const rate = v => Number.isFinite(v) ? format(v, 'rate') : '–';
  const t = table(parent, [[title, ...series.map(s => series.length > 1 ? s.label : 'per second'), ''],
    ...names.map((n, i) => [n, ...series.map((s, k) => {
      const v = valueOf(s, n);
      return k && Number.isFinite(v) ? rate(v) + ' (' + grouped(v / first[i], 2) + '×)' : rate(v);
    }), ''])]);
  const all = names.flatMap(n => series.map(s => valueOf(s, n))).filter(v => v > 0);
  const least = Math.log10(Math.min(...all) / 3), most = Math.log10(Math.max(...all));
  [...t.tBodies[0].rows].forEach((row, i) => {
    const cell = row.cells[row.cells.length - 1];
    cell.className = 'bars';
    series.forEach((s, k) => {
      const v = valueOf(s, names[i]);
      const share = series.length > 1 ? v / first[i] / 2 : (Math.log10(v) - least) / (most - least);
      const bar = make(cell, 'div.bar.swatch.c' + k, null, {style: `display:block;width:${Math.max(0, Math.min(100, 100 * share || 0)).toFixed(1)}%`});
      bar.title = rate(v);
    });
  });
  make(parent, 'p.dim', series.length > 1 ? 'Bars are multiples of the first result, up to twofold.' : 'Bars are over powers of ten.');
};
const matrix = (parent, title, of, both) => {
  const cells = {}, seen = new Set();
  for (const key in of) {
    const m = /^(\d+)-(\d+)$/.exec(key);
    if (!m || !Number.isFinite(of[key].ns)) continue;
    cells[m[1] + '-' + m[2]] = of[key].ns;
    if (both) cells[m[2] + '-' + m[1]] = of[key].ns;
    seen.add(+m[1]).add(+m[2]);
  }
  const all = [...seen].sort((a, b) => a - b);
  if (!all.length) return;
  make(parent, 'h3', title);
  if (all.length > 128) return make(parent, 'p.dim', `A table of ${all.length} rows is too large for a page.`);
  const t = table(parent, [['', ...all], ...all.map(a => [a, ...all.map(b => a + '-' + b in cells ? format(cells[a + '-' + b], 'time') : '–')])]);
  t.classList.add('matrix');
};
const samples = (parent, runs, name = 'kernel') => {
  const grid = charts(parent), label = (r, text) => (runs.length > 1 ? r.label + ', ' : '') + text;
  const stairs = runs.flatMap(r => ['huge', 'small'].flatMap(kind => {
    const of = r.doc.test && r.doc.test.latency && r.doc.test.latency[kind + '_pages'];
    if (!of || !of.ns) return [];
    const list = Object.entries(of.ns).map(([k, v]) => [+k, v]).filter(p => p[0] > 0).sort((a, b) => a[0] - b[0]);
    return [{name: label(r, kind + ' pages'), x: list.map(p => p[0]), y: list.map(p => p[1]), plateaus: of.plateaus}];
  }));
  const at = Array.from({length: 12}, (_, i) => 4096 * 4 ** i);
  const size = b => b >= 2 ** 30 ? b / 2 ** 30 + ' GiB' : b >= 2 ** 20 ? b / 2 ** 20 + ' MiB' : b / 1024 + ' KiB';
  if (stairs.length) new Chart(grid, {title: 'Latency by the size of the memory', x: {scale: 'log', at, names: at.map(size), label: 'memory that is read'},
    y: {scale: 'log', unit: 'time'}, lines: stairs.slice(0, 8), points: runs.length > 1 ? [] :
      Object.values(stairs[0].plateaus || {}).filter(p => p.bytes > 0 && p.ns > 0).slice(0, 4).map(p => ({x: p.bytes, y: p.ns, text: size(p.bytes)}))});
  const loads = runs.filter(r => r.doc.test && r.doc.test.loaded && r.doc.test.loaded.delays), knees = [];
  if (loads.length) new Chart(grid, {title: 'Latency by bandwidth of the loads', x: {unit: 'byterate', low: 0, label: 'bytes per second that the loads read and write'},
    y: {unit: 'time'}, points: knees, lines: loads.slice(0, 8).map(r => {
      const {delays, knee_bytes_per_s: knee} = r.doc.test.loaded;
      const list = Object.entries(delays).map(([k, v]) => [k === 'none' ? -1 : +k, v.bytes_per_s, v.ns])
        .filter(p => Number.isFinite(p[1]) && Number.isFinite(p[2])).sort((a, b) => b[0] - a[0]);
      const at = list.find(p => p[1] === knee);
      if (at) knees.push({x: at[1], y: at[2], text: 'knee'});
      return {name: runs.length > 1 ? r.label : 'access', dots: true, x: list.map(p => p[1]), y: list.map(p => p[2])};
    })});
  for (const r of runs) {
    const test = r.doc.test || {}, of = runs.length > 1 ? ': ' + r.label : '';
    if (test.pairs) matrix(parent, 'Exchange of a cache line between CPUs, one way' + of, test.pairs.of, true);
    if (test.numa) matrix(parent, 'Latency from nodes (rows) to memory of nodes' + of, test.numa.of, false);
  }
  const kernels = Object.keys((runs.find(r => r.doc.totals.cpu_kernels) || {doc: {totals: {}}}).doc.totals.cpu_kernels || {});
  const valueOf = (r, n) => ((r.doc.totals.cpu_kernels || {})[n] || {}).operations_per_s;
  if (kernels.length) bars(parent, name, kernels, runs, valueOf);
};
const isSample = run => run.doc.test && (run.doc.test.memory_test || run.doc.test.cpu_test || run.doc.test.latency || run.doc.test.loaded ||
  run.doc.test.pairs || run.doc.test.numa);

/* The figures of each part of bench machine, as the terminal shows them. */
const figureText = f => {
  if (!f || !Number.isFinite(f.value)) return '–';
  if (f.unit === 'ns') return format(f.value, 'time');
  return format(f.value, f.unit === 'bytes_per_s' ? 'byterate' : /per_s$/.test(f.unit) ? 'rate' : 'count');
};
const machine = (details, data, sections) => {
  const parts = [...new Set(data.runs.map(r => r.values && r.values.part))].map(name => ({name, runs: data.runs.filter(r => r.values && r.values.part === name)}));
  const all = make(details, 'div.parts');
  for (const {name, runs} of parts) {
    const one = make(all, 'div'), doc = runs[0].doc, figures = Object.keys((doc.test && doc.test.figures) || {});
    if (doc.totals.cpu_kernels) {
      samples(one, runs, name);
      continue;
    }
    const list = figures.length ? figures.map(f => [f, r => figureText(((r.doc.test || {}).figures || {})[f])]) : [['events', r => format(r.rate[0], 'rate')],
      ['median latency', r => format(r.p50[0], 'time')], ['99th percentile', r => format(r.p99[0], 'time')]];
    table(one, [[name, ...(runs.length > 1 ? runs.map(r => r.label) : [''])], ...list.map(([f, of]) => [f, ...runs.map(of)])]);
  }
  for (const {name, runs} of parts) {
    if (runs[0].doc.totals.cpu_kernels && !isSample(runs[0])) continue;
    const part = fold(name, false);
    toc.pop();
    samples(part, runs);
    if (!isSample(runs[0])) overTime(part, runs), distribution(part, runs);
    sections.put(part, Object.keys(sections.of).filter(k => k.startsWith(name + '/')));
  }
  sections.take('Part');
};

/* ---- all of it ---- */
const outagesOf = (details, {runs}) => {
  const o = runs.length === 1 && runs[0].doc.outages, c = o && o.clients;
  if (o && o.stall_count > 0) make(details, 'p', `${plural(o.stall_count, 'time')} without service, ${span(o.stalled_s)} together, ` +
    `the longest ${span(o.longest_stall_s)}. ` + (c && c.affected > 0 ? `${c.affected} of ${plural(c.all, 'client')} lost the service` +
    (c.until_the_end ? `, ${c.until_the_end} until the end` : '') + `; from the last success to the next one: median ` +
    `${span(c.unavailable.median_s)}, longest ${span(c.unavailable.longest_s)}.` : 'No client failed with an error.'));
};
const OUTAGES = {title: 'Outages', draw: outagesOf, bare: () => ['Outages']};
/* Of the steps of a sweep, the first ones. */
const ofSteps = draw => (details, {runs, many, data}) => {
  draw(details, runs);
  if (many) note(details, data.runs.length > 8 ? `the first 8 of ${data.runs.length} steps` : 'of the steps');
};
/*
 * The parts of a page, in their order: a title, when (always by default), whether it is open, what draws it, and
 * sections of the program in it, by their kinds; bare: without their headings.  A part without content is left out.
 */
const PARTS = [
  {...OUTAGES, when: p => p.severe},
  {title: 'Comparison', when: p => p.data.files.length > 1, bare: () => ['Comparison'], keys: p => p.single ? ['Summary', 'Options that differ'] : []},
  {title: 'Sweep', when: p => p.many && p.data.files.some(f => f.n > 1 && !f.search), draw: (d, p) => p.cards = sweeps(d, p.data), keys: () => ['Scalability'],
    bare: p => p.data.files.length > 1 ? [] : ['Scalability']},
  {title: 'Search', when: p => p.search, draw: (d, p) => p.cards = searches(d, p.data), keys: () => ['Steps']},
  {title: 'Results', when: p => p.data.parts, draw: (d, p) => machine(d, p.data, p.sections)},
  {title: 'Results', when: p => p.samples, keys: () => ['Figures'], draw: (d, p) => samples(d, p.runs)},
  {title: 'Throughput and latency', when: p => p.timed, open: p => !p.many, draw: ofSteps(overTime), keys: () => ['Marks', 'Dips']},
  {title: 'Distribution of latencies', when: p => p.timed, open: p => !p.many, draw: ofSteps(distribution)},
  {title: 'Results of the test', when: p => !p.data.parts && !p.samples && !p.many, keys: () => ['Figures'], draw: (d, p) => testOf(d, p.runs)},
  {...OUTAGES, when: p => !p.severe && !p.data.parts, open: p => !p.many},
  {title: 'Statements and operations', open: p => !p.many, keys: () => ['Summary', 'Members', 'Operations', 'Errors', 'Figures']},
  {title: 'Server', when: p => !p.data.parts, open: () => false, draw: (d, p) => serversOf(d, p.runs),
    keys: () => ['Wait events', 'Top statements (server)']},
  {title: 'Machine', when: p => !p.data.parts, open: () => false, draw: (d, p) => machineOf(d, p.runs)},
  {title: 'Intervals', when: p => p.timed, open: () => false, draw: (d, p) => intervals(d, p.runs)},
  {title: 'Options', open: () => false, keys: () => ['Options that differ', 'Options']},
  {title: 'Environment', open: () => false, keys: p => ['Environment that differs', 'Environment', ...Object.keys(p.sections.of)]},
];
const report = data => {
  data.runs.forEach(unpack);
  const sections = new Sections(), runs = data.runs.slice(0, 8);
  const search = data.files.some(f => f.search), single = data.files.every(f => f.n === 1) && !data.parts, samples = !data.parts && runs.some(isSample);
  const page = {data, sections, runs, single, search, samples, many: !single && !data.parts, timed: !data.parts && !samples,
    severe: single && runs.some(r => r.doc.outages && ((r.doc.outages.stalls || []).some(o => o.length_s >= 1) || (r.doc.outages.clients || {}).affected > 0))};
  hatches();
  header(data, data.runs.map(r => r.doc));
  if (single && data.runs.length <= 3 && !samples) cards(runs, sections);
  const slot = make(main, 'div');
  verdicts(data, sections);
  const top = make(main, 'div');
  for (const {title, when, open, draw, bare, keys} of PARTS) {
    if (when && !when(page)) continue;
    const details = fold(title, !open || open(page));
    if (draw) draw(details, page);
    if (bare) sections.put(details, bare(page), true);
    if (keys) sections.put(details, keys(page));
    dropEmpty(details);
  }
  if (page.cards && page.cards.length) slot.replaceWith(plainCards(page.cards));
  navigation(top);
  top.remove();
  /* Paper has everything unfolded. */
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')].filter(d => !/^intervals/.test(d.id));
    folded.forEach(d => d.open = true);
    timed.forEach(c => c.width || c.draw());
  });
  addEventListener('afterprint', () => folded.forEach(d => d.open = false));
};
{
  const data = document.getElementById('data');
  if (data) report(JSON.parse(data.textContent));
}
