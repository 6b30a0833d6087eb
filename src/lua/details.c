/*
 * details.c - what result files say about the database of a script's run.
 *
 * The facts are asked for when the first worker has opened its connections: at
 * the end the server may be gone, and a connection only to ask would be one
 * more than the run needs.
 */
#include "lua/details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/errtab.h"
#include "db/outage.h"
#include "lua/script_internal.h"
#include "lua/state.h"
#include "report/life.h"

static void put_fact(void *ctx, const char *key, const char *value)
{
  facts_text(ctx, key, value);
}

void details_note(struct script *script, struct state *s)
{
  struct conn *c = s->env.first;

  if (!c || c->state == CONN_CLOSED)
    return;
  facts_text(&script->database, "driver", c->driver->name);
  conn_describe(c, put_fact, &script->database);
}

static void fill_errors(const struct errtab *table, struct test_details *ret)
{
  size_t order[ERRTAB_MAX];
  const size_t n = errtab_order(table, order);

  if (n == 0)
    return;
  ret->error = calloc(n, sizeof(*ret->error));
  if (!ret->error)
    return; /* the result lacks the codes; the sum is in the counters */
  for (size_t i = 0; i < n; i++) {
    const struct errtab_entry *e = &table->entry[order[i]];
    struct error_count *to = &ret->error[i];

    (void)snprintf(to->source, sizeof(to->source), "%s", e->driver);
    if (e->code != 0)
      (void)snprintf(to->code, sizeof(to->code), "%d", e->code);
    else
      (void)snprintf(to->code, sizeof(to->code), "%s", e->state);
    (void)snprintf(to->state, sizeof(to->state), "%s", e->state);
    (void)snprintf(to->text, sizeof(to->text), "%s", e->text);
    to->count = atomic_load_explicit(&e->count, memory_order_relaxed);
  }
  ret->n_errors = n;
}

void details_fill(struct script *script, struct test_details *ret)
{
  struct db_process *db = script->setup.db;
  struct outage_times times;

  if (!atomic_load_explicit(&db->used, memory_order_relaxed))
    return;
  ret->has_database = true;
  ret->database = script->database;
  script->database = (struct facts){ 0 };
  if (!facts_find(&ret->database, "driver"))
    facts_text(&ret->database, "driver", db->set.driver);
  facts_text(&ret->database, "statement_mode", process_statement_mode(db));
  fill_errors(&db->errors, ret);

  times = outage_times(&db->outage);
  facts_int(&ret->test, "reconnects", (int64_t)times.reconnects);
  facts_real(&ret->test, "longest_outage_s",
             (double)times.longest_ns / (double)NS_PER_S);
  facts_real(&ret->test, "without_connection_s",
             (double)times.total_ns / (double)NS_PER_S);
}
