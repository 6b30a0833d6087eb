/* live.js - follows a run by the events of the program that serves this page. */
(() => {
  const FIGURES = [['rate', 'Throughput', 'rate'], ['queries', 'Queries', 'rate'], ['p50', 'Latency p50', 'time'], ['p95', 'Latency p95', 'time'],
    ['p99', 'Latency p99', 'time'], ['max', 'Latency max', 'time'], ['errors', 'Errors', 'rate'], ['cpu', 'CPUs busy', 'share']];
  const CHARTS = [
    ['Throughput', {unit: 'rate'}, [['rate', 'events'], ['queries', 'queries', true]]],
    ['Latency', {unit: 'time', scale: 'log'}, [['p50', 'p50'], ['p99', 'p99'], ['max', 'max'], ['p95', 'p95', true], ['p999', 'p99.9', true]]],
    ['Errors', {unit: 'rate'}, [['errors', 'errors'], ['reconnects', 'reconnects']]],
    ['CPU usage', {unit: 'share'}, [['cpu_user', 'user'], ['cpu_system', 'system'], ['cpu_iowait', 'I/O wait'], ['cpu_steal', 'stolen']]],
    ['Disk', {unit: 'byterate'}, [['disk_read', 'read'], ['disk_written', 'written']]],
    ['Network', {unit: 'byterate'}, [['net_received', 'received'], ['net_sent', 'sent']]],
    ['Pressure stall (PSI)', {unit: 'share'}, [['short_cpu', 'CPU'], ['short_io', 'I/O'], ['short_io_full', 'I/O, all tasks'],
      ['short_memory', 'memory'], ['short_memory_full', 'memory, all tasks'], ['throttled', 'CPU quota']]],
    ['Dirty pages', {unit: 'bytes'}, [['dirty', 'dirty'], ['writeback', 'being written']]],
    ['TCP retransmits and major faults', {unit: 'rate'}, [['retransmits', 'retransmits'], ['major_faults', 'major faults']]],
  ];
  const PAST = 14400, ADVICE = {'all CPUs of this machine are busy': 'All CPUs of this machine are busy. bench may be the ' +
    'bottleneck: run it on another machine than the server, or use fewer threads.'};
  let looks = [], marks = [], rows = [], finished = false, asked = false, servers = '';

  hatches();
  const title = make(main, 'h1', 'bench', {id: 'title'}), about = make(main, 'div');
  const state = make(main, 'p.dim', 'Connecting', {id: 'state', role: 'status'});
  const done = make(main, 'progress', null, {id: 'done', max: 1, value: 0, 'aria-label': 'share of the run that is done', hidden: ''});
  const tools = make(main, 'p'), pause = make(tools, 'button', 'Pause', {type: 'button', id: 'pause'});
  let paused = false;
  pause.onclick = () => {
    paused = !paused;
    pause.textContent = paused ? 'Continue' : 'Pause';
    show();
  };
  tools.append(' ');
  make(tools, 'button', 'Save as JSON', {type: 'button', id: 'save-data'}).onclick = () =>
    download(JSON.stringify({run, looks, classes: rows, marks}), 'application/json', 'live.json').click();
  const marking = make(tools, 'span', null, {hidden: ''});
  marking.append(' ');
  const note = make(marking, 'input', null, {id: 'mark-text', maxlength: 255, placeholder: 'text of a mark', 'aria-label': 'text of a mark'});
  marking.append(' ');
  const mark = () => note.value.trim() && fetch('/mark/' + encodeURIComponent(note.value),
    {method: 'POST', headers: {'X-Bench-Token': token}}).then(r => {
    if (!r.ok) throw 0;
    note.value = '';
  }).catch(() => box(warnings, [['warn', 'Warning', 'The run has not taken the mark.']]));
  make(marking, 'button', 'Mark', {type: 'button', id: 'mark'}).onclick = mark;
  note.onkeydown = event => { if (event.key === 'Enter') mark(); };
  const download = (text, type, name) =>
    make(null, 'a', 'Save this report', {id: 'save', download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  const grid = make(main, 'div.cards'), numbers = {};
  for (const [key, name] of FIGURES) {
    const c = card(grid, name);
    numbers[key] = [make(c, 'b', '–', {id: 'now-' + key}), make(c, 'div')];
  }
  const warnings = make(main, 'div', null, {id: 'warnings', 'aria-live': 'polite'});
  const drawings = charts(main);
  const listed = fold('Marks'), list = make(listed, 'ul', null, {id: 'marks', 'aria-live': 'polite'});
  const classes = fold('Operations');
  listed.hidden = classes.hidden = true;

  /* ---- charts; those of servers come when there is something to show ---- */
  const drawn = [];
  const add = ([name, y, lines], data) => {
    const c = new Chart(drawings, {title: name, time: true, y, small: drawn.length > 1, bands: marks,
      lines: lines.map(([key, text, off]) => ({key, name: text, off, x: [], y: []}))});
    Object.assign(c.figure.dataset, data);
    c.figure.hidden = true;
    drawn.push(c);
    return c;
  };
  CHARTS.forEach(c => add(c));
  const known = new Set(), waits = [];
  const addLine = (c, key, name) => {
    const line = {key, name, x: [], y: []};
    c.spec.lines.push(line);
    c.key(line);
  };
  const which = (look, i) => 'Server' + (look.servers.length > 1 ? ' ' + (i + 1) : '');
  /* Six lines of what sessions wait for, and one for all others.  What a reading
     does not have is 0, from the look before the first one on; without a
     reading nobody knows, and lines have a gap. */
  const unpackWaits = (look, i, read) => {
    if (!read) return;
    let others = 0;
    for (const name of Object.keys(read)) {
      if (!waits[i]) waits[i] = add([which(look, i) + ': wait events', {}, []], {waits: i});
      let key = 'waits ' + i + ' ' + name;
      if (!known.has(key) && waits[i].spec.lines.length >= 6) {
        key = 'others ' + i;
        others += read[name];
      }
      if (known.has(key)) continue;
      known.add(key);
      addLine(waits[i], key, key[0] === 'o' ? 'others' : name);
      if (looks.length && looks.at(-1).servers[i].waits) looks.at(-1)[key] = 0;
    }
    for (const {key, name} of waits[i] ? waits[i].spec.lines : [])
      look[key] = key[0] === 'o' ? others : Object.hasOwn(read, name) ? read[name] : 0;
  };
  const unpackLook = look => (look.servers || []).forEach((server, i) => {
    unpackWaits(look, i, server.waits);
    for (const kind of ['rates', 'levels']) for (const [name, value] of Object.entries(server[kind])) {
      const key = 'server ' + i + ' ' + name, rate = kind === 'rates';
      look[key] = value;
      if (known.has(key)) continue;
      known.add(key);
      const unit = /bytes$/.test(name) ? (rate ? 'byterate' : 'bytes') : /ratio$/.test(name) ? 'share' : rate ? 'rate' : 'count';
      const text = name.replaceAll('_', ' ');
      add([which(look, i) + ': ' + text, {unit}, [[key, text]]], {server: name});
    }
  });

  /* ---- showing ---- */
  const show = () => {
    const last = looks.at(-1);
    if (!last || paused) return;
    for (const [key, , unit] of FIGURES) {
      numbers[key][0].textContent = format(last[key], unit);
      numbers[key][1].replaceChildren();
      sparkline(numbers[key][1], looks.slice(-60).map(l => l[key]));
    }
    state.textContent = (last.t < 0 ? 'Warm-up, ' + span(-last.t) + ' left' : span(last.t) + ' since the measured start') +
      (last.left !== undefined && last.t >= 0 ? ', ' + span(last.left) + ' left' : '') +
      (last.events_left !== undefined ? ', ' + format(last.events_left, 'int') + ' events left' : '');
    done.hidden = last.done === undefined;
    done.value = last.done || 0;
    done.className = last.t < 0 ? 'warmup' : '';
    warnings.replaceChildren();
    if (last.warnings.length) box(warnings, last.warnings.map(text => ['warn', 'Warning', ADVICE[text] || text]));
    listed.hidden = marks.length === 0;
    for (const m of marks.slice(list.children.length)) make(list, 'li', 'at ' + m.from.toFixed(3) + ' s: ' + m.text);
    for (const c of drawn) {
      /* A chart of zeros takes no room. */
      c.figure.hidden = !c.spec.lines.some(l => looks.some(look => look[l.key] > 0));
      if (c.figure.hidden) continue;
      for (const l of c.spec.lines) {
        l.x = looks.map(look => look.t);
        l.y = looks.map(look => look[l.key] ?? null);
        l.total = l.y.at(-1);
      }
      if (marks.length && !c.marked) c.chip('mark'), c.marked = true;
      c.spec.x.low = Math.min(0, looks[0].t);
      c.draw();
    }
    showClasses();
  };
  const showClasses = () => {
    classes.hidden = rows.length === 0;
    for (const old of classes.querySelectorAll('.scroll')) old.remove();
    if (rows.length) sortable(table(classes, [['operation', 'per second', 'mean', 'errors/s'],
      ...rows.map(([name, rate, mean, errors]) => [name, format(rate, 'rate'), format(mean, 'time'), format(errors, 'rate')])]));
  };
  const later = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (!finished) show();
    });
  };

  /* ---- events ---- */
  const source = new EventSource('/events');
  const on = (name, act) => source.addEventListener(name, event => act(JSON.parse(event.data)));
  let run = {}, token = '';
  const HIDDEN = ['threads', 'json', 'live'];
  const describeRun = () => about.replaceChildren(facts(null, [['', plural(run.threads, 'thread')], ['', servers], ['on', run.host],
    ...Object.entries(run.options || {}).filter(([name, o]) => o.source === 'command_line' && !HIDDEN.includes(name))
      .slice(0, 8).map(([name, o]) => [name, name === 'time' ? span(o.value) : String(o.value)]), ['', run.version]]));
  on('run', value => {
    token = value.mark || '';
    delete value.mark;
    marking.hidden = !token;
    run = value;
    looks = [];
    marks.length = 0; /* the past comes again after a lost connection */
    list.replaceChildren();
    title.textContent = clean(run.test);
    document.title = 'bench: ' + title.textContent;
    describeRun();
  });
  on('look', look => {
    look.cpu = look.cpu_user === undefined ? null : look.cpu_user + look.cpu_system;
    unpackLook(look);
    looks.push(look);
    const targets = (look.servers || []).map(s => s.target).join(', ');
    if (targets !== servers) servers = targets, describeRun();
    for (const m of look.marks || []) marks.push({kind: 'mark', from: m.at_s, to: m.at_s, text: m.text});
    if (looks.length > PAST) looks.shift();
    later();
  });
  on('classes', list => rows = list.sort((a, b) => b[1] * b[2] - a[1] * a[2]));
  on('report', html => {
    finished = true;
    source.close();
    document.open();
    document.write(html);
    document.close();
    document.querySelector('h1').after(download(html, 'text/html', 'report.html'));
  });
  on('over', () => {
    finished = true;
    source.close();
    state.textContent = 'The run is over.';
  });
  source.onerror = () => {
    if (!finished) state.textContent = 'No connection to the run: trying again.';
  };
})();
