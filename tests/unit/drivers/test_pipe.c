/*
 * test_pipe.c - the requests of a pipeline: chunks, full sockets, and a server
 * that does not read while it writes.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"
#include "tests/unit/tap.h"

enum {
  LONG = 3000 * 1000, /* more than sockets hold */
};

struct world {
  struct wire_pipe pipe;
  struct wire_buffer in;
  struct wire_link link;
  int peer;
  size_t heard;
};

static void init(struct world *w)
{
  int fd[2];

  memset(w, 0, sizeof(*w));
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  w->link = (struct wire_link){ .fd = fd[0] };
  w->peer = fd[1];
}

static void done(struct world *w)
{
  wire_pipe_done(&w->pipe);
  wire_buffer_done(&w->in);
  (void)close(w->link.fd);
  (void)close(w->peer);
}

static void add(struct world *w, size_t n)
{
  uint8_t *to = wire_pipe_room(&w->pipe, n);

  MUST(to != NULL);
  memset(to, 'r', n);
  w->pipe.out.end += n;
}

static void chunks(void)
{
  struct world w;
  char got[64];

  init(&w);
  OK(!wire_pipe_is_full(&w.pipe), "nothing was added");
  add(&w, 20);
  add(&w, 30);
  OK(!wire_pipe_is_full(&w.pipe), "there is room for more");
  OK(wire_pipe_send(&w.pipe, &w.link, &w.in, SIZE_MAX, false) &&
       read(w.peer, got, sizeof(got)) == 50,
     "both are sent together");
  OK(wire_pipe_send(&w.pipe, &w.link, &w.in, SIZE_MAX, true),
     "nothing to send");
  add(&w, WIRE_PIPE_CHUNK);
  OK(wire_pipe_is_full(&w.pipe), "a chunk");
  done(&w);
}

static void full(void)
{
  struct world w;
  bool sent = true;

  init(&w);
  for (int i = 0; i < 10000 && sent; i++) {
    add(&w, WIRE_PIPE_CHUNK);
    sent = wire_pipe_send(&w.pipe, &w.link, &w.in, SIZE_MAX, false);
  }
  OK(!sent && wire_pipe_is_full(&w.pipe),
     "a full socket: answers have to be read first");
  (void)close(w.peer);
  w.peer = dup(w.link.fd);
  OK(wire_pipe_send(&w.pipe, &w.link, &w.in, SIZE_MAX, true) &&
       !wire_pipe_is_full(&w.pipe),
     "a connection that ends is left to the reader");
  done(&w);
}

/* Writes all of its answer before it reads anything. */
static void *serve(void *arg)
{
  struct world *w = arg;
  char *bytes = calloc(1, LONG);
  ssize_t n = 1;

  MUST(bytes != NULL);
  if (wire_send_plain(w->peer, (const uint8_t *)bytes, LONG, 0)) {
    while (w->heard < LONG && (n = read(w->peer, bytes, LONG)) > 0)
      w->heard += (size_t)n;
  }
  free(bytes);
  return NULL;
}

static void crossed(size_t most, bool completes)
{
  struct world w;
  pthread_t thread;

  init(&w);
  MUST(pthread_create(&thread, NULL, serve, &w) == 0);
  add(&w, LONG);
  OK(wire_pipe_send(&w.pipe, &w.link, &w.in, most, true), "it ends");
  (void)shutdown(w.link.fd, SHUT_WR);
  if (!completes)
    (void)shutdown(w.link.fd, SHUT_RD);
  (void)pthread_join(thread, NULL);
  if (completes)
    OK(w.heard == LONG && wire_fill(&w.in, &w.link, LONG, false) == 0,
       "much in both directions has arrived");
  else
    OK(w.heard < LONG && w.in.end < 2 * most,
       "what is read meanwhile is limited");
  done(&w);
}

static void makes_room(void)
{
  struct wire_buffer in = { 0 };

  MUST(wire_buffer_reserve(&in, 100));
  memcpy(in.bytes, "answered-rest", 13);
  in.end = 13;
  in.pos = 2;
  wire_pipe_next(&in);
  OK(in.pos == 2 && in.end == 13, "little was read: nothing moves");
  in.pos = 9;
  wire_pipe_next(&in);
  OK(in.pos == 0 && in.end == 4 && memcmp(in.bytes, "rest", 4) == 0,
     "most was read: the rest moves");
  in.pos = 4;
  wire_pipe_next(&in);
  OK(in.pos == 0 && in.end == 0, "all was read");
  wire_buffer_done(&in);
}

int main(void)
{
  chunks();
  full();
  crossed(SIZE_MAX, true);
  crossed(64 * 1024, false);
  makes_room();
  return TAP_EXIT();
}
