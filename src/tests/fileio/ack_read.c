/*
 * ack_read.c - reads the log of acknowledged writes.
 */
#include "tests/fileio/ack_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/* A header with these numbers cannot be one that a run has written. */
#define MAX_BLOCKS (UINT64_C(1) << 48)

static int refuse(const struct ack_reader *r, const char *why, struct err *err)
{
  return err_set(err, -EINVAL, "Cannot use '%s': %s", r->path, why);
}

static int check_header(struct ack_reader *r, struct err *err)
{
  const struct ack_header *h = &r->header;
  const bool whole = fread(&r->header, sizeof(r->header), 1, r->file) == 1;
  uint64_t per_file;

  if (ferror(r->file))
    return err_sys(err, "Cannot read file '%s'", r->path);
  if (!whole || memcmp(h->magic, ACK_MAGIC, sizeof(h->magic)) != 0)
    return refuse(r, "it is no log of --file-ack-log", err);
  if (h->check != ack_header_check(h) || h->block == 0 || h->files == 0 ||
      h->file_bytes == 0)
    return refuse(r, "the beginning of the log is damaged", err);
  per_file = ack_blocks_per_file(h);
  if (per_file > MAX_BLOCKS / h->files)
    return refuse(r, "the beginning of the log is damaged", err);
  r->blocks = per_file * h->files;
  return 0;
}

int ack_open(struct ack_reader *r, const char *path, struct err *err)
{
  int rc;

  *r = (struct ack_reader){ .path = path };
  r->file = fopen(path, "re");
  if (!r->file)
    return err_sys(err, "Cannot open file '%s'", path);
  rc = check_header(r, err);
  if (rc == 0)
    rc = ack_rewind(r, err);
  if (rc < 0)
    ack_close(r);
  return rc;
}

void ack_close(struct ack_reader *r)
{
  if (r->file)
    (void)fclose(r->file);
  r->file = NULL;
}

int ack_rewind(struct ack_reader *r, struct err *err)
{
  r->next = r->missing = r->damaged = r->gap = 0;
  if (fseeko(r->file, (off_t)ACK_HEADER_BYTES, SEEK_SET) < 0)
    return err_sys(err, "Cannot read file '%s'", r->path);
  return 0;
}

/* Is it a record of this log, about blocks or files that exist? */
static bool is_good(const struct ack_reader *r, const struct ack_record *rec,
                    uint64_t index)
{
  if (rec->check != ack_check(rec, r->header.run, index))
    return false;
  switch (rec->kind) {
  case ACK_BEGUN:
  case ACK_WRITTEN:
  case ACK_DURABLE:
    return rec->block < r->blocks && rec->n > 0 &&
           rec->n <= r->blocks - rec->block;
  case ACK_SYNCED:
  case ACK_SYNC_FAILED:
    return rec->block < r->header.files;
  default:
    return rec->kind == ACK_END;
  }
}

bool ack_next(struct ack_reader *r, struct ack_record *ret)
{
  uint64_t missing = 0;

  while (fread(ret, sizeof(*ret), 1, r->file) == 1) {
    r->index = r->next++;
    if (is_good(r, ret, r->index)) {
      r->missing += missing;
      return true;
    }
    if (r->missing + missing + r->damaged == 0)
      r->gap = r->index;
    missing++;
    r->damaged += atomic_load_explicit(&ret->check, memory_order_relaxed) != 0;
  }
  return false;
}

int ack_check_end(const struct ack_reader *r, struct err *err)
{
  return ferror(r->file) ? err_sys(err, "Cannot read file '%s'", r->path) : 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* What is known about a file: see enum ack_kind. */
struct sync {
  uint64_t before; /* records with a lower number are acknowledged */
  bool failed;
};

/* Finds the last acknowledged record of each file. */
static int collect_syncs(struct ack_reader *r, struct sync *sync,
                         struct ack_summary *sum, struct err *err)
{
  struct ack_record rec;

  while (ack_next(r, &rec)) {
    sum->last_ms = rec.ms > sum->last_ms ? rec.ms : sum->last_ms;
    if (rec.kind == ACK_SYNC_FAILED) {
      sync[rec.block].failed = true;
    } else if (rec.kind == ACK_SYNCED && !sync[rec.block].failed) {
      sum->syncs++;
      sync[rec.block].before = max_u64(sync[rec.block].before, rec.generation);
    } else if (rec.kind == ACK_END) {
      sum->ended = true;
    }
  }
  /* A killed process leaves records behind whose check is still 0, but one
   * that has ended properly leaves none. */
  sum->gaps = sum->ended || (r->header.where & ACK_SENT) ? r->missing : 0;
  sum->gaps = max_u64(sum->gaps, r->damaged);
  sum->gap_at = ACK_HEADER_BYTES + r->gap * sizeof(rec);
  sum->open = sum->gaps > 0 || (!sum->ended && (r->header.where & ACK_SENT));
  return ack_check_end(r, err);
}

static void raise_to(struct ack_block *block, const struct ack_record *rec,
                     bool acked)
{
  for (uint32_t i = 0; i < rec->n; i++) {
    struct ack_block *b = &block[rec->block + i];

    if (acked)
      b->acked = max_u64(b->acked, rec->generation + i);
    b->begun = max_u64(b->begun, rec->generation + i);
  }
}

static int collect_blocks(struct ack_reader *r, const struct sync *sync,
                          struct ack_block *block, struct ack_summary *sum,
                          struct err *err)
{
  const uint64_t per_file = ack_blocks_per_file(&r->header);
  struct ack_record rec;

  while (ack_next(r, &rec)) {
    bool acked = rec.kind == ACK_DURABLE;

    if (rec.kind > ACK_DURABLE)
      continue;
    if (rec.kind == ACK_WRITTEN)
      acked = r->index < sync[rec.block / per_file].before;
    raise_to(block, &rec, acked);
    if (rec.kind == ACK_BEGUN)
      sum->begun += rec.n;
    else
      sum->written += rec.n;
    sum->acked += acked ? rec.n : 0;
  }
  for (uint64_t i = 0; sum->open && i < r->blocks; i++) {
    if (block[i].begun == block[i].acked || !(r->header.where & ACK_SENT))
      block[i].begun = ACK_NOBODY_KNOWS;
  }
  return ack_check_end(r, err);
}

int ack_collect(struct ack_reader *r, struct ack_block **ret,
                struct ack_summary *ret_sum, struct err *err)
{
  struct ack_summary sum = { 0 };
  struct sync *sync = calloc(r->header.files, sizeof(*sync));
  struct ack_block *block = calloc(r->blocks, sizeof(*block));
  int rc = 0;

  if (!sync || !block)
    rc = err_set(err, -ENOMEM,
                 "cannot allocate what the log says about %" PRIu64 " blocks",
                 r->blocks);
  if (rc == 0)
    rc = collect_syncs(r, sync, &sum, err);
  if (rc == 0)
    rc = ack_rewind(r, err);
  if (rc == 0)
    rc = collect_blocks(r, sync, block, &sum, err);
  free(sync);
  if (rc < 0) {
    free(block);
    return rc;
  }
  *ret = block;
  *ret_sum = sum;
  return 0;
}

/* Returns the first origin with at least this generation. */
static size_t first_from(const struct ack_origin *origin, size_t n,
                         uint64_t generation)
{
  size_t low = 0, high = n;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (origin[middle].generation < generation)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int ack_find_origins(struct ack_reader *r, struct ack_origin *origin, size_t n,
                     struct err *err)
{
  struct ack_record rec;
  int rc = n > 0 ? ack_rewind(r, err) : 0;

  if (rc < 0 || n == 0)
    return rc;
  while (ack_next(r, &rec)) {
    if (rec.kind != ACK_WRITTEN && rec.kind != ACK_DURABLE)
      continue;
    for (size_t i = first_from(origin, n, rec.generation);
         i < n && origin[i].generation < rec.generation + rec.n; i++) {
      origin[i].writer = rec.writer;
      origin[i].ms = rec.ms;
    }
  }
  return ack_check_end(r, err);
}
