#include "monitor/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/counts.h"
#include "db/driver.h"
#include "db/process.h"
#include "monitor/account.h"
#include "monitor/digests.h"
#include "monitor/link.h"
#include "monitor/local.h"
#include "monitor/options.h"
#include "monitor/reading.h"
#include "monitor/source.h"
#include "report/life.h"
#include "stats/recorder.h"
#include "stats/report.h"

/* Shared by all readers. Only `stop` changes while they run. */
struct readers {
  const struct monitor_source *source; /* NULL: only files */
  const char *file;                    /* [opt] SQLite: the file of data */
  struct db_process *db;
  struct conn_params params;
  size_t statements;
  bool may_give_up;  /* if the first connection fails */
  uint64_t start_ns; /* of the measured part */
  /* borrowed from the run: workers of this process */
  const struct recorders *recorders;
  uint64_t tick_ns; /* between readings */
  _Atomic uint32_t stop;
};

struct reader {
  struct readers *m;
  unsigned number;
  pthread_t thread;
  bool started;
  _Atomic uint32_t ended;

  /* Of the thread alone. */
  struct link link;
  struct server_access access;
  bool met; /* it was connected once */
  double server_started;
  pid_t local;             /* pid; 0: not on this machine */
  uint64_t lead_ns;        /* before the end of an interval */
  struct raw_counters raw; /* others read after `ended`, like `digests` */
  struct digests digests;

  pthread_mutex_t lock; /* protects the rest */
  struct account account;
  char target[256], failure[256];
  long pid;
  bool near; /* on this machine, pid known or not */
  struct server_gaps gaps;
};

#define LOOK_EVERY_NS (100 * NS_PER_MS)
/* Looks take 2 % of the time, or more after the server has become slow, until
 * about LOOK_SLOWLY were slow. */
#define LOOK_SHARE 50
#define LOOK_SLOWLY 64
#define LEAD_MIN_NS (20 * NS_PER_MS)  /* before the end of an interval */
#define CONNECT_NS (3 * NS_PER_S / 2) /* below the patience at the end */
#define AGAIN_NS NS_PER_S             /* after a connection was lost */
/* A slower server gets no last reading. */
#define LAST_READING_NS (250 * NS_PER_MS)

/* ---- embedded databases ---- */

enum {
  FILES_CHECKPOINTS_AT = 12, /* offset in the log: how often it began anew */
};

static void files_put(struct server_reading *r, enum server_metric f,
                      double value)
{
  r->has[f] = true;
  r->value[f] = value;
}

static bool files_number_at(int fd, off_t at, uint32_t *ret)
{
  uint8_t b[4];

  if (pread(fd, b, sizeof(b), at) != (ssize_t)sizeof(b))
    return false;
  *ret = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
         b[3];
  return true;
}

static bool files_put_size(struct server_reading *r, enum server_metric f,
                           const struct stat *st)
{
  if (S_ISREG(st->st_mode))
    files_put(r, f, (double)st->st_size);
  return S_ISREG(st->st_mode);
}

/*
 * Without locks, and only the header of the log, which SQLite never locks. The
 * database itself is never opened: closing it would drop SQLite's locks in this
 * process.
 */
static void files_read(const char *path, struct server_reading *ret)
{
  char log[PATH_MAX];
  struct stat st;
  uint32_t n;
  int fd;

  *ret = (struct server_reading){ .at_ns = clock_now_ns() };
  if (stat(path, &st) == 0)
    (void)files_put_size(ret, SERVER_DATA_BYTES, &st);
  (void)snprintf(log, sizeof(log), "%s-wal", path);
  fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    if (fstat(fd, &st) == 0 &&
        files_put_size(ret, SERVER_LOG_SIZE_BYTES, &st) &&
        files_number_at(fd, FILES_CHECKPOINTS_AT, &n))
      files_put(ret, SERVER_CHECKPOINTS, n);
    (void)close(fd);
  }
  ret->took_ns = clock_now_ns() - ret->at_ns;
}

static const enum server_metric sessions_metrics[DB_COUNTS] = {
  [COUNT_PAGES_READ] = SERVER_PAGES_READ,
  [COUNT_PAGES_WRITTEN] = SERVER_PAGES_WRITTEN,
  [COUNT_SPILLS] = SERVER_FREE_PAGE_WAITS,
  [COUNT_LOCK_WAITS] = SERVER_LOCK_WAITS,
};

/* Counts by the sessions of an embedded database. */
static void monitor_sessions_read(struct counts *c, struct server_reading *ret)
{
  uint64_t sum[DB_COUNTS];

  counts_sum(c, sum);
  for (int i = 0; i < DB_COUNTS; i++) {
    ret->has[sessions_metrics[i]] = true;
    ret->value[sessions_metrics[i]] = (double)sum[i];
  }
}

/* ---- the thread ---- */

static void reader_init(struct reader *w, struct readers *m, unsigned number)
{
  w->m = m;
  w->number = number;
  w->lead_ns = LEAD_MIN_NS;
  (void)pthread_mutex_init(&w->lock, NULL);
  if (m->file)
    (void)snprintf(w->target, sizeof(w->target), "file '%s'", m->file);
}

static void reader_done(struct reader *w)
{
  raw_counters_done(&w->raw);
  digests_done(&w->digests);
  (void)pthread_mutex_destroy(&w->lock);
}

static bool reader_is_over(const struct reader *w)
{
  return atomic_load(&w->m->stop) != 0;
}

static void reader_note_failure(struct reader *w)
{
  (void)pthread_mutex_lock(&w->lock);
  (void)snprintf(w->failure, sizeof(w->failure), "%s", w->link.why);
  (void)pthread_mutex_unlock(&w->lock);
}

static void reader_note_gaps(struct reader *w, const struct server_gaps *gaps)
{
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = *gaps;
  (void)pthread_mutex_unlock(&w->lock);
}

static void reader_note_target(struct reader *w)
{
  struct strbuf target = { 0 };

  link_target(&w->link, &target);
  (void)pthread_mutex_lock(&w->lock);
  (void)snprintf(w->target, sizeof(w->target), "%s", strbuf_str(&target));
  (void)pthread_mutex_unlock(&w->lock);
  strbuf_done(&target);
}

struct reader_pair {
  double of[2];
};

static void reader_take_two(void *ctx, const sql_value *v, unsigned n)
{
  struct reader_pair *to = ctx;

  for (unsigned i = 0; i < n && i < 2; i++)
    (void)reading_number(&v[i], &to->of[i]);
}

struct reader_place {
  bool here; /* its machine has our name */
  double port;
};

static void reader_take_place(void *ctx, const sql_value *v, unsigned n)
{
  struct reader_place *to = ctx;
  char name[256] = "";

  if (n != 2 || !v[0].ptr || gethostname(name, sizeof(name) - 1) != 0)
    return;
  to->here = v[0].len == strlen(name) && memcmp(v[0].ptr, name, v[0].len) == 0;
  (void)reading_number(&v[1], &to->port);
}

/* 0: not on this machine. The session confirms the process, because the socket
 * can lead to a proxy. */
static pid_t reader_find_server(struct reader *w, int fd)
{
  const struct monitor_source *s = w->m->source;
  struct reader_pair n = { { 0, -1 } };
  struct reader_place place = { 0 };
  pid_t pid;

  if (s->session_sql) {
    if (!link_query(&w->link, s->session_sql, reader_take_two, &n) ||
        !local_is_of_age("", (pid_t)n.of[0], n.of[1]))
      return 0;
    return local_parent("", (pid_t)n.of[0]);
  }
  if (!s->place_sql ||
      !link_query(&w->link, s->place_sql, reader_take_place, &place) ||
      !place.here || !link_query(&w->link, s->age_sql, reader_take_two, &n))
    return 0;
  pid = place.port > 0 ? local_listener((unsigned)place.port) : 0;
  if (!local_is_of_age("", pid, n.of[1]))
    pid = local_server(fd);
  return local_is_of_age("", pid, n.of[1]) ? pid : 0;
}

static void reader_note_server(struct reader *w, struct server_gaps *gaps)
{
  const int fd = link_socket(&w->link);
  const bool near = fd >= 0 && sock_is_local(fd);

  w->local = near ? reader_find_server(w, fd) : 0;
  if (w->local > 0)
    server_gaps_remove(gaps, "CPU time and I/O of the server");
  else if (near)
    server_gaps_add(gaps, "CPU time and I/O of the server",
                    "its process is not on this machine, or cannot be seen; "
                    "behind a proxy, use --server-host");
  (void)pthread_mutex_lock(&w->lock);
  w->met = true;
  w->pid = (long)w->local;
  w->near = near;
  (void)pthread_mutex_unlock(&w->lock);
}

/* After an orderly shutdown a server can go on with its counts. */
static void reader_note_start(struct reader *w)
{
  (void)pthread_mutex_lock(&w->lock);
  if (w->server_started > 0 &&
      fabs(w->access.started - w->server_started) > 0.5)
    account_restart(&w->account);
  (void)pthread_mutex_unlock(&w->lock);
  w->server_started = w->access.started;
}

static bool reader_connect_to(struct reader *w)
{
  struct server_gaps gaps = w->gaps;

  const bool open = link_open(&w->link, clock_now_ns() + CONNECT_NS);

  if (w->link.driver)
    reader_note_target(w);
  if (!open) {
    reader_note_failure(w);
    return false;
  }
  reader_note_server(w, &gaps);
  if (!reading_prepare(&w->link, w->m->source, &w->access, &gaps)) {
    reader_note_failure(w);
    link_close(&w->link);
    return false;
  }
  reader_note_gaps(w, &gaps);
  reader_note_start(w);
  return true;
}

static void reader_lose(struct reader *w)
{
  reader_note_failure(w);
  (void)pthread_mutex_lock(&w->lock);
  account_lose(&w->account);
  (void)pthread_mutex_unlock(&w->lock);
  digests_done(&w->digests);
  raw_counters_done(&w->raw);
  link_close(&w->link);
}

static bool reader_read_once(struct reader *w, uint64_t grid_ns)
{
  const struct readers *m = w->m;
  const double before = (double)recorders_events(m->recorders);
  struct server_gaps gaps = w->gaps;
  struct server_reading r;

  if (!m->source) {
    files_read(m->file, &r);
    monitor_sessions_read(&m->db->counts, &r);
  } else if (!reading_take(&w->link, m->source, &w->access, &gaps, &r)) {
    reader_lose(w);
    return false;
  }
  if (w->local > 0) {
    local_read("", w->local, &r);
    r.took_ns = clock_now_ns() - r.at_ns;
  }
  r.events = (before + (double)recorders_events(m->recorders)) / 2;
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = gaps;
  account_add(&w->account, m->source, &w->access, &r, grid_ns);
  if (w->account.latest.known)
    w->failure[0] = '\0';
  (void)pthread_mutex_unlock(&w->lock);
  /* Four times the usual time. */
  w->lead_ns = max_u64(LEAD_MIN_NS, (3 * w->lead_ns + 4 * r.took_ns) / 4);
  w->lead_ns = min_u64(w->lead_ns, m->tick_ns / 4);
  return true;
}

/* A look during a stall waits, but costs no more than others, and is wanted. */
static uint64_t reader_cost_of_look(uint64_t cost_ns, uint64_t took_ns)
{
  if (cost_ns == 0 || took_ns <= cost_ns)
    return took_ns;
  return cost_ns + (took_ns - cost_ns) / LOOK_SLOWLY;
}

/* *cost_ns: of earlier looks; updated. */
static bool reader_look_once(struct reader *w, uint64_t *cost_ns)
{
  struct server_gaps gaps = w->gaps;
  struct server_waits waits = { 0 };

  if (!server_waits_take(&w->link, w->m->source, &w->access, &gaps, &waits)) {
    reader_lose(w);
    return false;
  }
  *cost_ns = reader_cost_of_look(*cost_ns, waits.took_ns);
  (void)pthread_mutex_lock(&w->lock);
  w->gaps = gaps;
  account_look(&w->account, w->m->source, &w->access, &waits);
  (void)pthread_mutex_unlock(&w->lock);
  return true;
}

static void reader_pause_until(struct reader *w, uint64_t until_ns)
{
  wait_while(&w->m->stop, 0, until_ns);
}

/* The next interval whose reading can begin in time. */
static uint64_t reader_next_grid(const struct reader *w, uint64_t now_ns)
{
  const struct readers *m = w->m;

  if (now_ns < m->start_ns)
    return m->start_ns;
  return m->start_ns +
         ((now_ns + w->lead_ns - m->start_ns) / m->tick_ns + 1) * m->tick_ns;
}

static uint64_t reader_due_for(const struct reader *w, uint64_t grid_ns)
{
  return grid_ns > w->m->start_ns ? grid_ns - w->lead_ns : grid_ns;
}

/* False: the connection is lost. */
static bool reader_begin_totals(struct reader *w)
{
  const struct monitor_source *s = w->m->source;
  struct server_gaps gaps = w->gaps;
  bool ok = true;

  ok = raw_counters_take(&w->raw, &w->link, s) || !w->link.lost;
  ok = ok && digests_begin(&w->digests, &w->link, s, &gaps);
  if (w->digests.begun && !w->access.sees_all)
    server_gaps_add(&gaps, "statements of other users", s->sees_all_hint);
  reader_note_gaps(w, &gaps);
  if (!ok)
    reader_lose(w);
  return ok;
}

static void reader_end_totals(struct reader *w)
{
  struct server_gaps gaps = w->gaps;

  if (w->account.period_ns == 0) { /* connected after the load */
    raw_counters_done(&w->raw);
    digests_done(&w->digests);
    return;
  }
  (void)raw_counters_take(&w->raw, &w->link, w->m->source);
  digests_end(&w->digests, &w->link, w->m->source, w->m->statements, &gaps);
  reader_note_gaps(w, &gaps);
}

static void reader_leave_totals(struct reader *w)
{
  struct server_gaps gaps = w->gaps;

  if (w->digests.begun)
    server_gaps_add(&gaps, "statements", "the server answers too slowly");
  reader_note_gaps(w, &gaps);
}

/* Until the run ends, or the connection is lost. */
static void reader_follow(struct reader *w)
{
  uint64_t look_ns = w->m->source ? clock_now_ns() : UINT64_MAX;
  uint64_t grid_ns, cost_ns = 0;

  /* The base of all others. */
  if (clock_now_ns() >= w->m->start_ns && !reader_read_once(w, 0))
    return;
  if (w->m->source && !reader_begin_totals(w))
    return;
  grid_ns = reader_next_grid(w, clock_now_ns());
  while (!reader_is_over(w)) {
    const uint64_t now = clock_now_ns();

    if (now >= reader_due_for(w, grid_ns)) {
      if (!reader_read_once(w, grid_ns))
        return;
      grid_ns = max_u64(grid_ns + w->m->tick_ns,
                        reader_next_grid(w, clock_now_ns()));
    } else if (now >= look_ns) {
      if (!reader_look_once(w, &cost_ns))
        return;
      look_ns = now + max_u64(LOOK_EVERY_NS, LOOK_SHARE * cost_ns);
    } else {
      reader_pause_until(w, min_u64(look_ns, reader_due_for(w, grid_ns)));
    }
  }
  if (w->account.took_last_ns > LAST_READING_NS)
    reader_leave_totals(w);
  else if (reader_read_once(w, UINT64_MAX) && w->m->source)
    reader_end_totals(w);
}

/* A server that refuses can count attempts against the user, or lack
 * connections. */
static bool reader_gives_up(const struct reader *w)
{
  return w->link.permanent || (w->m->may_give_up && !w->met && !w->link.slow);
}

static void *reader_main(void *arg)
{
  struct reader *w = arg;
  const struct readers *m = w->m;

  thread_set_name("bench-monitor");
  if (!m->source) {
    reader_follow(w);
  } else {
    link_init(&w->link, m->db, &m->params, w->number);
    w->link.keeps_plans = m->source->keeps_plans;
    while (!reader_is_over(w)) {
      if (reader_connect_to(w))
        reader_follow(w);
      else if (reader_gives_up(w))
        break;
      if (!reader_is_over(w))
        reader_pause_until(w, clock_now_ns() + AGAIN_NS);
    }
    link_done(&w->link);
  }
  atomic_store(&w->ended, 1);
  wait_wake_all(&w->ended);
  return NULL;
}

/* ---- all servers ---- */

enum {
  SERVERS_MAX = 8
};

#define READ_EVERY_NS NS_PER_S /* at most */
#define PATIENCE_NS NS_PER_S   /* at the end, twice */

struct monitor {
  struct monitor_input in;
  struct readers all;
  char *host, *port; /* owned; parts of --server-host */
  double share;      /* events of the run per event of this process */
  uint64_t ticks;    /* readings due in the intervals so far */
  unsigned n;
  struct reader of[SERVERS_MAX];
};

static int monitor_split_host(struct monitor *m, const char *text)
{
  const char *colon = strrchr(text, ':');
  size_t len = strlen(text);

  if (*text == '/') {
    m->host = strdup(text);
    m->all.params.socket = m->all.params.host = m->host;
    return m->host ? 0 : -1;
  }
  if (colon && (strchr(text, ':') == colon || colon[-1] == ']')) {
    m->port = strdup(colon + 1);
    len = (size_t)(colon - text);
    if (!m->port)
      return -1;
  }
  if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
    text++;
    len -= 2;
  }
  m->host = strndup(text, len);
  m->all.params.host = m->host;
  m->all.params.port = m->port;
  return m->host ? 0 : -1;
}

/* NULL: no queries for this kind of server. */
static const struct monitor_source *monitor_source_find(const char *driver)
{
  static const struct monitor_source *const all[] = { &monitor_mysql,
                                                      &monitor_pgsql };

  for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
    if (strcmp(all[i]->driver, driver) == 0)
      return all[i];
  }
  return NULL;
}

bool monitor_knows(const char *driver)
{
  return monitor_source_find(driver) != NULL;
}

int monitor_new(struct monitor **ret, const struct monitor_input *in,
                struct err *err)
{
  struct monitor *m = calloc(1, sizeof(*m));

  if (m && opt_or_null(in->cfg->host) &&
      monitor_split_host(m, in->cfg->host) < 0) {
    monitor_free(m);
    m = NULL;
  }
  if (!m)
    return err_set(err, -ENOMEM, "not enough memory for --server-stats");
  m->in = *in;
  m->share = 1;
  m->all.db = in->db;
  m->all.file = in->file;
  m->all.statements = max_u64(in->cfg->statements, DIGESTS_USUAL);
  m->all.may_give_up = in->cfg->stats == SERVER_STATS_AUTO;
  m->all.source = monitor_source_find(in->driver);
  if (!m->all.source)
    atomic_store_explicit(&in->db->counts.wanted, true, memory_order_relaxed);
  m->all.params.user = opt_or_null(in->cfg->user);
  m->all.params.password = opt_or_null(in->cfg->password);
  m->n = m->all.params.host ? 1 : (unsigned)min_u64(in->servers, SERVERS_MAX);
  for (unsigned i = 0; i < m->n; i++)
    reader_init(&m->of[i], &m->all, i);
  *ret = m;
  return 0;
}

void monitor_free(struct monitor *m)
{
  if (!m)
    return;
  for (unsigned i = 0; i < m->n; i++)
    reader_done(&m->of[i]);
  free(m->host);
  free(m->port);
  free(m);
}

static int monitor_on_start(void *ctx, const struct run_start *start,
                            struct err *err)
{
  struct monitor *m = ctx;
  int rc = 0;

  if (!atomic_load(&m->in.db->used))
    m->n = 0;
  m->all.start_ns = start->measured_ns;
  m->all.recorders = start->recorders;
  m->all.tick_ns = start->interval_ns > 0 ? start->interval_ns : READ_EVERY_NS;
  if (m->all.tick_ns < READ_EVERY_NS)
    m->all.tick_ns *= (READ_EVERY_NS + m->all.tick_ns - 1) / m->all.tick_ns;
  for (unsigned i = 0; rc == 0 && i < m->n; i++) {
    rc = thread_start_masked(&m->of[i].thread, reader_main, &m->of[i], err);
    m->of[i].started = rc == 0;
    if (rc < 0)
      (void)snprintf(m->of[i].failure, sizeof(m->of[i].failure), "%.255s",
                     err->text);
  }
  /* not asked for: the run goes on without */
  return m->in.cfg->stats == SERVER_STATS_AUTO ? 0 : rc;
}

static int monitor_on_interval(void *ctx, const struct report_setup *setup,
                               const struct report *r, struct err *err)
{
  struct monitor *m = ctx;
  const uint64_t ticks = r->end_ns > m->all.start_ns
                           ? (r->end_ns - m->all.start_ns) / m->all.tick_ns
                           : 0;
  const struct account_part interval = { r->end_ns, ticks > m->ticks };

  (void)setup;
  (void)err;
  m->ticks = ticks;
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    (void)pthread_mutex_lock(&w->lock);
    account_pass(&w->account, &interval);
    (void)pthread_mutex_unlock(&w->lock);
  }
  return 0;
}

/* Events of all ranks for each of this rank, whose threads come first. */
static double monitor_share_of(const struct monitor *m,
                               const struct report *total)
{
  const unsigned own = m->all.recorders->n;
  uint64_t events = 0;

  if (total->threads <= own)
    return 1;
  for (unsigned i = 0; total->thread && i < own; i++)
    events += total->thread[i].events;
  return events > 0 ? (double)total->events / (double)events
                    : (double)total->threads / own;
}

static int monitor_on_final(void *ctx, const struct report_setup *setup,
                            const struct report *r, struct err *err)
{
  struct monitor *m = ctx;
  const struct report *total = r->total ? r->total : r;

  m->share = monitor_share_of(m, total);
  (void)setup;
  (void)err;
  for (unsigned i = 0; i < m->n; i++) {
    struct reader *w = &m->of[i];

    (void)pthread_mutex_lock(&w->lock);
    account_finish(&w->account, total->end_ns);
    (void)pthread_mutex_unlock(&w->lock);
  }
  return 0;
}

static bool monitor_await(struct reader *w, uint64_t until_ns)
{
  while (atomic_load(&w->ended) == 0 && clock_now_ns() < until_ns)
    wait_while(&w->ended, 0, until_ns);
  return atomic_load(&w->ended) != 0;
}

/* Interrupts a thread that does not end in time, then leaves it behind. */
static void monitor_end_thread(struct monitor *m, struct reader *w,
                               uint64_t until_ns)
{
  if (!w->started)
    return;
  w->started = false;
  if (!monitor_await(w, until_ns)) {
    if (m->all.source)
      link_interrupt(&w->link);
    if (!monitor_await(w, clock_now_ns() + PATIENCE_NS)) {
      leave_thread(m->in.leave);
      (void)pthread_detach(w->thread);
      return;
    }
  }
  (void)pthread_join(w->thread, NULL);
}

static void monitor_end_all(struct monitor *m)
{
  const uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

  atomic_store(&m->all.stop, 1);
  wait_wake_all(&m->all.stop);
  for (unsigned i = 0; i < m->n; i++)
    monitor_end_thread(m, &m->of[i], until_ns);
}

static int monitor_on_over(void *ctx, const struct run_end *end,
                           struct err *err)
{
  (void)end;
  (void)err;
  monitor_end_all(ctx);
  return 0;
}

static int monitor_on_end(void *ctx, struct err *err)
{
  (void)err;
  monitor_end_all(ctx);
  return 0;
}

const struct reporter monitor_reporter = {
  .name = "server-stats",
  .start = monitor_on_start,
  .interval = monitor_on_interval,
  .final = monitor_on_final,
  .over = monitor_on_over,
  .end = monitor_on_end,
};

/* ---- for other reporters ---- */

unsigned monitor_servers(const struct monitor *m)
{
  return m ? m->n : 0;
}

void monitor_interval(struct monitor *m, unsigned server,
                      struct server_interval *ret)
{
  struct reader *w = &m->of[server];

  (void)pthread_mutex_lock(&w->lock);
  *ret = w->account.shown;
  ret->local = w->near;
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_latest(struct monitor *m, unsigned server,
                    struct server_interval *ret)
{
  struct reader *w = &m->of[server];

  (void)pthread_mutex_lock(&w->lock);
  *ret = w->account.latest;
  ret->local = w->near;
  (void)pthread_mutex_unlock(&w->lock);
}

void monitor_total(struct monitor *m, unsigned server, struct server_total *ret)
{
  struct reader *w = &m->of[server];

  *ret = (struct server_total){ 0 };
  (void)pthread_mutex_lock(&w->lock);
  account_total(&w->account, ret);
  ret->events *= m->share;
  ret->gaps = w->gaps;
  ret->pid = w->pid;
  memcpy(ret->target, w->target, sizeof(ret->target));
  memcpy(ret->failure, w->failure, sizeof(ret->failure));
  (void)pthread_mutex_unlock(&w->lock);
}

bool monitor_raw(const struct monitor *m, unsigned server, size_t i,
                 struct server_raw *ret)
{
  const struct reader *w = &m->of[server];

  if (atomic_load(&w->ended) == 0 || i >= w->raw.n)
    return false;
  ret->name = w->raw.of[i].name;
  ret->change = w->raw.of[i].ended ? w->raw.of[i].last - w->raw.of[i].first : 0;
  return true;
}

const struct digests *monitor_statements(const struct monitor *m,
                                         unsigned server)
{
  const struct reader *w = &m->of[server];

  return atomic_load(&w->ended) != 0 && w->digests.period_ns > 0 ? &w->digests
                                                                 : NULL;
}
