/*
 * load.c - the steps in which tables are loaded, by one rank or several.
 */
#include "load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/extent.h"
#include "load/pace.h"
#include "load/range.h"
#include "load/resume.h"
#include "load/steps.h"

enum {
  FEW_TABLES = 4 /* the line of progress names each of so few tables */
};

struct load {
  struct load_setup setup; /* constant */
  struct pace pace;
  struct steps steps;
};

struct loader {
  struct load *load;
  struct conn *conn;
  struct turn turn;        /* its table is the table of the last step */
  enum send_way way;       /* SEND_UNKNOWN: not chosen yet */
  struct maker maker;      /* of that table, if maker.number is its number */
  struct kind_table named; /* what loader_table() has described */
};

static struct table *table_of(struct loader *t)
{
  return &t->load->steps.table[t->turn.at];
}

static uint64_t number_of(const struct loader *t)
{
  return t->load->setup.first_table + t->turn.at;
}

const char *loader_table(struct loader *t)
{
  const struct load_setup *s = &t->load->setup;

  kind_describe(s->kind, &s->args, number_of(t), &t->named);
  return t->named.name;
}

/* ---- the whole ---- */

/* "sbtest1 40%, sbtest2 10%". */
static void add_tables(struct load *l, struct strbuf *detail)
{
  unsigned percent[FEW_TABLES];
  struct kind_table t;

  if (l->setup.tables < 2 || l->setup.tables > FEW_TABLES)
    return;
  if (!steps_percents(&l->steps, percent))
    return;
  for (uint64_t i = 0; i < l->setup.tables; i++) {
    kind_describe(l->setup.kind, &l->setup.args, l->setup.first_table + i, &t);
    strbuf_addf(detail, "%s%s %u%%", i ? ", " : "", t.name, percent[i]);
  }
}

/* What comes after the last row may take as long as the rows.  From then on,
 * the line counts tables. */
static void look_more(void *ctx, struct progress_point *at,
                      struct strbuf *detail)
{
  struct load *l = ctx;
  uint64_t finished;

  if (at->done < at->total || !steps_finished(&l->steps, &finished) ||
      finished == l->setup.tables) {
    add_tables(l, detail);
    return;
  }
  *at = (struct progress_point){
    .verb = "Created indexes of",
    .unit = PROGRESS_TABLES,
    .total = l->setup.tables,
    .done = finished,
  };
}

int load_new(struct load **ret, const struct load_setup *setup, struct err *err)
{
  struct load *l = calloc(1, sizeof(*l));
  uint64_t rows;

  if (!l || extent_rows(setup, &rows) < 0 ||
      steps_init(&l->steps, setup->tables) < 0) {
    free(l);
    return err_set(err, -ENOMEM, "not enough memory for %" PRIu64 " tables",
                   setup->tables);
  }
  l->setup = *setup;
  pace_init(&l->pace, "Loaded", PROGRESS_ROWS, rows);
  l->pace.more = look_more;
  l->pace.ctx = l;
  pace_start(&l->pace);
  *ret = l;
  return 0;
}

void load_free(struct load *l)
{
  if (!l)
    return;
  pace_stop(&l->pace);
  steps_done(&l->steps);
  free(l);
}

void load_stop(struct load *l)
{
  steps_stop(&l->steps);
}

bool load_is_stopped(struct load *l)
{
  return steps_are_stopped(&l->steps);
}

bool load_summary(struct load *l, struct strbuf *line)
{
  const struct pace *p = &l->pace;
  const uint64_t done = atomic_load(&p->done);
  const uint64_t rows = atomic_load(&p->there) + done;

  strbuf_addf(line, "%" PRIu64 " of %" PRIu64 " row%s loaded", rows, p->total,
              p->total == 1 ? " is" : "s are");
  return done > 0;
}

void load_end(struct load *l, bool complete)
{
  pace_stop(&l->pace);
  if (complete)
    pace_print_sum(&l->pace);
}

struct loader *loader_new(struct load *l, struct conn *c)
{
  struct loader *t = calloc(1, sizeof(*t));

  if (!t)
    return NULL;
  t->load = l;
  t->conn = c;
  t->turn.one_writer = (c->driver->caps & DRIVER_ONE_WRITER) != 0;
  t->turn.at = UINT64_MAX;
  return t;
}

void loader_free(struct loader *t)
{
  if (t)
    maker_done(&t->maker);
  free(t);
}

/* ---- rows ---- */

/* What makes the rows of the table of the step; NULL: not enough memory. */
static struct maker *maker_of(struct loader *t, struct err *err)
{
  const struct load_setup *s = &t->load->setup;

  if (t->maker.kind && t->maker.number == number_of(t))
    return &t->maker;
  maker_done(&t->maker);
  if (maker_init(&t->maker, s->kind, &s->args, number_of(t)) == 0)
    return &t->maker;
  t->maker.kind = NULL;
  (void)err_set(err, -ENOMEM, "not enough memory");
  return NULL;
}

static void add_chunk_name(struct loader *t, const struct kind_table *table,
                           const struct chunk *chunk, struct err *err)
{
  struct strbuf keys = { 0 };

  range_names(table, chunk->first, chunk->last, &keys);
  err_prefix(err, "cannot load %s (chunk %" PRIu64 " of %" PRIu64 ") into '%s'",
             strbuf_str(&keys), chunk->n + 1, table_of(t)->chunks.count,
             table->name);
  strbuf_done(&keys);
}

static int load_chunk(struct loader *t, const struct chunk *chunk,
                      struct err *err)
{
  struct load *l = t->load;
  struct maker *m = maker_of(t, err);
  int rc = m ? 0 : -ENOMEM;

  if (rc == 0 && t->way == SEND_UNKNOWN)
    rc = send_choose(t->conn, l->setup.method, &t->way, err);
  if (rc == 0)
    rc = send_chunk(t->conn, &t->way, m, chunk, &l->pace, &l->steps, err);
  if (rc < 0 && m)
    add_chunk_name(t, &m->table, chunk, err);
  return rc;
}

/* ---- steps ---- */

static int step_of(enum pick pick)
{
  switch (pick) {
  case PICK_CREATE:
    return LOAD_CREATE;
  case PICK_FINISH:
    return LOAD_FINISH;
  case PICK_STOPPED:
    return LOAD_STOPPED;
  default:
    return LOAD_END;
  }
}

/* All ranks stop: it is no failure that this one or another has given up. */
static bool was_stopped(struct load *l, int rc)
{
  return rc == -ECANCELED && load_is_stopped(l);
}

/* The table of the step is loaded: do not wait for other ranks any more. */
static int others_loaded(struct loader *t, struct err *err)
{
  int rc = share_loaded(&t->load->setup.share, err);

  if (rc < 0) {
    err_prefix(err, "cannot finish '%s'", loader_table(t));
    steps_end(&t->load->steps, &t->turn, TABLE_FAILED);
  }
  return rc;
}

/*
 * The meeting before the caller's part of a step, if several ranks load the
 * table.  *ret_own false: this rank has no part in the step.
 */
static int meet_others(struct loader *t, enum pick pick, bool *ret_own,
                       struct err *err)
{
  const struct load_share *share = &t->load->setup.share;
  int rc = 0;

  *ret_own = share_is_alone(share) || share_creates(share);
  if (share_is_alone(share))
    return 0;
  if (pick == PICK_FINISH)
    rc = others_loaded(t, err);
  if (rc < 0 || *ret_own)
    return rc;
  if (pick == PICK_CREATE)
    return loader_created(t, LOAD_FRESH, err);
  steps_end(&t->load->steps, &t->turn, TABLE_DONE);
  return 0;
}

int loader_next(struct loader *t, uint64_t *ret_table, struct err *err)
{
  struct load *l = t->load;

  for (;;) {
    struct chunk chunk = { 0 };
    bool own = true;
    enum pick pick;
    int rc;

    pick = steps_take(&l->steps, &t->turn, &chunk);
    if (pick == PICK_CHUNK) {
      rc = load_chunk(t, &chunk, err);
      steps_end_chunk(&l->steps, &t->turn, rc == 0);
    } else {
      rc = pick > PICK_CHUNK ? meet_others(t, pick, &own, err) : 0;
    }
    if (was_stopped(l, rc))
      continue;
    if (rc < 0)
      return rc;
    if (pick != PICK_CHUNK && own) {
      if (pick > PICK_CHUNK)
        *ret_table = number_of(t);
      return step_of(pick);
    }
  }
}

int loader_created(struct loader *t, enum load_origin origin, struct err *err)
{
  const struct load_setup *s = &t->load->setup;
  struct chunks *chunks = &table_of(t)->chunks;
  struct maker *m = NULL;
  int from = (int)origin;
  int rc = 0;

  if (!share_is_alone(&s->share))
    rc = share_created(&s->share, from, &from, err);
  if (rc == 0 && !(m = maker_of(t, err)))
    rc = -ENOMEM;
  if (rc == 0)
    extent_cut(s, &m->table, t->turn.one_writer, chunks);
  if (rc == 0 && from == LOAD_RESUME)
    rc = resume_find(t->conn, m, chunks, err);
  if (rc < 0) {
    err_prefix(err, "cannot %s loading '%s'",
               from == LOAD_RESUME ? "resume" : "begin", loader_table(t));
    steps_end(&t->load->steps, &t->turn, TABLE_FAILED);
    return was_stopped(t->load, rc) ? 0 : rc;
  }
  if (from == LOAD_LEAVE && !share_is_alone(&s->share) &&
      (rc = others_loaded(t, err)) < 0)
    return rc;
  pace_found(&t->load->pace, extent_there(m, chunks, from == LOAD_LEAVE));
  steps_end(&t->load->steps, &t->turn,
            from == LOAD_LEAVE ? TABLE_DONE : TABLE_LOADING);
  return 0;
}

void loader_finished(struct loader *t)
{
  steps_end(&t->load->steps, &t->turn, TABLE_DONE);
}

void loader_failed(struct loader *t)
{
  steps_end(&t->load->steps, &t->turn, TABLE_FAILED);
}
