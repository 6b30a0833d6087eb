/*
 * sender.h - a thread that sends the bytes of a log to a listener (wire.h),
 * whatever the log is: its source copies what is new into a batch.
 *
 * The sender keeps a batch until the listener has it: after a break the same
 * batch is sent again.
 */
#ifndef BENCH_ACK_SENDER_H
#define BENCH_ACK_SENDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/link.h"
#include "base/err.h"

/* What is to be told of a log on another machine, by a thread of its own.  All
 * members are called with `arg`. */
struct ack_notices {
  void *arg;
  void (*lost)(void *arg, const char *why); /* the link: records wait */
  void (*back)(void *arg);                  /* they are there */
  void (*full)(void *arg); /* there is no room for more: they are left out */
};

/* What is sent next.  The file grows by chunks of ACK_WIRE_CHUNK bytes, from
 * its begin to its end: see ack_bytes_begin(). */
struct ack_bytes {
  char *of;        /* owned; begins with room for a struct ack_batch */
  size_t len;      /* bytes in it */
  size_t room;     /* that it may have: fewer on a slow link */
  size_t frame_at; /* its last frame; 0: there is none */
  bool last;       /* the source sets it: the log ends with this batch */
};

/* Is there room for n more bytes of the file? */
bool ack_bytes_have_room(const struct ack_bytes *b, size_t n);

/* Add bytes of the file, a multiple of 8; the caller has looked for room. */
void ack_bytes_put(struct ack_bytes *b, uint64_t offset, const void *bytes,
                   size_t n);

/*
 * The file has these chunks from now on, which are zeros until something is put
 * there.  Returns the number of the first one that it has not: `end`, unless
 * the batch is full.
 */
uint64_t ack_bytes_begin(struct ack_bytes *b, uint64_t chunk, uint64_t end);

/* The functions are called by the sender's thread, with `arg`. */
struct ack_source {
  void *arg;
  uint32_t chunks; /* that the file may have before they are filled */

  /*
   * Add what is new.  `beat`: something, even if nothing is new.  `ending`:
   * nothing comes after this, so the batch that has all is the last one.  True:
   * there is more.
   */
  bool (*fill)(void *arg, struct ack_bytes *b, bool beat, bool ending);

  void (*delivered)(void *arg); /* [opt] the listener has the batch */
  bool (*has_gaps)(void *arg);  /* was there no room for something? */
};

struct ack_sender {
  struct ack_source source;
  struct ack_notices notices;
  const char *address; /* borrowed */
  struct ack_link link;

  pthread_t thread;
  bool runs;                 /* the thread; of the main thread */
  _Atomic uint32_t word;     /* futex: changes with `ending` */
  _Atomic bool ending;       /* nobody writes any more; release, acquire */
  _Atomic uint64_t until_ns; /* when each wait of the thread ends */

  /* The thread's; of others, when it has ended. */
  struct ack_bytes bytes;
  uint64_t number;   /* of the batch */
  uint64_t sent_ns;  /* the last one that was delivered */
  bool broken, full; /* both were told */
  bool complete;     /* the listener has all */
  struct err why;    /* it does not */
};

/*
 * Connect to the listener at HOST:PORT, which makes the file; WAITS.  `address`
 * is borrowed.  ack_sender_done() is needed also after a failure.
 */
int ack_sender_init(struct ack_sender *s, const char *address,
                    const struct ack_source *source,
                    const struct ack_notices *notices, struct err *err);

/* Start the thread; again: nothing. */
int ack_sender_start(struct ack_sender *s, struct err *err);

/*
 * Nobody writes any more: send the rest, and end the thread.  WAITS for
 * ACK_WIRE_FLUSH_S at most.  Then `complete` and `why` say what has become of
 * it.
 */
void ack_sender_end(struct ack_sender *s);

/* End it without the rest. */
void ack_sender_done(struct ack_sender *s);

#endif
