/*
 * raw.c - all counters of a server by their own names.
 */
#include "monitor/raw.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "monitor/link.h"
#include "monitor/reading.h"
#include "monitor/source.h"

enum {
  NUMBER_SIZE = 64,
  NAME_SIZE = 128
};

struct taking {
  struct raw_counters *to;
  bool first;
};

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct raw_counter *)a)->name,
                ((const struct raw_counter *)b)->name);
}

/* Counters for which there is no memory are left out. */
static void append(struct raw_counters *c, const char *name, double value)
{
  struct raw_counter *more = c->of;
  char *copy;

  if (c->n == c->room) {
    more = realloc(c->of, (c->room + 256) * sizeof(*more));
    if (!more)
      return;
    c->of = more;
    c->room += 256;
  }
  copy = strdup(name);
  if (copy)
    c->of[c->n++] = (struct raw_counter){ copy, value, value, false };
}

static void take(void *ctx, const sql_value *v, unsigned n)
{
  struct taking *t = ctx;
  char name[NAME_SIZE], text[NUMBER_SIZE];
  struct raw_counter key = { .name = name };
  struct raw_counter *known;
  double value;

  if (n < 2 || !v[0].ptr || !v[1].ptr || v[0].len >= sizeof(name) ||
      v[1].len >= sizeof(text))
    return;
  memcpy(name, v[0].ptr, v[0].len);
  name[v[0].len] = '\0';
  memcpy(text, v[1].ptr, v[1].len);
  text[v[1].len] = '\0';
  if (parse_double(text, &value) < 0)
    return;
  if (t->first) {
    append(t->to, name, value);
    return;
  }
  known = t->to->n > 0
            ? bsearch(&key, t->to->of, t->to->n, sizeof(key), by_name)
            : NULL;
  if (known) {
    known->last = value;
    known->ended = true;
  }
}

bool raw_take(struct raw_counters *c, struct link *l,
              const struct monitor_source *s)
{
  const double version = reading_version(l, s);
  struct taking t = { c, c->n == 0 };
  bool ok = true;

  for (size_t i = 0; i < s->n_raw; i++) {
    if (version < s->raw[i].min || link_query(l, s->raw[i].sql, take, &t))
      continue;
    ok = false;
    if (l->lost)
      break;
  }
  if (t.first && c->n > 0)
    qsort(c->of, c->n, sizeof(c->of[0]), by_name);
  return ok;
}

void raw_done(struct raw_counters *c)
{
  for (size_t i = 0; i < c->n; i++)
    free(c->of[i].name);
  free(c->of);
  *c = (struct raw_counters){ 0 };
}
