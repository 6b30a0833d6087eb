/*
 * wire.h - the protocol between a run and `bench ack-listen`.
 *
 * The listener answers a hello with the name of the file.  With a token
 * (token.h) it asks for a proof first.  Each batch is answered when its bytes
 * are in the file; then the next one is sent.  A batch is a sequence of frames:
 * bytes and their offset.  The file consists of whole chunks, zeros at first.
 * No frame begins behind its end.  Its size is limited by the bytes sent and
 * the chunks announced in the hello.  After a lost link the run sends its hello
 * and the unanswered batch again.  A complete file is not opened again:
 * ACK_WIRE_COMPLETE.
 *
 * Numbers have the byte order of the run's machine.
 */
#ifndef BENCH_ACK_WIRE_H
#define BENCH_ACK_WIRE_H

#include <stdint.h>

#define ACK_WIRE_HELLO "bench ack hello\n"
#define ACK_WIRE_REPLY UINT32_C(0x594c5052)
#define ACK_WIRE_VERSION 2

/* Number of a reply whose text is a nonce; a struct ack_proof answers it. */
#define ACK_WIRE_CHALLENGE UINT64_MAX

enum {
  ACK_WIRE_CHUNK = 1 << 16,
  ACK_WIRE_BATCH = 1 << 20, /* without the struct ack_batch */
  ACK_WIRE_TEXT = 240,
  ACK_WIRE_COMPLETE = 2, /* `bad` of a reply */
  ACK_WIRE_NONCE = 32,
  ACK_WIRE_PROOF = 32,
  ACK_WIRE_QUIET_S = 10,
  ACK_WIRE_HEARTBEAT_MS = 500, /* longest silence of a run */

  /* How long a run that has ended waits for an unreachable listener, and for
   * all deliveries. */
  ACK_WIRE_END_S = 3,
  ACK_WIRE_FLUSH_S = 5,
};

/* Upper bound of --log-limit. */
#define ACK_WIRE_FILE_BYTES (UINT64_C(1) << 40)

struct ack_hello {
  char magic[16];
  uint64_t order;
  uint64_t run;
  uint64_t start_real_ns;
  uint32_t again;   /* 1: the file exists */
  uint32_t version; /* all versions have the members up to here */
  uint32_t chunks;  /* limit for unfilled chunks */
  uint32_t unused;
};

struct ack_proof {
  uint8_t mac[ACK_WIRE_PROOF];
};

struct ack_batch {
  uint64_t number; /* from 1 */
  uint32_t bytes;
  uint32_t last; /* 1: the run closes the link after the answer */
};

struct ack_frame {
  uint64_t offset;
  uint32_t bytes; /* a multiple of 8 */
  uint32_t unused;
};

/* The answer to a hello (number 0) or a batch. */
struct ack_reply {
  uint32_t magic;
  uint32_t bad; /* 1: failed, see `text`; 2: ACK_WIRE_COMPLETE */
  uint64_t number;
  char text[ACK_WIRE_TEXT]; /* number 0: the name of the file */
};

_Static_assert(sizeof(struct ack_hello) == 56, "the same on all machines");
_Static_assert(sizeof(struct ack_proof) == 32, "the same on all machines");
_Static_assert(sizeof(struct ack_batch) == 16, "the same on all machines");
_Static_assert(sizeof(struct ack_frame) == 16, "the same on all machines");
_Static_assert(sizeof(struct ack_reply) == 256, "the same on all machines");

#endif
