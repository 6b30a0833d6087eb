/*
 * test_statements.c - what is said of statements that cannot be counted.  The
 * server is a function.
 */
#include <stdio.h>
#include <string.h>

#include "monitor/digests.h"
#include "monitor/link.h"
#include "monitor/reading.h"
#include "monitor/source.h"
#include "tests/unit/link_often.h"
#include "tests/unit/tap.h"

static const char *const own[] = { NULL };
static const struct monitor_digests counted = {
  .where_sql = "where",
  .missing = "nothing counts them",
  .counts_sql = "counts",
  .texts_sql = "texts",
  .own = own,
};
static const struct monitor_source source = { .digests = &counted,
                                              .n_digests = 1 };

/* The server has statements 0 to n - 1, each with so many calls. */
static struct {
  int n, calls;
  bool gone;
} server;

static sql_value text_of(const char *text)
{
  sql_value v = { 0 };

  v.ptr = text;
  v.len = (uint32_t)strlen(text);
  return v;
}

bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx)
{
  const bool counts = strcmp(sql, "counts") == 0;
  char id[16], calls[16];

  if (strcmp(sql, "where") == 0) {
    const sql_value v = text_of("schema");

    row(ctx, &v, 1);
    return true;
  }
  if (server.gone) {
    l->lost = true;
    (void)snprintf(l->why, sizeof(l->why), "gone away");
    return false;
  }
  (void)snprintf(calls, sizeof(calls), "%d", server.calls);
  for (int i = 0; i < server.n; i++) {
    (void)snprintf(id, sizeof(id), "%d", i);
    const sql_value v[] = { text_of(id), text_of(calls), text_of(calls),
                            text_of("0") };

    row(ctx, v, counts ? 4 : 2);
  }
  return true;
}

static void check_number(void)
{
  struct digests d = { 0 };
  struct server_gaps gaps = { 0 };
  struct link l = { 0 };

  server.n = DIGESTS_MAX;
  server.calls = 5;
  OK(digests_begin(&d, &l, &source, &gaps) && d.begun && gaps.n == 0,
     "as many statements as are read");
  server.calls = 7;
  digests_end(&d, &l, &source, 3, &gaps);
  OK(d.n == 3 && gaps.n == 0 && d.of[0].calls == 2, "have what was added");

  OK(digests_begin(&d, &l, &source, &gaps) && d.begun, "they are read again");
  server.n++;
  digests_end(&d, &l, &source, 3, &gaps);
  OK(d.n == 0 && gaps.n == 1 && strcmp(gaps.of[0].what, "statements") == 0,
     "one more at the end is a gap, and there is no list");
  gaps.n = 0;

  OK(digests_begin(&d, &l, &source, &gaps) && !d.begun && gaps.n == 1,
     "one more at the beginning is a gap");
  OK_STR(gaps.of[0].why, "the server has more than 20000 of them",
         "which says why");
  server.n = 10;
  server.calls = 9;
  digests_end(&d, &l, &source, 3, &gaps);
  OK(d.n == 0, "and no count of before becomes one of the run");
  digests_done(&d);
}

static void check_lost(void)
{
  struct digests d = { 0 };
  struct server_gaps gaps = { 0 };
  struct link l = { 0 };

  server.n = 3;
  server.gone = true;
  server_gaps_add(&gaps, "others", "not allowed");
  OK(!digests_begin(&d, &l, &source, &gaps) && gaps.n == 2,
     "a lost connection is a gap");
  server.gone = false;
  OK(digests_begin(&d, &l, &source, &gaps) && d.begun && gaps.n == 1 &&
       strcmp(gaps.of[0].what, "others") == 0,
     "until the next one has read them");
  digests_done(&d);
}

int main(void)
{
  check_number();
  check_lost();
  return TAP_EXIT();
}
