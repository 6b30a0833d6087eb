/*
 * format.h - the file of an acknowledgement log.
 *
 * The file is a sequence of chunks of ACK_CHUNK bytes.  The first one is the
 * header.  Each of the others belongs to one client, begins with a
 * struct ack_chunk, and is filled with records from its beginning.  The chunks
 * of a client are in the order of time; a chunk of zeros was never used.
 *
 * A record is stored as an intent before COMMIT is sent, and gets its outcome
 * in the same place.  So a process that is killed leaves a file that says which
 * outcomes are unknown.  Numbers have the byte order of the machine.
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
  ACK_QUERY = 32768, /* bytes of the query, with its terminator */
};

/* The state of a record.  They differ in many bits, so that a damaged one is
 * noticed. */
enum ack_state {
  ACK_EMPTY = 0,
  ACK_INTENT = 0x544e4920,  /* COMMIT was about to be sent */
  ACK_ACKED = 0x444b4341,   /* the server has said that it is committed */
  ACK_ABORTED = 0x54424100, /* ... or that it is not */
  ACK_UNKNOWN = 0x4b4e5500, /* the connection was lost before the answer */
  ACK_LOST = 0x54534f4c,    /* no number: the client has lost a connection,
                             * or left its server */
};

/* What the query of a log returns. */
enum ack_kind {
  ACK_NUMBERS = 1, /* the numbers that are in the database, one per row */
  ACK_TOTAL = 2,   /* one number: how much work is in the database */
};

enum ack_flags {
  ACK_OTHERS = 1 << 0, /* the query finds work that this log does not name */
  ACK_REMOTE = 1 << 1, /* sent by another machine: the end may be missing */
  ACK_MISSES = 1 << 2, /* there was no room for some records */
};

struct ack_header {
  char magic[64]; /* ACK_MAGIC and the end of a line, then zeros */
  uint64_t order; /* ACK_ORDER */
  uint32_t chunk_bytes, record_bytes;
  uint64_t start_ns;       /* clock_now_ns() at the begin... */
  uint64_t start_real_ns;  /* ...and that moment since 1970 */
  _Atomic uint64_t end_ns; /* 0: the run did not end in the usual way */
  uint32_t clients;
  uint32_t kind;   /* enum ack_kind; 0: the script has named no query */
  uint32_t flags;  /* enum ack_flags */
  uint32_t chunks; /* with an end: all of the file, but for the header */
  double before;   /* ACK_TOTAL: the total before the run */
  char test[64];
  char query[ACK_QUERY];
  uint64_t covered_ns; /* ACK_REMOTE: outcomes up to about then are here */

  /* Of a run of several processes: which one, of how many, and a number that
   * all of them have; else zeros.  The first logs of format 1 have no number.
   */
  uint32_t rank, ranks;
  uint64_t run;
};

struct ack_chunk {
  uint32_t magic;  /* ACK_CHUNK_MAGIC */
  uint32_t client; /* from 0 */
  uint64_t number; /* of the client's chunks, from 0 */
  uint64_t unused[3];
};

struct ack_record {
  uint64_t id;            /* what the script calls it */
  uint64_t intent_ns;     /* clock_now_ns() */
  uint64_t done_ns;       /* of the outcome; 0: there is none yet */
  uint64_t check;         /* ack_check() */
  _Atomic uint32_t state; /* enum ack_state; stored last, released */
  uint32_t client;
};

_Static_assert(sizeof(struct ack_record) == 40, "format 1");
_Static_assert(sizeof(struct ack_chunk) == sizeof(struct ack_record),
               "a chunk begins with the room of one record");

enum {
  /* Behind the chunk's own head. */
  ACK_RECORDS = ACK_CHUNK / (int)sizeof(struct ack_record) - 1
};

/* May records be missing that the run has written? */
static inline bool ack_is_incomplete(const struct ack_header *h)
{
  return (h->flags & ACK_MISSES) != 0 ||
         ((h->flags & ACK_REMOTE) != 0 && atomic_load(&h->end_ns) == 0);
}

/* A word that changes with each bit of an intent. */
static inline uint64_t ack_check(const struct ack_record *r)
{
  uint64_t x = r->id * UINT64_C(0x9e3779b97f4a7c15) ^ r->intent_ns;

  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93) + r->client;
  return x ^ x >> 29;
}

#endif
