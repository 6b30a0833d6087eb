/*
 * wal.c - the log of a database: many threads commit a record each, and a
 * leader appends and synchronises the records that have arrived. The files are
 * segments, written one after another and then again from the first. An event
 * ends when its record is durable.
 */
#include "tests/fileio/group.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/wait.h"
#include "tests/fileio/engine.h"

void group_publish(struct group *g, uint64_t n)
{
  atomic_fetch_add(&g->durable, n);
  atomic_store(&g->led, false);
  /* After the lead is free: a thread that saw it taken must not sleep through
   * the change. */
  atomic_fetch_add(&g->news, 1);
  wait_wake_all(&g->news);
}

bool group_await(struct group *g, uint64_t record, struct group_part *ret)
{
  for (;;) {
    const uint32_t news = atomic_load(&g->news);

    if (atomic_load(&g->durable) > record)
      return false;
    if (!atomic_exchange(&g->led, true)) {
      ret->first = atomic_load(&g->durable);
      if (ret->first <= record) {
        ret->n = atomic_load(&g->handed_in) - ret->first;
        return true;
      }
      group_publish(g, 0); /* the last leader has done the work */
      return false;
    }
    wait_while(&g->news, news, WAIT_FOREVER);
  }
}

/* Of a leader's write, which has at least one record. */
#define PART_BYTES (UINT64_C(1) << 20)

struct wal {
  struct group group;
  uint64_t part_max; /* records in a write */
  size_t bytes;
  char *buf; /* owned */
};

struct wal_engine {
  struct io *io;
  struct wal *wal;
  bool durable_writes; /* O_SYNC, O_DSYNC */
} CACHE_ALIGNED;

static int engine_wal_begin(struct fileio *fio, struct err *err)
{
  const uint64_t record = fio->layout.request;
  const uint64_t n = record < PART_BYTES ? PART_BYTES / record : 1;
  struct wal *wal = mem_aligned(1, sizeof(*wal), CACHE_LINE);

  fio->wal = wal;
  if (wal) {
    wal->part_max = min_u64(n, fio->layout.per_file);
    wal->bytes = wal->part_max * record;
    wal->buf = mem_pages(wal->bytes);
  }
  if (!wal || !wal->buf)
    return err_set(err, -ENOMEM, "cannot allocate the log");
  return 0;
}

static void engine_wal_end(struct fileio *fio)
{
  struct wal *wal = fio->wal;

  if (wal)
    mem_pages_free(wal->buf, wal->bytes);
  free(wal);
  fio->wal = NULL;
}

static void engine_wal_close(void *engine)
{
  free(engine);
}

static int engine_wal_open(struct io *io, void **ret, struct err *err)
{
  struct wal_engine *e = mem_aligned(1, sizeof(*e), CACHE_LINE);

  if (!e)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  e->io = io;
  e->wal = io->fio->wal;
  e->durable_writes = io->fio->flags & (FILE_FLAG_SYNC | FILE_FLAG_DSYNC);
  *ret = e;
  return 0;
}

static int engine_wal_sync(void *engine, uint32_t file, struct err *err)
{
  const struct wal_engine *e = engine;

  return io_sync(e->io, file, io_now(e->io), err);
}

static struct request engine_wal_first_of(const struct wal_engine *e,
                                          const struct group_part *part,
                                          uint64_t *ret_n)
{
  const struct layout *l = &e->io->fio->layout;
  const uint64_t place = part->first % l->places;
  const uint64_t index = place % l->per_file;
  const uint64_t n = min_u64(min_u64(part->n, e->wal->part_max),
                             l->per_file - index);
  struct request r = {
    .op = FILE_OP_WRITE,
    .file = (uint32_t)(place / l->per_file),
    .offset = index * l->request,
    .place = place,
  };

  r.length = (uint32_t)min_u64(n * l->request, l->file_bytes - r.offset);
  *ret_n = n;
  return r;
}

static int engine_wal_write_records(struct wal_engine *e,
                                    const struct request *r, struct err *err)
{
  struct io *io = e->io;
  uint64_t start_ns, generation;
  ssize_t done;
  int rc = io_fill(io, r, e->wal->buf, &generation, err);

  if (rc < 0)
    return rc;
  start_ns = io_now(io);
  done = calls_transfer(io->fio->files.fd[r->file], r, e->wal->buf);
  if (done < 0)
    return io_failed(io, r, 0, errno, err);
  if (done != (ssize_t)r->length)
    return io_short(io, r, e->wal->buf, (uint64_t)done, err);
  io_done(io, FILE_OP_WRITE, r->length, start_ns, io_now(io));
  return io_written(io, r, generation, err);
}

static int engine_wal_lead(struct wal_engine *e, const struct group_part *part,
                           struct err *err)
{
  uint64_t n = 0;
  const struct request r = engine_wal_first_of(e, part, &n);
  int rc = engine_wal_write_records(e, &r, err);

  if (rc == 0 && !e->durable_writes)
    rc = engine_wal_sync(e, r.file, err);
  group_publish(&e->wal->group, rc == 0 ? n : 0);
  return rc;
}

static int engine_wal_execute(void *engine, const struct request *r,
                              struct err *err)
{
  struct wal_engine *e = engine;
  const uint64_t start_ns = io_start(e->io);
  const uint64_t record = group_hand_in(&e->wal->group);
  struct group_part part;
  int rc = 0;

  while (rc == 0 && group_await(&e->wal->group, record, &part))
    rc = engine_wal_lead(e, &part, err);
  if (rc == 0)
    io_done(e->io, r->op, 0, start_ns, io_now(e->io));
  return rc;
}

const struct engine_ops engine_wal = {
  .title = "synchronous",
  .begin = engine_wal_begin,
  .end = engine_wal_end,
  .open = engine_wal_open,
  .close = engine_wal_close,
  .execute = engine_wal_execute,
  .sync = engine_wal_sync,
};
