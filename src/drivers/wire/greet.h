/*
 * greet.h - what a login consists of in the eyes of whoever carries its bytes.
 *
 * Each driver has a part that knows what a client and its server say to each
 * other, bytes in and bytes out, without a socket.
 */
#ifndef BENCH_DRIVERS_WIRE_GREET_H
#define BENCH_DRIVERS_WIRE_GREET_H

#include "drivers/wire/buffer.h"

enum {
  GREET_MESSAGE_MAX = 64 * 1024, /* bytes of one message */
  GREET_TOTAL_MAX = 1024 * 1024, /* ... of all until the server is ready */
};

enum greet_rc {
  GREET_MORE,   /* more bytes of the server are needed */
  GREET_READY,  /* the server awaits a statement: the last one was answered */
  GREET_FAILED, /* it has a text that says why */
  GREET_CANNOT, /* only the library can: it has a text that says why */
  GREET_LATE,   /* the time is over */
};

/*
 * Consume the messages of the server that are complete, and append to `out`
 * what is to be sent.  After anything but GREET_MORE and GREET_READY, the
 * session has to be closed.
 */
typedef enum greet_rc greet_take(void *greet, struct wire_buffer *in,
                                 struct wire_buffer *out);

#endif
