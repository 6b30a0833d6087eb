/*
 * wire.h - what a run and `bench ack-listen` say to each other.
 *
 * The run says hello, and the listener answers with the name of the file.  A
 * listener that has a token (token.h) asks for a proof in between.  Then the
 * run sends batches, one at a time; the listener answers each when its bytes
 * are in the file.  A batch is a sequence of frames: bytes, and their place in
 * the file.  A file has whole chunks of ACK_WIRE_CHUNK bytes, zeros at first,
 * no frame begins behind its end, and it is not longer than what was sent and
 * the chunks that the hello has announced.  To send a batch again changes
 * nothing, so a run that has lost its link says hello again and repeats the
 * batch without an answer.  A file whose last batch has arrived is complete and
 * is not opened again: the answer to the hello is ACK_WIRE_COMPLETE.
 *
 * Numbers have the byte order of the run's machine, which the file has, too.
 */
#ifndef BENCH_ACK_WIRE_H
#define BENCH_ACK_WIRE_H

#include <stdint.h>

#define ACK_WIRE_HELLO "bench ack hello\n"
#define ACK_WIRE_REPLY UINT32_C(0x594c5052)
#define ACK_WIRE_VERSION 2

/* The number of a reply whose text is a nonce that asks for a struct ack_proof.
 */
#define ACK_WIRE_CHALLENGE UINT64_MAX

enum {
  ACK_WIRE_CHUNK = 1 << 16, /* the file has whole chunks of so many bytes */
  ACK_WIRE_BATCH = 1 << 20, /* bytes of a batch, without its head */
  ACK_WIRE_TEXT = 240,      /* with the terminator */
  ACK_WIRE_COMPLETE = 2,    /* `bad` of a reply */
  ACK_WIRE_NONCE = 32,
  ACK_WIRE_PROOF = 32,
  ACK_WIRE_QUIET_S = 10,       /* so long without a word: the link is broken */
  ACK_WIRE_HEARTBEAT_MS = 500, /* so often the run says something */

  /* So long a run that has ended waits for a listener that cannot be reached,
   * and for all that is to be sent. */
  ACK_WIRE_END_S = 3,
  ACK_WIRE_FLUSH_S = 5,
};

/* The most that a listener may be told to allow for a file. */
#define ACK_WIRE_FILE_BYTES (UINT64_C(1) << 40)

struct ack_hello {
  char magic[16];         /* ACK_WIRE_HELLO */
  uint64_t order;         /* ACK_ORDER */
  uint64_t run;           /* a random number */
  uint64_t start_real_ns; /* since 1970 */
  uint32_t again;         /* 1: the file exists, and goes on */
  uint32_t version;       /* ACK_WIRE_VERSION; up to here in all versions */
  uint32_t chunks;        /* that the file may have before they are filled */
  uint32_t unused;
};

/* The answer to a challenge. */
struct ack_proof {
  uint8_t mac[ACK_WIRE_PROOF];
};

struct ack_batch {
  uint64_t number; /* from 1 */
  uint32_t bytes;  /* of the frames that follow, one at least */
  uint32_t last;   /* 1: the run closes the link after the answer */
};

struct ack_frame {
  uint64_t offset; /* in the file */
  uint32_t bytes;  /* that follow; a multiple of 8 */
  uint32_t unused;
};

/* The answer to a hello, as number 0, and to each batch. */
struct ack_reply {
  uint32_t magic; /* ACK_WIRE_REPLY */
  uint32_t bad;   /* 1: it was not written, and `text` says why; 2, to a hello:
                     ACK_WIRE_COMPLETE */
  uint64_t number;
  char text[ACK_WIRE_TEXT]; /* number 0: the name of the file */
};

_Static_assert(sizeof(struct ack_hello) == 56, "the same on all machines");
_Static_assert(sizeof(struct ack_proof) == 32, "the same on all machines");
_Static_assert(sizeof(struct ack_batch) == 16, "the same on all machines");
_Static_assert(sizeof(struct ack_frame) == 16, "the same on all machines");
_Static_assert(sizeof(struct ack_reply) == 256, "the same on all machines");

#endif
