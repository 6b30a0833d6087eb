#include "db/errtab.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/message.h"

enum {
  PRINTED_MAX = 20,
  MYSQL_LOCK_WAIT = 1205,
  MYSQL_DUPLICATE = 1062,
  MARIADB_SNAPSHOT = 1020,
};

void errtab_init(struct errtab *t)
{
  memset(t, 0, sizeof(*t));
  (void)pthread_mutex_init(&t->lock, NULL);
}

void errtab_done(struct errtab *t)
{
  (void)pthread_mutex_destroy(&t->lock);
}

static struct errtab_entry *errtab_find(struct errtab *t, size_t n,
                                        const char *driver, int code,
                                        const char *state)
{
  for (size_t i = 0; i < n; i++) {
    struct errtab_entry *e = &t->entry[i];

    if (e->code == code && strcmp(e->state, state) == 0 &&
        strcmp(e->driver, driver) == 0)
      return e;
  }
  return NULL;
}

static struct errtab_entry *errtab_add(struct errtab *t, const char *driver,
                                       int code, const char *state,
                                       const char *text)
{
  struct errtab_entry *e;
  size_t n;

  (void)pthread_mutex_lock(&t->lock);
  n = atomic_load_explicit(&t->n, memory_order_relaxed);
  e = errtab_find(t, n, driver, code, state);
  if (!e && n < ERRTAB_MAX) {
    e = &t->entry[n];
    e->driver = driver;
    e->code = code;
    (void)snprintf(e->state, sizeof(e->state), "%s", state);
    (void)snprintf(e->text, sizeof(e->text), "%.*s",
                   (int)utf8_cut(text, sizeof(e->text) - 1), text);
    atomic_store_explicit(&t->n, n + 1, memory_order_release);
  }
  (void)pthread_mutex_unlock(&t->lock);
  return e;
}

void errtab_count(struct errtab *t, const char *driver, int code,
                  const char *state, const char *text)
{
  struct errtab_entry *e = errtab_find(
    t, atomic_load_explicit(&t->n, memory_order_acquire), driver, code, state);

  if (!e)
    e = errtab_add(t, driver, code, state, text);
  if (e)
    (void)atomic_fetch_add_explicit(&e->count, 1, memory_order_relaxed);
}

struct ranked {
  uint64_t count;
  size_t index;
};

static int errtab_more_first(const void *a, const void *b)
{
  const struct ranked *x = a, *y = b;

  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return x->index < y->index ? -1 : 1;
}

size_t errtab_order(const struct errtab *t, size_t ret_index[ERRTAB_MAX])
{
  const size_t n = atomic_load_explicit(&t->n, memory_order_acquire);
  struct ranked r[ERRTAB_MAX];

  for (size_t i = 0; i < n; i++) {
    r[i].index = i;
    r[i].count = atomic_load_explicit(&t->entry[i].count, memory_order_relaxed);
  }
  /* cppcheck-suppress uninitvar ; the loop has set as many */
  qsort(r, n, sizeof(r[0]), errtab_more_first);
  for (size_t i = 0; i < n; i++)
    ret_index[i] = r[i].index;
  return n;
}

static void errtab_print_entry(const struct errtab_entry *e,
                               struct flood *flood)
{
  const uint64_t count = atomic_load_explicit(&e->count, memory_order_relaxed);
  struct strbuf line = { 0 };
  char *colon, number[16];

  (void)snprintf(number, sizeof(number), "%d", e->code);
  if (flood_has_shown(flood, number, count) ||
      flood_has_shown(flood, e->state, count))
    return;
  if (e->code != 0)
    strbuf_addf(&line, "error %d (%s) %" PRIu64 " time%s, ", e->code, e->state,
                count, fmt_plural(count));
  else
    strbuf_addf(&line, "error %s %" PRIu64 " time%s, ", e->state, count,
                fmt_plural(count));
  utf8_add_shown(&line, e->text, strlen(e->text), ""); /* on one line */
  colon = line.text;
  while (colon && (colon = strchr(colon, ':')) != NULL)
    *colon = ';';
  log_msg(LOG_WARNING, "%s", strbuf_str(&line));
  strbuf_done(&line);
}

static const struct {
  const char *state; /* its beginning; [opt] */
  int mysql;         /* errno */
  bool bundled;      /* only with a bundled script */
  const char *text;
} advice[] = {
  /* Deadlock, serialization, lock wait (without SQLSTATE in MySQL). */
  { "40", MYSQL_LOCK_WAIT, false,
    "events that conflict start again if the error is ignored; "
    "fewer threads or clients, more --tables or a larger "
    "--table-size make conflicts rarer" },
  { NULL, MARIADB_SNAPSHOT, false,
    "innodb_snapshot_isolation = ON, the default of MariaDB since "
    "11.6.2, makes transactions fail that change a row after "
    "another one has, at repeatable-read; --isolation="
    "read-committed has no such failures" },
  { "23505", MYSQL_DUPLICATE, true,
    "keys are there already if another client inserts a row that "
    "both have deleted, as oltp_read_write and oltp_write_only do; "
    "fewer threads or clients, more --tables or a larger "
    "--table-size make that rarer" },
};

static bool errtab_needs_advice(const struct errtab_entry *e, size_t i)
{
  const char *state = advice[i].state;

  return (state && strncmp(e->state, state, strlen(state)) == 0) ||
         (e->code == advice[i].mysql && strcmp(e->driver, "mysql") == 0);
}

void errtab_print(const struct errtab *t, struct flood *flood, bool bundled)
{
  size_t index[ERRTAB_MAX];
  const size_t all = errtab_order(t, index);
  const size_t n = all < PRINTED_MAX ? all : PRINTED_MAX;

  for (size_t i = 0; i < n; i++)
    errtab_print_entry(&t->entry[index[i]], flood);
  for (size_t a = 0; a < ARRAY_SIZE(advice); a++) {
    bool needed = false;

    for (size_t i = 0; i < n; i++)
      needed |= errtab_needs_advice(&t->entry[index[i]], a);
    if (needed && (bundled || !advice[a].bundled))
      log_advise("%s", advice[a].text);
  }
}
