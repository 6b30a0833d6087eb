#include "monitor/digests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "monitor/link.h"
#include "monitor/reading.h"
#include "monitor/source.h"

enum {
  OWN_MAX = 32 /* statements of the monitor itself */
};

static const char subject[] = "statements";

void digests_done(struct digests *d)
{
  for (size_t i = 0; i < d->n; i++)
    free(d->of[i].text);
  free(d->of);
  *d = (struct digests){ 0 };
}

static int digests_by_id(const void *a, const void *b)
{
  return strcmp(((const struct digest *)a)->id, ((const struct digest *)b)->id);
}

static int digests_by_time(const void *a, const void *b)
{
  const struct digest *x = a, *y = b;

  return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? 1 : -1)
                                  : strcmp(x->id, y->id);
}

/* The id becomes a part of a statement. */
static bool digests_take_id(const sql_value *v, char *ret)
{
  if (!v->ptr || v->len == 0 || v->len >= DIGEST_ID)
    return false;
  memcpy(ret, v->ptr, v->len);
  ret[v->len] = '\0';
  return strspn(ret, "-0123456789abcdefABCDEF") == v->len;
}

static bool digests_make_room(struct digests *d)
{
  const size_t room = d->room > 0 ? 2 * d->room : 256;
  struct digest *more;

  if (d->n < d->room && d->n < DIGESTS_MAX)
    return true;
  more = d->n < DIGESTS_MAX ? realloc(d->of, room * sizeof(*more)) : NULL;
  if (!more) {
    d->cut = true;
    return false;
  }
  d->of = more;
  d->room = room;
  return true;
}

static void digests_take_counts(void *ctx, const sql_value *v, unsigned n)
{
  struct digests *d = ctx;
  struct digest one = { .text = NULL };

  if (n == 4 && digests_take_id(&v[0], one.id) &&
      reading_number(&v[1], &one.calls) &&
      reading_number(&v[2], &one.time_ns) && reading_number(&v[3], &one.rows) &&
      digests_make_room(d))
    d->of[d->n++] = one;
}

static void digests_take_where(void *ctx, const sql_value *v, unsigned n)
{
  struct digests *d = ctx;

  if (n == 1 && v[0].ptr && v[0].len < sizeof(d->where)) {
    memcpy(d->where, v[0].ptr, v[0].len);
    d->where[v[0].len] = '\0';
  }
}

/* Replaces @ by the schema, # by the list. */
static void digests_fill_in(const char *text, const char *schema,
                            const char *list, struct strbuf *ret)
{
  for (; *text; text++) {
    if (*text == '@')
      strbuf_adds(ret, schema);
    else if (*text == '#')
      strbuf_adds(ret, list);
    else
      strbuf_add(ret, text, 1);
  }
}

static bool digests_ask(struct link *l, const char *text, const char *schema,
                        const char *list,
                        void (*row)(void *ctx, const sql_value *v, unsigned n),
                        void *ctx)
{
  struct strbuf sql = { 0 };
  bool ok;

  digests_fill_in(text, schema, list, &sql);
  ok = link_query(l, strbuf_str(&sql), row, ctx);
  strbuf_done(&sql);
  return ok;
}

/* Reads all or nothing: a difference needs every earlier count. */
static bool digests_read_counts(struct digests *d, struct link *l,
                                const struct monitor_digests *s,
                                struct server_gaps *gaps)
{
  if (!digests_ask(l, s->counts_sql, d->where, "", digests_take_counts, d)) {
    server_gaps_add(gaps, subject, l->why);
    return false;
  }
  if (d->cut) {
    char why[64];

    (void)snprintf(why, sizeof(why), "the server has more than %d of them",
                   DIGESTS_MAX);
    server_gaps_add(gaps, subject, why);
    return false;
  }
  if (d->n > 0)
    qsort(d->of, d->n, sizeof(d->of[0]), digests_by_id);
  return true;
}

/* For this server's version; NULL: not available. */
static const struct monitor_digests *
digests_find(struct link *l, const struct monitor_source *s)
{
  const double version = reading_version(l, s);

  for (size_t i = 0; i < s->n_digests; i++) {
    if (version >= s->digests[i].min &&
        (s->digests[i].max == 0 || version < s->digests[i].max))
      return &s->digests[i];
  }
  return NULL;
}

bool digests_begin(struct digests *d, struct link *l,
                   const struct monitor_source *s, struct server_gaps *gaps)
{
  const struct monitor_digests *from = digests_find(l, s);

  digests_done(d);
  if (!from)
    return !l->lost;
  if (!link_query(l, from->where_sql, digests_take_where, d)) {
    server_gaps_add(gaps, subject, l->why);
    return !l->lost;
  }
  if (d->where[0] == '\0') {
    server_gaps_add(gaps, subject, from->missing);
    return true;
  }
  if (!digests_read_counts(d, l, from, gaps)) {
    const bool cut = d->cut;

    digests_done(d);
    return cut || !l->lost;
  }
  /* From a connection that was lost. */
  server_gaps_remove(gaps, subject);
  d->begun = true;
  d->begun_ns = clock_now_ns();
  return true;
}

/* ---- the end ---- */

/* False: no calls since, or the server counts anew. */
static bool digests_subtract(const struct digests *from, struct digest *d)
{
  const struct digest *old = from->n > 0
                               ? bsearch(d, from->of, from->n,
                                         sizeof(from->of[0]), digests_by_id)
                               : NULL;

  if (old) {
    d->calls -= old->calls;
    d->time_ns -= old->time_ns;
    d->rows -= old->rows;
  }
  return d->calls > 0 && d->time_ns >= 0 && d->rows >= 0;
}

static void digests_keep_first(struct digests *d, size_t n)
{
  for (size_t i = n; i < d->n; i++)
    free(d->of[i].text);
  if (d->n > n)
    d->n = n;
}

/* Runs of blanks and line ends become one blank. */
static char *digests_make_text(const char *text, size_t len)
{
  struct strbuf out = { 0 };
  char *copy;

  for (size_t i = 0; i < len && out.len < DIGEST_TEXT; i++) {
    const bool blank = text[i] != '\0' && strchr(" \t\r\n", text[i]);

    if (blank && out.len > 0 && strbuf_str(&out)[out.len - 1] != ' ')
      strbuf_add(&out, " ", 1);
    else if (!blank && text[i] != '\0')
      strbuf_add(&out, &text[i], 1);
  }
  copy = strdup(strbuf_str(&out));
  if (copy) {
    const size_t cut = utf8_cut(copy, DIGEST_TEXT);

    copy[cut > 0 && copy[cut - 1] == ' ' ? cut - 1 : cut] = '\0';
  }
  strbuf_done(&out);
  return copy;
}

static void digests_take_text(void *ctx, const sql_value *v, unsigned n)
{
  struct digests *d = ctx;
  char id[DIGEST_ID];

  if (n != 2 || !digests_take_id(&v[0], id) || !v[1].ptr)
    return;
  for (size_t i = 0; i < d->n; i++) {
    if (strcmp(d->of[i].id, id) == 0 && !d->of[i].text)
      d->of[i].text = digests_make_text(v[1].ptr, v[1].len);
  }
}

static bool digests_read_texts(struct digests *d, struct link *l,
                               const struct monitor_digests *s)
{
  struct strbuf list = { 0 };
  bool ok;

  for (size_t i = 0; i < d->n; i++)
    strbuf_addf(&list, "%s'%s'", i > 0 ? "," : "", d->of[i].id);
  ok = d->n == 0 || digests_ask(l, s->texts_sql, d->where, strbuf_str(&list),
                                digests_take_text, d);
  strbuf_done(&list);
  return ok;
}

/* Of this monitor, or a similar one. */
static bool digests_is_own(const struct monitor_digests *s,
                           const struct digest *d)
{
  for (size_t i = 0; d->text && s->own[i]; i++) {
    if (strstr(d->text, s->own[i]))
      return true;
  }
  return false;
}

static void digests_leave_out_own(struct digests *d,
                                  const struct monitor_digests *s)
{
  size_t k = 0;

  for (size_t i = 0; i < d->n; i++) {
    if (digests_is_own(s, &d->of[i]))
      free(d->of[i].text);
    else
      d->of[k++] = d->of[i];
  }
  d->n = k;
}

static void digests_leave_out_old(struct digests *d, const struct digests *from)
{
  size_t k = 0;

  for (size_t i = 0; i < d->n; i++) {
    if (digests_subtract(from, &d->of[i]))
      d->of[k++] = d->of[i];
  }
  d->n = k;
  if (d->n > 0)
    qsort(d->of, d->n, sizeof(d->of[0]), digests_by_time);
}

void digests_end(struct digests *d, struct link *l,
                 const struct monitor_source *s, size_t keep,
                 struct server_gaps *gaps)
{
  const struct monitor_digests *from = d->begun ? digests_find(l, s) : NULL;
  struct digests now = { .begun = true, .begun_ns = d->begun_ns };
  bool ok;

  if (!from)
    return;
  memcpy(now.where, d->where, sizeof(now.where));
  ok = digests_read_counts(&now, l, from, gaps);
  now.period_ns = clock_now_ns() - now.begun_ns;
  digests_leave_out_old(&now, d);
  digests_keep_first(&now, keep + OWN_MAX);
  if (ok && !digests_read_texts(&now, l, from)) {
    server_gaps_add(gaps, subject, l->why);
    ok = false;
  }
  digests_leave_out_own(&now, from);
  digests_keep_first(&now, ok ? keep : 0);
  digests_done(d);
  *d = now;
}
