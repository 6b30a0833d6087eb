/*
 * sender.h - a thread that sends the bytes of a log to a listener (wire.h).
 * The source copies news into a batch.  After a break the batch is sent again.
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

/* Called by the sender's thread, with `arg`. */
struct ack_notices {
  void *arg;
  void (*lost)(void *arg, const char *why); /* link lost: records wait */
  void (*back)(void *arg); /* all waiting records have arrived */
  void (*full)(void *arg); /* no room: records are left out */
};

/* The next batch.  The file grows by chunks of ACK_WIRE_CHUNK bytes, without
 * gaps. */
struct ack_bytes {
  char *of; /* owned; begins with room for a struct ack_batch */
  size_t len;
  size_t room;     /* limit for the frames; lower on a slow link */
  size_t frame_at; /* the last frame; 0: none */
  bool last;       /* set by the source: the last batch of the log */
};

bool ack_bytes_have_room(const struct ack_bytes *b, size_t n);

/* `n` is a multiple of 8.  The caller has checked the room. */
void ack_bytes_put(struct ack_bytes *b, uint64_t offset, const void *bytes,
                   size_t n);

/* Adds chunks of zeros.  Returns the first chunk that did not fit, or `end`. */
uint64_t ack_bytes_begin(struct ack_bytes *b, uint64_t chunk, uint64_t end);

/* Called by the sender's thread, with `arg`. */
struct ack_source {
  void *arg;
  uint32_t chunks; /* limit for unfilled chunks */

  /* `beat`: add something, even without news.  `ending`: no news will follow,
   * so mark the last batch.  True: there is more. */
  bool (*fill)(void *arg, struct ack_bytes *b, bool beat, bool ending);

  void (*delivered)(void *arg); /* [opt] the listener has the batch */
  bool (*has_gaps)(void *arg);
};

struct ack_sender {
  struct ack_source source;
  struct ack_notices notices;
  const char *address; /* borrowed */
  struct ack_link link;

  pthread_t thread;
  bool runs; /* main thread only */
  _Atomic uint32_t word;
  _Atomic bool ending;       /* no more news; release, acquire */
  _Atomic uint64_t until_ns; /* end of each wait of the thread */

  /* Owned by the thread; after its end, by others. */
  struct ack_bytes bytes;
  uint64_t number;
  uint64_t sent_ns;
  bool broken, full; /* were announced */
  bool complete;
  struct err why;
};

/* WAITS.  `address` is borrowed.  Call ack_sender_done() also after a
 * failure. */
int ack_sender_init(struct ack_sender *s, const char *address,
                    const struct ack_source *source,
                    const struct ack_notices *notices, struct err *err);

/* Does nothing if the thread runs. */
int ack_sender_start(struct ack_sender *s, struct err *err);

/* Sends the rest and ends the thread.  WAITS ACK_WIRE_FLUSH_S at most.
 * `complete` and `why` have the outcome. */
void ack_sender_end(struct ack_sender *s);

/* Ends without sending the rest. */
void ack_sender_done(struct ack_sender *s);

struct ack_teller {
  const char *option, *address; /* borrowed */
};

/* Notices that write to the program's log.  `t` is borrowed. */
struct ack_notices ack_tell(struct ack_teller *t);

#endif
