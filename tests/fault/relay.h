/*
 * relay.h - one connection through the proxy: two sockets, and the data that
 * is on its way between them.
 */
#ifndef TESTS_FAULT_RELAY_H
#define TESTS_FAULT_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk;

/* One direction.  Data waits in a queue until it is due. */
struct flow {
  struct chunk *head, *tail;
  size_t queued_bytes; /* reading pauses above a limit */
  uint64_t free_ns;    /* with a rate: when all of the queue is due */
  uint64_t due_end_ns; /* when the sender's end of data may be passed on */
  bool ended;          /* the sender will send no more */
  bool passed_end;     /* and the receiver was told */
  bool broken;         /* the end was an error, the receiver gets a reset */
};

enum {
  CLIENT,
  SERVER
};

struct relay {
  struct relay *next;
  int fd[2];       /* by CLIENT and SERVER; SERVER is -1 until connected to */
  bool connecting; /* connect() to the server has not finished yet */
  struct flow flow[2]; /* by the side that sends */
};

/* What holds for all relays at the moment. */
struct weather {
  bool blackhole;    /* take data, pass nothing on, connect to nobody */
  uint64_t delay_ns; /* added to what arrives from now on */
  uint64_t rate;     /* bytes per second, in each direction; 0: no limit */
};

/* Owns `client_fd` from here on, also when it fails (NULL). */
struct relay *relay_new(int client_fd);

/* With `reset`, both peers see a broken connection instead of an end. */
void relay_free(struct relay *r, bool reset);

/* Hands over a socket on which connect() was called. */
void relay_set_server(struct relay *r, int fd, bool connecting);

/* What to wait for on both sockets.  Lowers `*wake_ns` to the next due time. */
void relay_events(const struct relay *r, const struct weather *w,
                  uint64_t now_ns, struct pollfd pfd[2], uint64_t *wake_ns);

/* Makes everything on its way due at once. */
void relay_hurry(struct relay *r);

/*
 * Acts on what poll() reported.  Adds the bytes passed on, by the side that
 * sent them.  Returns false when the relay is over and shall be freed;
 * `*ret_reset` then says how.
 */
bool relay_step(struct relay *r, const struct weather *w, uint64_t now_ns,
                const struct pollfd pfd[2], uint64_t passed[2],
                bool *ret_reset);

#endif
