/*
 * driver.c - answers every statement at once and stores nothing: measures the
 * client, and simulates latency, rows and errors.
 */
#include "drivers/null/driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/wait.h"
#include "db/driver.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/driver_list.h"
#include "loop/loop.h"

struct null_word {
  char text[9]; /* in capitals, then zeroes */
  uint8_t len;
  bool sets_trx;
  enum trx_state trx;
  enum counter counter;
};

#define WORD(text, ...)                 \
  {                                     \
    text, sizeof(text) - 1, __VA_ARGS__ \
  }
#define NO_TRX false, TRX_NONE

static const struct null_word words[26][4] = {
  ['B' - 'A'] = { WORD("BEGIN", true, TRX_OPEN, COUNTER_OTHER) },
  ['C' - 'A'] = { WORD("COMMIT", true, TRX_NONE, COUNTER_OTHER),
                  WORD("CALL", NO_TRX, COUNTER_READ),
                  WORD("COPY", NO_TRX, COUNTER_WRITE) },
  ['D' - 'A'] = { WORD("DELETE", NO_TRX, COUNTER_WRITE) },
  ['E' - 'A'] = { WORD("EXPLAIN", NO_TRX, COUNTER_READ),
                  WORD("END", true, TRX_NONE, COUNTER_OTHER) },
  ['F' - 'A'] = { WORD("FETCH", NO_TRX, COUNTER_READ) },
  ['I' - 'A'] = { WORD("INSERT", NO_TRX, COUNTER_WRITE) },
  ['L' - 'A'] = { WORD("LOAD", NO_TRX, COUNTER_WRITE) },
  ['M' - 'A'] = { WORD("MERGE", NO_TRX, COUNTER_WRITE) },
  ['R' - 'A'] = { WORD("ROLLBACK", true, TRX_NONE, COUNTER_OTHER),
                  WORD("REPLACE", NO_TRX, COUNTER_WRITE) },
  ['S' - 'A'] = { WORD("SELECT", NO_TRX, COUNTER_READ),
                  WORD("START", true, TRX_OPEN, COUNTER_OTHER),
                  WORD("SHOW", NO_TRX, COUNTER_READ) },
  ['U' - 'A'] = { WORD("UPDATE", NO_TRX, COUNTER_WRITE) },
  ['V' - 'A'] = { WORD("VALUES", NO_TRX, COUNTER_READ) },
  ['W' - 'A'] = { WORD("WITH", NO_TRX, COUNTER_READ) },
};

static const struct null_word any_other = { "", 0, NO_TRX, COUNTER_OTHER };

/* In capitals, as the bytes of a number. */
static uint64_t driver_class_packed(const char *text, size_t len)
{
  uint64_t key = 0;

  memcpy(&key, text, len < 8 ? len : 8);
  return key & UINT64_C(0xdfdfdfdfdfdfdfdf);
}

static const struct null_word *driver_class_look_up(const char *text,
                                                    size_t len)
{
  const unsigned first = (unsigned char)(text[0] & 0xdf) - 'A';
  uint64_t key;

  if (len > 8 || first >= 26)
    return &any_other;
  key = driver_class_packed(text, len);
  for (const struct null_word *w = words[first]; w < words[first] + 4; w++) {
    uint64_t want;

    memcpy(&want, w->text, sizeof(want));
    if (w->len == len && key == want)
      return w;
  }
  return &any_other;
}

/* By the first word, behind comments; never NULL. */
static const struct null_word *null_classify(const char *sql, size_t len)
{
  const char *text = sql;
  size_t n = 0;

  while (n < len && (unsigned)((unsigned char)(sql[n] | 0x20) - 'a') < 26)
    n++;
  if (UNLIKELY(n == 0 || (n < len && sql[n] != ' ')))
    text = emul_first_word(sql, len, EMUL_MYSQL, &n);
  return n > 0 ? driver_class_look_up(text, n) : &any_other;
}

enum {
  SPIN_BELOW_US = 50
}; /* else sleeping, which is less precise */

struct null_session {
  struct session base; /* first */
  uint64_t rows_left;
  uint32_t fields;
  _Atomic uint32_t woken; /* by another thread: waiting has to end */
};

struct null_prepared {
  struct prepared base; /* first */
  const struct null_word *word;
};

static const char *const error_words[] = {
  "deadlock", "duplicate", "lost", "fatal", "hang", NULL,
};

static const struct opt null_opts[] = {
  {
    OPT_INT(struct null_cfg, latency_us),
    .name = "null-latency",
    .group = "The null driver",
    .flags = OPT_EXPERT,
    .def = "0",
    .min = 0,
    .max = 1000000000,
    .unit_ns = 1000,
    .help = "time each statement takes; microseconds without a unit",
    .man = "The driver spins for less than 50 microseconds, and sleeps for "
           "longer times.",
  },
  {
    OPT_INT(struct null_cfg, rows),
    .name = "null-rows",
    .flags = OPT_EXPERT,
    .def = "1",
    .min = 0,
    .max = UINT32_MAX,
    .help = "rows of each result set",
  },
  {
    OPT_INT(struct null_cfg, fields),
    .name = "null-fields",
    .flags = OPT_EXPERT,
    .def = "1",
    .min = 1,
    .max = 4096,
    .help = "columns of each result set",
    .man = "Every value is the text 1.",
  },
  {
    OPT_DOUBLE(struct null_cfg, error_rate),
    .name = "null-error-rate",
    .flags = OPT_EXPERT,
    .def = "0",
    .fmin = 0,
    .fmax = 1,
    .show_as = "=0..1",
    .help = "probability that a statement fails",
    .man = "A separate random stream decides, not that of the workload.",
  },
  {
    OPT_WORD(struct null_cfg, error),
    .name = "null-error",
    .flags = OPT_EXPERT,
    .def = "deadlock",
    .words = error_words,
    .help = "how statements fail {deadlock,duplicate,lost,fatal,hang}",
    .man = "deadlock is ignorable, the others only through "
           "--db-ignore-errors; hang never returns until it is cancelled.",
  },
  OPT_END,
};

static const struct {
  int code;
  const char *state, *msg;
  bool lost, ends_trx;
} failure[] = {
  [NULL_DEADLOCK] = { 1213, "40001", "Deadlock found", .ends_trx = true },
  [NULL_DUPLICATE] = { 1062, "23505", "Duplicate entry" },
  [NULL_LOST] = { 2013, "08006", "Lost connection during query", .lost = true,
                  .ends_trx = true },
  [NULL_FATAL] = { 1064, "42000", "Syntax error" },
  [NULL_HANG] = { 1317, "70100", "Query execution was interrupted" },
};

static const int connection_codes[] = { 2006, 2011, 2013, 2055, 0 };

static struct null_session *null_of(struct session *s)
{
  return (struct null_session *)(void *)s;
}

static void null_wait_until_woken(struct null_session *n, uint64_t until_ns)
{
  while (atomic_load_explicit(&n->woken, memory_order_relaxed) == 0 &&
         clock_now_ns() < until_ns)
    loop_wait_while(&n->woken, 0, until_ns);
}

/* True: cancelled. */
static bool null_take_time(struct null_session *n, const struct null_cfg *cfg)
{
  const uint64_t until = clock_now_ns() + cfg->latency_us * NS_PER_US;

  if (cfg->latency_us < SPIN_BELOW_US) {
    while (clock_now_ns() < until) {
    }
    return false;
  }
  atomic_store_explicit(&n->woken, 0, memory_order_relaxed);
  null_wait_until_woken(n, until);
  return atomic_load_explicit(&n->woken, memory_order_relaxed) != 0;
}

static int null_fail(struct null_session *n, enum null_error e,
                     struct outcome *out)
{
  out->code = failure[e].code;
  memcpy(out->state, failure[e].state, sizeof(out->state));
  out->msg = failure[e].msg;
  out->lost = failure[e].lost;
  if (failure[e].ends_trx)
    n->base.trx = TRX_NONE;
  return -1;
}

static int null_act_out(struct null_session *n, const struct null_cfg *cfg,
                        struct outcome *out)
{
  if (cfg->latency_us > 0 && null_take_time(n, cfg))
    return null_fail(n, NULL_HANG, out);
  if (cfg->error_rate > 0 && env_random_double(n->base.env) < cfg->error_rate) {
    if (cfg->error == NULL_HANG) {
      atomic_store_explicit(&n->woken, 0, memory_order_relaxed);
      null_wait_until_woken(n, WAIT_FOREVER);
    }
    return null_fail(n, (enum null_error)cfg->error, out);
  }
  return 0;
}

static void null_wake(struct session *s)
{
  struct null_session *n = null_of(s);

  atomic_store(&n->woken, 1);
  loop_wake_all(&n->woken);
}

static int null_connect(struct session *s, uint64_t until_ns,
                        struct outcome *out)
{
  (void)until_ns;
  (void)out;
  s->dialect = EMUL_MYSQL;
  return 0;
}

static void null_disconnect(struct session *s)
{
  (void)s;
}

static int null_answer(struct session *s, const struct null_word *w,
                       struct outcome *out)
{
  struct null_session *n = null_of(s);
  const struct null_cfg *cfg = s->cfg;

  if (UNLIKELY(cfg->latency_us > 0 || cfg->error_rate > 0)) {
    const int rc = null_act_out(n, cfg, out);

    if (rc < 0)
      return rc;
  }
  if (w->sets_trx)
    s->trx = w->trx;
  out->counter = w->counter;
  if (w->counter == COUNTER_READ) {
    n->rows_left = out->nrows = cfg->rows;
    n->fields = out->nfields = (uint32_t)cfg->fields;
    out->settled = true; /* the next answer replaces the rows */
  }
  return 0;
}

static int null_query(struct session *s, const char *sql, size_t len,
                      struct outcome *out)
{
  return null_answer(s, null_classify(sql, len), out);
}

static int null_fetch(struct session *s, sql_value *values)
{
  struct null_session *n = null_of(s);

  if (n->rows_left == 0)
    return 0;
  n->rows_left--;
  for (uint32_t i = 0; i < n->fields; i++) {
    values[i].len = 1;
    values[i].ptr = "1";
  }
  return 1;
}

static int null_next_result(struct session *s, struct outcome *out)
{
  (void)s;
  out->ended = true;
  return 0;
}

static int null_end_results(struct session *s, struct outcome *out)
{
  (void)out;
  null_of(s)->rows_left = 0;
  return 0;
}

static int null_prepare(struct prepared *p, struct outcome *out)
{
  struct emul_scan scan = { 0 };

  if (emul_scan(&scan, p->sql, p->len, EMUL_MYSQL) < 0) {
    out->api_error = "not enough memory";
    return -1;
  }
  p->n_params = (unsigned)scan.n_params;
  emul_scan_done(&scan);
  ((struct null_prepared *)(void *)p)->word = null_classify(p->sql, p->len);
  return 0;
}

static int null_execute(struct prepared *p, struct outcome *out)
{
  const struct null_prepared *np = (struct null_prepared *)(void *)p;

  return null_answer(p->session, np->word, out);
}

static void null_unprepare(struct prepared *p, bool going)
{
  (void)p;
  (void)going;
}

static bool null_quote(struct session *s, const char *text, size_t len,
                       struct strbuf *to, const char **ret_why)
{
  (void)s;
  (void)ret_why;
  strbuf_add(to, "'", 1);
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '\'' || text[i] == '\\')
      strbuf_add(to, &text[i], 1);
    strbuf_add(to, &text[i], 1);
  }
  strbuf_add(to, "'", 1);
  return true;
}

static bool null_always_ignorable(const struct outcome *out)
{
  return out->code == failure[NULL_DEADLOCK].code;
}

static void null_reason(const struct session *s, const struct outcome *out,
                        struct strbuf *line)
{
  (void)s;
  strbuf_addf(line, "error %d: %s", out->code, out->msg ? out->msg : "");
}

static void null_target(const struct session *s, struct strbuf *line)
{
  (void)s;
  strbuf_adds(line, "the null driver");
}

static void null_message(const struct session *s, enum call call,
                         const struct outcome *out, const char *sql,
                         struct strbuf *lines)
{
  (void)s;
  (void)call;
  strbuf_addf(lines, "null driver: error %d (%s) for query '%s'", out->code,
              out->msg, sql);
}

const struct driver driver_null = {
  .name = "null",
  .title = "discards every statement",
  .opts = null_opts,
  .cfg_size = sizeof(struct null_cfg),
  .session_size = sizeof(struct null_session),
  .prepared_size = sizeof(struct null_prepared),
  .dialect = EMUL_MYSQL,
  .caps = DRIVER_PREPARES | DRIVER_NUL_IN_SQL | DRIVER_NEVER_WAITS,
  .connection_codes = connection_codes,
  .always_ignorable = null_always_ignorable,
  .connect = null_connect,
  .disconnect = null_disconnect,
  .connect_message = null_reason,
  .connect_reason = null_reason,
  .target = null_target,
  .query = null_query,
  .fetch = null_fetch,
  .next_result = null_next_result,
  .end_results = null_end_results,
  .prepare = null_prepare,
  .execute = null_execute,
  .unprepare = null_unprepare,
  .quote = null_quote,
  .message = null_message,
  .wake = null_wake,
};
