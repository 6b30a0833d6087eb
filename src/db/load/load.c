/*
 * load.c - the steps in which one rank or several load tables.
 */
#include "db/load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/machine/space.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "db/load/check.h"
#include "db/load/chunks.h"
#include "db/load/pace.h"

/* Ranks at other tables meet, too. */
static bool load_is_alone(const struct load_share *s)
{
  return s->voters < 2;
}

/*
 * A meeting of all voters: first when the tables exist, then when all rows do.
 * *ret is the word of the rank that creates the table. -ECANCELED: a rank at
 * this table has given up; -ENOMEM.
 */
static int load_meet(const struct load_share *s, unsigned char own, int *ret,
                     struct err *err)
{
  unsigned char *all = calloc(s->voters, 1);
  int rc = 0;

  if (!all)
    return err_set(err, -ENOMEM, "not enough memory");
  s->vote(s->ctx, own, all);
  for (unsigned i = 0; i < s->parts; i++) {
    if (all[s->first + i * s->step] == UINT8_MAX)
      rc = -ECANCELED;
  }
  if (rc < 0)
    (void)err_set(err, rc, "another process has given up");
  else
    *ret = all[s->first];
  free(all);
  return rc;
}

static unsigned load_threads_at(const struct load_setup *s)
{
  return load_is_alone(&s->share) ? s->threads : s->threads * s->share.parts;
}

/* All chunks of the table; this rank has its share. */
static void extent_cut(const struct load_setup *s, const struct kind_table *t,
                       bool one_writer, struct chunks *ret)
{
  const uint64_t keys = kind_keys(t);
  /* Longer transactions are better for a single writer. */
  const uint64_t rows = one_writer ? 2 * CHUNK_MAX : 0;

  chunks_init(ret, keys * t->per_key, load_threads_at(s), rows);
  if (s->rows_max > 0 && ret->rows > s->rows_max)
    chunks_init(ret, keys * t->per_key, load_threads_at(s), s->rows_max);
  if (t->per_key > 1)
    chunks_init(ret, keys, load_threads_at(s),
                1 + (ret->rows - 1) / t->per_key);
  if (!load_is_alone(&s->share))
    chunks_share(ret, s->share.part, s->share.parts);
}

/* Rows in full chunks of this rank; all: in each of its chunks. */
static uint64_t extent_there(struct maker *m, const struct chunks *c, bool all)
{
  uint64_t rows = 0;

  if (!m->table.line)
    return all ? chunks_rows(c) : chunks_rows_there(c);
  for (uint64_t n = c->next; n < c->count; n += c->step) {
    const struct chunk chunk = chunks_at(c, n);

    if (all || (c->state && c->state[n] == CHUNK_FULL))
      rows += maker_rows(m, chunk.first, chunk.last);
  }
  return rows;
}

/* That this rank loads.  -ENOMEM. */
static int rows_of_table(const struct load_setup *s, uint64_t number,
                         uint64_t *ret)
{
  struct chunks chunks;
  struct maker m;

  if (maker_init(&m, s->kind, &s->args, number) < 0)
    return -ENOMEM;
  extent_cut(s, &m.table, false, &chunks);
  *ret = extent_there(&m, &chunks, true);
  maker_done(&m);
  return 0;
}

static int extent_rows(const struct load_setup *s, uint64_t *ret)
{
  uint64_t all = 0, rows = 0;
  int rc = 0;

  if (s->kind->tables == 0) { /* of the same size */
    rc = s->tables > 0 ? rows_of_table(s, s->first_table, &rows) : 0;
    *ret = rows * s->tables;
    return rc;
  }
  for (uint64_t i = 0; rc == 0 && i < s->tables; i++) {
    rc = rows_of_table(s, s->first_table + i, &rows);
    all += rows;
  }
  *ret = all;
  return rc;
}

static int load_other_size(const struct maker *m, struct err *err)
{
  char size[64] = "this load";

  if (m->table.keys == 0)
    return err_set(err, -EINVAL, "it has rows, but a load leaves it empty");
  if (m->table.keys == 1 && !m->table.line)
    (void)snprintf(size, sizeof(size), "a table of %" PRIu64 " rows",
                   kind_keys(&m->table));
  return err_set(err, -EINVAL,
                 "it has rows that are not of %s: drop it, or give the %s of "
                 "the load before",
                 size, m->kind->size_option);
}

/* Rows of the chunk from key first + 1 exist. */
static int load_found(struct maker *m, struct chunks *chunks, uint64_t first,
                      uint64_t rows)
{
  const uint64_t n = first / chunks->rows;
  struct chunk chunk;
  uint64_t whole;

  if (!m->table.line)
    return chunks_found(chunks, first + 1, rows);
  if (n >= chunks->count)
    return -EINVAL;
  chunk = chunks_at(chunks, n);
  whole = maker_rows(m, chunk.first, chunk.last);
  if (rows > whole)
    return -EINVAL;
  return chunks_set(chunks, n, rows == whole ? CHUNK_FULL : CHUNK_PARTIAL);
}

/* Yields the first key of each chunk minus one, times kind_key_step(). */
static void load_add_count(const struct kind_table *t, uint64_t chunk,
                           struct strbuf *sql)
{
  const uint64_t keys = kind_keys(t);

  if (chunk > keys)
    chunk = keys; /* for a product of 64 bits */
  chunk *= kind_key_step(t);
  strbuf_adds(sql, "SELECT ");
  kind_key_sql(t, sql);
  strbuf_adds(sql, " - ");
  kind_key_sql(t, sql);
  strbuf_addf(sql, " %% %" PRIu64 " AS chunk, COUNT(*) FROM %s WHERE ", chunk,
              t->name);
  (void)kind_range(t, 1, kind_keys(t), sql);
  strbuf_adds(sql, " GROUP BY 1");
}

static int load_count_chunks(struct conn *c, struct maker *m,
                             struct chunks *chunks, struct err *err)
{
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  int rc;

  if (kind_keys(&m->table) == 0)
    return 0;
  load_add_count(&m->table, chunks->rows, &sql);
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0)
    return rc;
  for (uint64_t left = rs ? rs->nrows : 0; rc == 0 && left > 0; left--) {
    const sql_row *row = send_fetch(rs, 2, err);

    if (!row)
      return -EIO;
    rc = load_found(m, chunks,
                    send_number(&row->values[0]) / kind_key_step(&m->table),
                    send_number(&row->values[1]));
    if (rc == -ENOMEM)
      (void)err_set(err, rc, "not enough memory");
    else if (rc < 0)
      rc = load_other_size(m, err);
  }
  return rc;
}

static int load_no_others(struct conn *c, const struct maker *m,
                          struct err *err)
{
  const struct kind_table *t = &m->table;
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  int rc;

  strbuf_addf(&sql, "SELECT 1 FROM %s", t->name);
  if (t->keys > 0) {
    strbuf_adds(&sql, " WHERE ");
    kind_outside(t, &sql);
  }
  strbuf_adds(&sql, " LIMIT 1");
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0)
    return rc;
  return rs && rs->nrows > 0 ? load_other_size(m, err) : 0;
}

static int load_same_row(struct maker *m, const sql_value *values,
                         struct err *err)
{
  struct strbuf name = { 0 };
  struct expect e;
  uint64_t key, line;
  int rc = 0;

  if (expect_init(&e, m) < 0)
    return err_set(err, -ENOMEM, "not enough memory");
  if (expect_place(&e, values, &key, &line) &&
      (line < 1 || line > expect_lines(&e, key) ||
       expect_compare(&e, key, line, values) != 0)) {
    kind_row_name(&m->table, key, line, &name);
    rc = err_set(
      err, -EINVAL,
      "its %s does not belong to this load: resume needs the same %s as "
      "the load before",
      strbuf_str(&name), m->kind->depends);
  }
  strbuf_done(&name);
  expect_done(&e);
  return rc;
}

static int load_same_rows(struct conn *c, struct maker *m, struct err *err)
{
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  const sql_row *row;
  int rc;

  if (m->table.keys == 0)
    return 0;
  kind_select(&m->table, &sql);
  strbuf_adds(&sql, " LIMIT 1");
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0 || !rs || rs->nrows == 0)
    return rc;
  row = send_fetch(rs, m->table.n, err);
  return row ? load_same_row(m, row->values, err) : -EIO;
}

/* Sets *chunks from the table. -EINVAL: rows that `m` does not make. */
static int load_resume_find(struct conn *c, struct maker *m,
                            struct chunks *chunks, struct err *err)
{
  int rc = load_no_others(c, m, err);

  if (rc == 0)
    rc = load_same_rows(c, m, err);
  return rc < 0 ? rc : load_count_chunks(c, m, chunks, err);
}

struct place {
  char path[PATH_MAX];
  uint64_t there;
};

static bool text_of(const sql_value *v, char *to, size_t size)
{
  if (!v->ptr || v->len == 0 || v->len >= size)
    return false;
  memcpy(to, v->ptr, v->len);
  to[v->len] = '\0';
  return true;
}

static bool find_place(struct conn *c, const char *sql, struct place *ret)
{
  sql_result *rs = conn_query(c, sql, strlen(sql));
  struct conn_message unwanted;
  const sql_row *row;
  char number[32];
  bool ok = false;

  if (c->pub.error != DB_ERROR_NONE) {
    unwanted = conn_take_message(c);
    conn_drop_message(&unwanted);
    return false;
  }
  row = rs && rs->nrows > 0 && rs->nfields == 2 ? conn_fetch_row(rs) : NULL;
  if (row && text_of(&row->values[0], ret->path, sizeof(ret->path)) &&
      text_of(&row->values[1], number, sizeof(number))) {
    ret->there = strtoull(number, NULL, 10);
    ok = true;
  }
  if (rs)
    (void)conn_free_results(rs);
  return ok;
}

static double bytes_of(const struct load_setup *s, uint64_t number,
                       const struct driver *d)
{
  struct kind_table t;

  kind_describe(s->kind, &s->args, number, &t);
  return (double)kind_keys(&t) * t.per_key *
         t.disk_bytes[d->space ? d->space->server : SPACE_PGSQL];
}

uint64_t load_bytes(const struct load_setup *s, const struct driver *d)
{
  double bytes = 0;

  if (s->kind->tables == 0) /* of the same size */
    bytes = (double)s->tables * bytes_of(s, s->first_table, d);
  for (uint64_t n = 1; n <= s->kind->tables; n++)
    bytes += bytes_of(s, n, d);
  return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX;
}

int load_room_for_tables(struct conn *c, const struct load_setup *setup,
                         struct err *err)
{
  const struct driver_space *d = c->driver->space;
  const char *sql = d ? d->query(c->session) : NULL;
  char need[FMT_SIZE_SIZE], has[FMT_SIZE_SIZE];
  struct place place;
  struct space space;
  uint64_t all, room;

  if (!sql || !find_place(c, sql, &place))
    return 0;
  space = space_look_at("", place.path);
  room = space_free(&space);
  all = load_bytes(setup, c->driver);
  all -= place.there < all ? place.there : all;
  if (all <= room)
    return 0;
  return err_set(err, -ENOSPC,
                 "about %s needed in '%s', %s %s; choose %s, or use --force to "
                 "go on anyway",
                 fmt_size(need, all), place.path, fmt_size(has, room),
                 space_words(&space), setup->kind->fewer);
}

enum {
  FEW_TABLES = 4 /* named in the line of progress */
};

struct load {
  struct load_setup setup;
  struct pace pace;
  struct steps steps;
};

struct loader {
  struct load *load;
  struct conn *conn;
  struct turn turn;
  enum send_way way;  /* SEND_UNKNOWN: not chosen */
  struct maker maker; /* for maker.number, possibly an earlier table */
  struct kind_table named;
};

static struct table *table_of(struct loader *t)
{
  return &t->load->steps.table[t->turn.at];
}

static uint64_t load_number_of(const struct loader *t)
{
  return t->load->setup.first_table + t->turn.at;
}

const char *loader_table(struct loader *t)
{
  const struct load_setup *s = &t->load->setup;

  kind_describe(s->kind, &s->args, load_number_of(t), &t->named);
  return t->named.name;
}

/* ---- the whole ---- */

/* "sbtest1 40%, sbtest2 10%". */
static void load_add_tables(struct load *l, struct strbuf *detail)
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

/* Indexes can take as long as the rows: then the line counts tables. */
static void look_more(void *ctx, struct progress_point *at,
                      struct strbuf *detail)
{
  struct load *l = ctx;
  uint64_t finished;

  if (at->done < at->total || !steps_finished(&l->steps, &finished) ||
      finished == l->setup.tables) {
    load_add_tables(l, detail);
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

/* For the table of the step; NULL: no memory. */
static struct maker *load_maker_of(struct loader *t, struct err *err)
{
  const struct load_setup *s = &t->load->setup;

  if (t->maker.kind && t->maker.number == load_number_of(t))
    return &t->maker;
  maker_done(&t->maker);
  if (maker_init(&t->maker, s->kind, &s->args, load_number_of(t)) == 0)
    return &t->maker;
  t->maker.kind = NULL;
  (void)err_set(err, -ENOMEM, "not enough memory");
  return NULL;
}

static void load_add_chunk_name(struct loader *t,
                                const struct kind_table *table,
                                const struct chunk *chunk, struct err *err)
{
  struct strbuf keys = { 0 };

  kind_row_names(table, chunk->first, chunk->last, &keys);
  err_prefix(err, "cannot load %s (chunk %" PRIu64 " of %" PRIu64 ") into '%s'",
             strbuf_str(&keys), chunk->n + 1, table_of(t)->chunks.count,
             table->name);
  strbuf_done(&keys);
}

static int load_chunk(struct loader *t, const struct chunk *chunk,
                      struct err *err)
{
  struct load *l = t->load;
  struct maker *m = load_maker_of(t, err);
  int rc = m ? 0 : -ENOMEM;

  if (rc == 0 && t->way == SEND_UNKNOWN)
    rc = send_choose(t->conn, l->setup.method, &t->way, err);
  if (rc == 0)
    rc = send_chunk(t->conn, &t->way, m, chunk, &l->pace, &l->steps, err);
  if (rc < 0 && m)
    load_add_chunk_name(t, &m->table, chunk, err);
  return rc;
}

static int load_step_of(enum pick pick)
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

/* All ranks stop: no failure. */
static bool load_was_stopped(struct load *l, int rc)
{
  return rc == -ECANCELED && load_is_stopped(l);
}

/* Meets the other ranks after the rows. */
static int load_others_loaded(struct loader *t, struct err *err)
{
  int ignored, rc = load_meet(&t->load->setup.share, 0, &ignored, err);

  if (rc < 0) {
    err_prefix(err, "cannot finish '%s'", loader_table(t));
    steps_end(&t->load->steps, &t->turn, TABLE_FAILED);
  }
  return rc;
}

/* Before the caller's part of a step, if several ranks load the table. *ret_own
 * false: this rank has no part. */
static int load_meet_others(struct loader *t, enum pick pick, bool *ret_own,
                            struct err *err)
{
  const struct load_share *share = &t->load->setup.share;
  int rc = 0;

  *ret_own = load_is_alone(share) || share->part == 0;
  if (load_is_alone(share))
    return 0;
  if (pick == PICK_FINISH)
    rc = load_others_loaded(t, err);
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
      rc = pick > PICK_CHUNK ? load_meet_others(t, pick, &own, err) : 0;
    }
    if (load_was_stopped(l, rc))
      continue;
    if (rc < 0)
      return rc;
    if (pick != PICK_CHUNK && own) {
      if (pick > PICK_CHUNK)
        *ret_table = load_number_of(t);
      return load_step_of(pick);
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

  if (!load_is_alone(&s->share))
    rc = load_meet(&s->share, (unsigned char)from, &from, err);
  if (rc == 0 && !(m = load_maker_of(t, err)))
    rc = -ENOMEM;
  if (rc == 0)
    extent_cut(s, &m->table, t->turn.one_writer, chunks);
  if (rc == 0 && from == LOAD_RESUME)
    rc = load_resume_find(t->conn, m, chunks, err);
  if (rc < 0) {
    err_prefix(err, "cannot %s loading '%s'",
               from == LOAD_RESUME ? "resume" : "begin", loader_table(t));
    steps_end(&t->load->steps, &t->turn, TABLE_FAILED);
    return load_was_stopped(t->load, rc) ? 0 : rc;
  }
  if (from == LOAD_LEAVE && !load_is_alone(&s->share) &&
      (rc = load_others_loaded(t, err)) < 0)
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
