/*
 * load.c - which thread does what next while tables are loaded.
 */
#include "load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/conn.h"
#include "load/pace.h"
#include "load/resume.h"
#include "load/rows.h"

enum {
  FEW_TABLES = 4 /* so many are told one by one in the line of progress */
};

enum table_state {
  TABLE_NEW,
  TABLE_CREATING,
  TABLE_LOADING,
  TABLE_FINISHING,
  TABLE_DONE,
  TABLE_FAILED,
};

struct table {
  enum table_state state;
  unsigned busy; /* threads that load a chunk */
  struct chunks chunks;
};

struct load {
  struct load_setup setup; /* constant */
  struct pace pace;

  pthread_mutex_t lock; /* protects the rest */
  pthread_cond_t changed;
  bool stopped, broken;
  /* With one writer: who writes, always the same, because what others have
   * written makes the cache of a connection worthless. */
  const struct loader *writer;
  uint64_t done;       /* tables before it are done */
  uint64_t begun;      /* tables from it on are new */
  struct table *table; /* owned; setup.tables of them */
};

struct loader {
  struct load *load;
  struct conn *conn;
  bool one_writer;
  enum send_way way; /* SEND_UNKNOWN: not chosen yet */
  uint64_t at;       /* index of the table of the last step */
  struct rows rows;  /* of that table, if rows.table is its number */
};

static struct table *table_of(struct loader *t)
{
  return &t->load->table[t->at];
}

static uint64_t number_of(const struct loader *t)
{
  return t->load->setup.first_table + t->at;
}

/* ---- the whole ---- */

/* "; sbtest1 40%, sbtest2 10%".  Reads what others change: it is only shown. */
static void tell_tables(void *ctx, struct strbuf *line)
{
  struct load *l = ctx;

  if (l->setup.tables < 2 || l->setup.tables > FEW_TABLES)
    return;
  if (pthread_mutex_trylock(&l->lock) != 0)
    return;
  for (uint64_t i = 0; i < l->setup.tables; i++) {
    const struct table *t = &l->table[i];
    uint64_t percent = 0;

    if (t->state == TABLE_FINISHING || t->state == TABLE_DONE)
      percent = 100;
    else if (t->chunks.count > 0)
      percent = t->chunks.next * 100 / t->chunks.count;
    strbuf_addf(line, "%s sbtest%" PRIu64 " %" PRIu64 "%%", i ? "," : ";",
                l->setup.first_table + i, percent);
  }
  (void)pthread_mutex_unlock(&l->lock);
}

static unsigned threads_at(const struct load_setup *s)
{
  return share_is_alone(&s->share) ? s->threads : s->threads * s->share.parts;
}

/* Longer transactions suit those that write alone. */
static void cut_table(const struct load_setup *s, bool one_writer,
                      struct chunks *ret)
{
  chunks_init(ret, s->size, threads_at(s), one_writer ? 2 * CHUNK_MOST : 0);
  if (!share_is_alone(&s->share))
    chunks_share(ret, s->share.part, s->share.parts);
}

/* Rows that this process loads. */
static uint64_t rows_to_load(const struct load_setup *s)
{
  struct chunks chunks;

  if (share_is_alone(&s->share))
    return s->tables * s->size;
  cut_table(s, false, &chunks);
  return chunks_rows(&chunks);
}

int load_new(struct load **ret, const struct load_setup *setup, struct err *err)
{
  struct load *l = calloc(1, sizeof(*l));

  if (l)
    l->table = calloc(setup->tables ? setup->tables : 1, sizeof(*l->table));
  if (!l || !l->table) {
    free(l);
    return err_set(err, -ENOMEM, "not enough memory for %" PRIu64 " tables",
                   setup->tables);
  }
  l->setup = *setup;
  (void)pthread_mutex_init(&l->lock, NULL);
  (void)pthread_cond_init(&l->changed, NULL);
  pace_init(&l->pace, rows_to_load(setup));
  l->pace.tables = tell_tables;
  l->pace.ctx = l;
  *ret = l;
  return 0;
}

void load_free(struct load *l)
{
  if (!l)
    return;
  for (uint64_t i = 0; i < l->setup.tables; i++)
    chunks_done(&l->table[i].chunks);
  pace_done(&l->pace);
  (void)pthread_cond_destroy(&l->changed);
  (void)pthread_mutex_destroy(&l->lock);
  free(l->table);
  free(l);
}

void load_stop(struct load *l)
{
  (void)pthread_mutex_lock(&l->lock);
  l->stopped = true;
  (void)pthread_cond_broadcast(&l->changed);
  (void)pthread_mutex_unlock(&l->lock);
}

bool load_is_stopped(struct load *l)
{
  bool stopped;

  (void)pthread_mutex_lock(&l->lock);
  stopped = l->stopped;
  (void)pthread_mutex_unlock(&l->lock);
  return stopped;
}

void load_summary(struct load *l, struct strbuf *line)
{
  const struct pace *p = &l->pace;
  const uint64_t rows = p->there + atomic_load(&p->rows);

  strbuf_addf(line, "%" PRIu64 " of %" PRIu64 " rows are loaded", rows,
              p->total);
}

struct loader *loader_new(struct load *l, struct conn *c)
{
  struct loader *t = calloc(1, sizeof(*t));

  if (!t)
    return NULL;
  t->load = l;
  t->conn = c;
  t->one_writer = (c->driver->caps & DRIVER_ONE_WRITER) != 0;
  t->at = UINT64_MAX;
  return t;
}

void loader_free(struct loader *t)
{
  free(t);
}

/* ---- the next step; all with the lock ---- */

static bool may_begin(const struct load *l)
{
  return l->begun < l->setup.tables && !l->broken;
}

static bool is_all_done(const struct load *l)
{
  return l->done == l->begun && !may_begin(l);
}

static bool has_chunk(struct table *t)
{
  return t->state == TABLE_LOADING && chunks_left(&t->chunks);
}

/* All rows of a table are there, and nobody has gone on with it. */
static bool is_loaded(struct table *t)
{
  return t->state == TABLE_LOADING && t->busy == 0 && !chunks_left(&t->chunks);
}

static bool is_over(const struct table *t)
{
  return t->state == TABLE_DONE || t->state == TABLE_FAILED;
}

/* The table in which the fewest threads are at work; false: none. */
static bool pick_chunk(struct load *l, uint64_t *ret)
{
  bool found = false;

  for (uint64_t i = l->done; i < l->begun; i++) {
    if (has_chunk(&l->table[i]) &&
        (!found || l->table[i].busy < l->table[*ret].busy)) {
      *ret = i;
      found = true;
    }
  }
  return found;
}

static bool pick_loaded(struct load *l, uint64_t *ret)
{
  for (uint64_t i = l->done; i < l->begun; i++) {
    if (is_loaded(&l->table[i])) {
      *ret = i;
      return true;
    }
  }
  return false;
}

enum pick {
  PICK_WAIT,
  PICK_END,
  PICK_STOPPED,
  PICK_CHUNK,
  PICK_CREATE,
  PICK_FINISH,
};

static enum pick pick_next(struct loader *t)
{
  struct load *l = t->load;

  while (l->done < l->begun && is_over(&l->table[l->done]))
    l->done++;
  if (l->stopped)
    return PICK_STOPPED;
  if (t->one_writer && l->writer && l->writer != t)
    return is_all_done(l) ? PICK_END : PICK_WAIT;
  if (pick_loaded(l, &t->at))
    return PICK_FINISH;
  if (t->at < l->begun && has_chunk(&l->table[t->at]))
    return PICK_CHUNK;
  if (may_begin(l)) {
    t->at = l->begun;
    return PICK_CREATE;
  }
  if (pick_chunk(l, &t->at))
    return PICK_CHUNK;
  return is_all_done(l) ? PICK_END : PICK_WAIT;
}

/* The step is taken. */
static void take(struct loader *t, enum pick pick, struct chunk *ret)
{
  struct load *l = t->load;
  struct table *table = table_of(t);

  l->writer = t;
  if (pick == PICK_CHUNK) {
    (void)chunks_take(&table->chunks, ret);
    table->busy++;
  } else if (pick == PICK_CREATE) {
    table->state = TABLE_CREATING;
    l->begun++;
  } else {
    table->state = TABLE_FINISHING;
  }
}

/* A thread has failed and will not come back. */
static void give_up(struct load *l)
{
  l->broken = true;
  l->writer = NULL;
}

/* The step of the thread has ended. */
static void end_step(struct loader *t, enum table_state state)
{
  struct load *l = t->load;

  (void)pthread_mutex_lock(&l->lock);
  table_of(t)->state = state;
  if (state == TABLE_FAILED)
    give_up(l);
  (void)pthread_cond_broadcast(&l->changed);
  (void)pthread_mutex_unlock(&l->lock);
}

/* ---- rows ---- */

static struct rows *rows_of(struct loader *t)
{
  const struct load_setup *s = &t->load->setup;

  if (t->rows.params == NULL || t->rows.table != number_of(t))
    rows_init(&t->rows, s->params, s->seed, number_of(t), s->size);
  return &t->rows;
}

static int load_chunk(struct loader *t, const struct chunk *chunk,
                      struct err *err)
{
  struct load *l = t->load;
  int rc = 0;

  if (t->way == SEND_UNKNOWN)
    rc = send_choose(t->conn, l->setup.method, &t->way, err);
  if (rc == 0)
    rc = send_chunk(t->conn, &t->way, rows_of(t), chunk, &l->pace, err);
  if (rc < 0) {
    err_prefix(err,
               "cannot load rows %" PRIu64 " to %" PRIu64 " (chunk %" PRIu64
               " of %" PRIu64 ") into 'sbtest%" PRIu64 "'",
               chunk->first, chunk->last, chunk->n + 1,
               table_of(t)->chunks.count, number_of(t));
    pace_clear(&l->pace);
  }
  return rc;
}

static void end_chunk(struct loader *t, int rc)
{
  struct load *l = t->load;
  struct table *table = table_of(t);

  (void)pthread_mutex_lock(&l->lock);
  table->busy--;
  if (rc < 0) {
    table->state = TABLE_FAILED;
    give_up(l);
  }
  (void)pthread_cond_broadcast(&l->changed);
  (void)pthread_mutex_unlock(&l->lock);
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

/* All processes stop: that others have given up is no failure. */
static bool was_stopped(struct load *l, int rc)
{
  return rc == -ECANCELED && load_is_stopped(l);
}

/* The table of the step is loaded: nobody is waited for any more. */
static int others_loaded(struct loader *t, struct err *err)
{
  int rc = share_loaded(&t->load->setup.share, err);

  if (rc < 0) {
    err_prefix(err, "cannot finish 'sbtest%" PRIu64 "'", number_of(t));
    end_step(t, TABLE_FAILED);
  }
  return rc;
}

/*
 * What comes before the caller's part of a step, where several processes load
 * the table; *ret_own false: there is no part for this one.
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
  end_step(t, TABLE_DONE);
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

    (void)pthread_mutex_lock(&l->lock);
    while ((pick = pick_next(t)) == PICK_WAIT)
      (void)pthread_cond_wait(&l->changed, &l->lock);
    if (pick >= PICK_CHUNK)
      take(t, pick, &chunk);
    (void)pthread_mutex_unlock(&l->lock);
    if (pick == PICK_CHUNK) {
      rc = load_chunk(t, &chunk, err);
      end_chunk(t, rc);
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
      pace_clear(&l->pace);
      return step_of(pick);
    }
  }
}

int loader_created(struct loader *t, enum load_origin origin, struct err *err)
{
  const struct load_setup *s = &t->load->setup;
  struct chunks *chunks = &table_of(t)->chunks;
  int from = (int)origin;
  int rc = 0;

  if (!share_is_alone(&s->share))
    rc = share_created(&s->share, from, &from, err);
  cut_table(s, t->one_writer, chunks);
  if (rc == 0 && from == LOAD_RESUME)
    rc = resume_find(t->conn, rows_of(t), chunks, err);
  if (rc < 0) {
    err_prefix(err, "cannot %s loading 'sbtest%" PRIu64 "'",
               from == LOAD_RESUME ? "resume" : "begin", number_of(t));
    end_step(t, TABLE_FAILED);
    return was_stopped(t->load, rc) ? 0 : rc;
  }
  if (from == LOAD_LEAVE && !share_is_alone(&s->share) &&
      (rc = others_loaded(t, err)) < 0)
    return rc;
  (void)atomic_fetch_add(&t->load->pace.there, from == LOAD_LEAVE
                                                 ? chunks_rows(chunks)
                                                 : chunks_rows_there(chunks));
  end_step(t, from == LOAD_LEAVE ? TABLE_DONE : TABLE_LOADING);
  return 0;
}

void loader_finished(struct loader *t)
{
  end_step(t, TABLE_DONE);
}

void loader_failed(struct loader *t)
{
  end_step(t, TABLE_FAILED);
}
