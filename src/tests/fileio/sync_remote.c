/*
 * sync_remote.c - the log of acknowledged writes on another machine.
 */
#include "tests/fileio/sync_remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ack/sender.h"
#include "ack/tell.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"

enum {
  MOST_BYTES = 256 << 20, /* that wait for the listener */
  EARLY_CHUNKS = 16384,   /* of the file, for records that were left out */
};

struct sync_remote {
  struct ack_sender sender;
  struct ack_teller teller;
  struct ack_header header;
  struct sync_pieces pieces;
  struct ack_record nothing; /* only its address counts */
  _Atomic uint64_t passed;   /* pieces before it are not there any more */
  _Atomic uint64_t gaps;     /* pieces that were left out */

  /* The sender's thread's. */
  uint64_t at;      /* record that is sent next */
  uint64_t copied;  /* records before it, without those that were left out */
  bool has_header;  /* the batches have it */
  uint64_t arrived; /* records that are there */
};

static uint64_t bytes_of(const struct sync_pieces *p)
{
  return p->records * sizeof(struct ack_record);
}

struct ack_record *sync_remote_nothing(struct sync_remote *r)
{
  return &r->nothing;
}

int sync_remote_make(struct sync_remote *r, uint64_t i, struct err *err)
{
  const struct sync_pieces *p = &r->pieces;
  struct ack_record *piece = &r->nothing;

  if ((i - atomic_load(&r->passed)) * bytes_of(p) < MOST_BYTES) {
    piece = mem_pages(bytes_of(p));
    if (!piece)
      return err_set(err, -ENOMEM, "not enough memory for --file-ack-log");
  } else {
    (void)atomic_fetch_add(&r->gaps, 1);
  }
  /* Release: pairs with the acquire of who adds records. */
  atomic_store_explicit(&p->of[i], piece, memory_order_release);
  return 0;
}

/* ---- the sender's thread ---- */

/* Adds records of a piece, and returns how many are complete and fit. */
static uint64_t copy(struct ack_bytes *b, const struct ack_record *of,
                     uint64_t first, uint64_t last, uint64_t at)
{
  uint64_t n = 0;

  while (first + n < last && ack_bytes_have_room(b, (n + 1) * sizeof(*of)) &&
         atomic_load_explicit(&of[first + n].check, memory_order_acquire) != 0)
    n++;
  if (n > 0)
    ack_bytes_put(b, ACK_HEADER_BYTES + at * sizeof(*of), &of[first],
                  n * sizeof(*of));
  return n;
}

/* Returns how many of n records that were left out have a place in the file. */
static uint64_t leave_out(struct ack_bytes *b, uint64_t n, uint64_t at)
{
  const uint64_t each = ACK_WIRE_CHUNK / sizeof(struct ack_record);
  const uint64_t from = ACK_HEADER_BYTES / ACK_WIRE_CHUNK + at / each;

  return (ack_bytes_begin(b, from, from + n / each) - from) * each;
}

/* Nobody adds to the piece any more. */
static void free_piece(struct sync_remote *r, uint64_t i,
                       struct ack_record *piece)
{
  atomic_store_explicit(&r->pieces.of[i], &r->nothing, memory_order_release);
  atomic_store(&r->passed, i + 1);
  if (piece != &r->nothing)
    mem_pages_free(piece, bytes_of(&r->pieces));
}

/* False: no complete record follows, or the batch is full. */
static bool copy_piece(struct sync_remote *r, struct ack_bytes *b)
{
  const struct sync_pieces *p = &r->pieces;
  const uint64_t i = r->at / p->records, k = r->at % p->records;
  struct ack_record *piece = NULL;
  uint64_t n = p->records - k;

  if (i < p->most && r->at < atomic_load(p->count))
    piece = atomic_load_explicit(&p->of[i], memory_order_acquire);
  if (!piece)
    return false;
  if (piece == &r->nothing) {
    n = leave_out(b, n, r->at);
  } else {
    n = copy(b, piece, k, p->records, r->at);
    r->copied += n;
  }
  r->at += n;
  if (k + n < p->records)
    return false;
  free_piece(r, i, piece);
  return true;
}

static bool fill(void *arg, struct ack_bytes *b, bool beat, bool ending)
{
  struct sync_remote *r = arg;

  if (beat || ending || !r->has_header) /* the last batch has bytes, too */
    ack_bytes_put(b, 0, &r->header, sizeof(r->header));
  r->has_header = true;
  while (copy_piece(r, b))
    ;
  if (!ack_bytes_have_room(b, sizeof(struct ack_record)))
    return true;
  b->last = ending;
  return false;
}

static void note_arrived(void *arg)
{
  struct sync_remote *r = arg;

  r->arrived = r->copied;
}

static bool has_gaps(void *arg)
{
  struct sync_remote *r = arg;

  return atomic_load(&r->gaps) > 0;
}

/* ---- its life ---- */

int sync_remote_new(struct sync_remote **ret, const char *address,
                    const struct ack_header *header,
                    const struct sync_pieces *pieces, struct err *err)
{
  struct sync_remote *r = calloc(1, sizeof(*r));
  const struct ack_source source = {
    .arg = r,
    .chunks = EARLY_CHUNKS,
    .fill = fill,
    .delivered = note_arrived,
    .has_gaps = has_gaps,
  };
  struct ack_notices notices;
  int rc;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --file-ack-log");
  r->teller = (struct ack_teller){ "--file-ack-log", address };
  r->header = *header;
  r->pieces = *pieces;
  notices = ack_tell(&r->teller);
  rc = ack_sender_init(&r->sender, address, &source, &notices, err);
  if (rc < 0)
    err_prefix(err, "--file-ack-log: no listener at %.200s", address);
  else
    rc = ack_sender_start(&r->sender, err);
  if (rc < 0) {
    sync_remote_free(r);
    return rc;
  }
  *ret = r;
  return 0;
}

int sync_remote_end(struct sync_remote *r, struct err *err)
{
  const uint64_t all = atomic_load(r->pieces.count);
  uint64_t missing;

  ack_sender_end(&r->sender);
  /* After a forced end there may be more than at the begin of this. */
  missing = all - min_u64(r->arrived, all);
  if (!r->sender.complete)
    return err_set(err, -EPIPE,
                   "--file-ack-log: the log '%s' at %.200s is not complete, "
                   "%" PRIu64 " of %" PRIu64 " records are not there: %.400s",
                   r->sender.link.file, r->teller.address, missing, all,
                   r->sender.why.text);
  if (has_gaps(r))
    return err_set(err, -ENOBUFS,
                   "--file-ack-log: the log '%s' at %.200s has gaps, %" PRIu64
                   " of %" PRIu64
                   " records are not there: the listener was too slow",
                   r->sender.link.file, r->teller.address, missing, all);
  if (missing > 0)
    return err_set(err, -EPIPE,
                   "--file-ack-log: the log '%s' at %.200s is not complete, "
                   "%" PRIu64 " of %" PRIu64 " records are not there: the run "
                   "ended while they were written",
                   r->sender.link.file, r->teller.address, missing, all);
  log_msg(LOG_NOTICE,
          "\nLog of acknowledged writes '%s' at %s: %" PRIu64 " records\n",
          r->sender.link.file, r->teller.address, all);
  return 0;
}

void sync_remote_free(struct sync_remote *r)
{
  if (!r)
    return;
  ack_sender_done(&r->sender);
  for (uint64_t i = 0; i < r->pieces.most && r->pieces.of[i]; i++) {
    if (r->pieces.of[i] != &r->nothing)
      mem_pages_free(r->pieces.of[i], bytes_of(&r->pieces));
  }
  free(r);
}
