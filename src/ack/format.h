/*
 * format.h - the file of an acknowledgement log: chunks of ACK_CHUNK bytes.
 * The first is the header.  Every other chunk belongs to one client: a struct
 * ack_chunk, then records.  A client's chunks are ordered by time.  Unused
 * chunks contain zeros.
 *
 * A record is stored before COMMIT is sent, and gets its outcome in place.
 * Numbers have the byte order of the machine.
 */
#ifndef BENCH_ACK_FORMAT_H
#define BENCH_ACK_FORMAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ACK_MAGIC "bench acknowledgements 1"
#define ACK_ORDER UINT64_C(0x0102030405060708)
#define ACK_CHUNK_MAGIC 0x4b4e4843u

enum {
  ACK_CHUNK = 65536,
  ACK_QUERY = 32768,
};

/* The values differ in many bits, so that damage is noticed. */
enum ack_state {
  ACK_EMPTY = 0,
  ACK_INTENT = 0x544e4920,
  ACK_ACKED = 0x444b4341,
  ACK_ABORTED = 0x54424100,
  ACK_UNKNOWN = 0x4b4e5500,
  ACK_LOST = 0x54534f4c, /* the client has lost or left its server */
};

enum ack_kind {
  ACK_NUMBERS = 1, /* the query returns one row per number */
  ACK_TOTAL = 2,   /* the query returns one number */
};

enum ack_flags {
  ACK_OTHERS = 1 << 0, /* the query finds work that this log lacks */
  ACK_REMOTE = 1 << 1, /* sent by another machine: the end can be missing */
  ACK_MISSES = 1 << 2, /* records were left out for lack of room */
};

struct ack_header {
  char magic[64]; /* ACK_MAGIC, a newline, zeros */
  uint64_t order;
  uint32_t chunk_bytes, record_bytes;
  uint64_t start_ns;       /* clock_now_ns() at the start */
  uint64_t start_real_ns;  /* the same moment since 1970 */
  _Atomic uint64_t end_ns; /* 0: the run did not end properly */
  uint32_t clients;
  uint32_t kind; /* enum ack_kind */
  uint32_t flags;
  uint32_t chunks; /* without the header; valid if end_ns is set */
  double before;   /* ACK_TOTAL: the total before the run */
  char test[64];
  char query[ACK_QUERY];
  uint64_t covered_ns; /* ACK_REMOTE: outcomes up to about this time */

  /* A run of several processes.  `run` is 0 in the first logs of format 1. */
  uint32_t rank, ranks;
  uint64_t run;
};

struct ack_chunk {
  uint32_t magic;
  uint32_t client;
  uint64_t number; /* among the chunks of the client, from 0 */
  uint64_t unused[3];
};

struct ack_record {
  uint64_t id; /* given by the script */
  uint64_t intent_ns;
  uint64_t done_ns; /* 0: no outcome yet */
  uint64_t check;
  _Atomic uint32_t state; /* enum ack_state; stored last, released */
  uint32_t client;
};

_Static_assert(sizeof(struct ack_record) == 40, "format 1");
_Static_assert(sizeof(struct ack_chunk) == sizeof(struct ack_record),
               "a chunk begins with the room of one record");

enum {
  ACK_RECORDS = ACK_CHUNK / (int)sizeof(struct ack_record) - 1
};

static inline bool ack_is_incomplete(const struct ack_header *h)
{
  return (h->flags & ACK_MISSES) != 0 ||
         ((h->flags & ACK_REMOTE) != 0 && atomic_load(&h->end_ns) == 0);
}

static inline uint64_t ack_check(const struct ack_record *r)
{
  uint64_t x = r->id * UINT64_C(0x9e3779b97f4a7c15) ^ r->intent_ns;

  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93) + r->client;
  return x ^ x >> 29;
}

struct ack_totals {
  uint64_t acked, aborted, unknown; /* unknown: also without an outcome */
};

static inline void ack_totals_add(struct ack_totals *t, uint32_t state)
{
  t->acked += state == ACK_ACKED;
  t->aborted += state == ACK_ABORTED;
  t->unknown += state == ACK_INTENT || state == ACK_UNKNOWN;
}

#endif
