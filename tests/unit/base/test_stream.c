/*
 * test_stream.c - a socket is connected, bytes go through it whole, and waiting
 * ends at its moment, also at one that another thread brings forward.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stream.h"
#include "base/wait.h"
#include "tests/unit/loopback.h"
#include "tests/unit/tap.h"

enum {
  MANY = 8 << 20 /* more than sockets keep */
};

static const struct stream_limit long_time = { .until_ns = WAIT_FOREVER };

static void *read_all(void *arg)
{
  const int *fd = arg;
  char bytes[65536];
  size_t n = 0, got = 0;

  while (n < MANY &&
         stream_receive(*fd, bytes, sizeof(bytes), &got, &long_time) == 0)
    n += got;
  (void)close(*fd);
  return (void *)n;
}

static void all_bytes(void)
{
  int listener, there, here = -1;
  const struct sockaddr_in at = loopback_listen(&listener);
  char *bytes = calloc(1, MANY);
  void *n = NULL;
  pthread_t thread;
  size_t got;

  OK(stream_open(&here, (const struct sockaddr *)&at, sizeof(at), &long_time) ==
       0,
     "it is connected");
  there = accept(listener, NULL, NULL);
  MUST(bytes && pthread_create(&thread, NULL, read_all, &there) == 0);
  OK(stream_send(here, bytes, MANY, &long_time) == 0,
     "more than a socket keeps is sent");
  (void)pthread_join(thread, &n);
  OK((size_t)n == MANY, "and arrives");
  OK(stream_receive(here, bytes, 1, &got, &long_time) == -EPIPE,
     "the other side has closed it");
  (void)close(here);
  (void)close(listener);
  free(bytes);
}

struct soon {
  _Atomic uint64_t until_ns;
};

static void *bring_forward(void *arg)
{
  struct soon *s = arg;

  atomic_store(&s->until_ns, 1);
  return NULL;
}

static void limits(void)
{
  int listener, there, here = -1;
  struct sockaddr_in at = loopback_listen(&listener);
  const uint64_t now = clock_now_ns();
  const struct stream_limit none = { .until_ns = now };
  struct soon soon = { WAIT_FOREVER };
  const struct stream_limit sooner = { .until_ns = WAIT_FOREVER,
                                       .sooner_ns = &soon.until_ns };
  char *bytes = calloc(1, MANY);
  pthread_t thread;
  size_t got;

  OK(stream_open(&here, (struct sockaddr *)&at, sizeof(at), &long_time) == 0,
     "it is connected");
  there = accept(listener, NULL, NULL);
  OK(stream_receive(here, bytes, 1, &got, &none) == -ETIMEDOUT,
     "nothing has come in time");
  OK(bytes && stream_send(here, bytes, MANY, &none) == -ETIMEDOUT,
     "nobody reads");
  OK(pthread_create(&thread, NULL, bring_forward, &soon) == 0 &&
       stream_receive(here, bytes, 1, &got, &sooner) == -ETIMEDOUT,
     "waiting ends when another thread wants it");
  (void)pthread_join(thread, NULL);
  (void)close(there);
  (void)close(here);
  (void)close(listener);
  here = -1;
  OK(stream_open(&here, (struct sockaddr *)&at, sizeof(at), &long_time) ==
         -ECONNREFUSED &&
       here == -1,
     "nobody listens any more");
  free(bytes);
}

#if defined(__linux__)

/* A caller that waits in its own way, and says that the moment has come. */
static int own_wait(int fd, short events, uint64_t until_ns)
{
  (void)fd, (void)events, (void)until_ns;
  return 0;
}

static int broken_wait(int fd, short events, uint64_t until_ns)
{
  (void)fd, (void)events, (void)until_ns;
  return -ECANCELED;
}

/* The queue of a Unix socket is full: connect() has to be tried again. */
static void full_queue(void)
{
  const struct stream_limit soon = { .until_ns = clock_now_ns() + NS_PER_MS,
                                     .wait = own_wait };
  const struct stream_limit broken = { .until_ns = WAIT_FOREVER,
                                       .wait = broken_wait };
  struct sockaddr_un at = { .sun_family = AF_UNIX };
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  int first = -1, fd = -1;

  (void)snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/test_stream.%d",
                 (int)getpid());
  if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
      listen(listener, 0) < 0) {
    printf("Bail out! nobody can listen here\n");
    exit(1);
  }
  OK(stream_open(&first, (struct sockaddr *)&at, sizeof(at), &soon) == 0,
     "the first one has a place");
  OK(stream_open(&fd, (struct sockaddr *)&at, sizeof(at), &soon) ==
         -ETIMEDOUT &&
       fd == -1,
     "the next one is not connected when its time is over");
  OK(stream_open(&fd, (struct sockaddr *)&at, sizeof(at), &broken) ==
         -ECANCELED &&
       fd == -1,
     "a wait that fails ends it");
  (void)close(first);
  (void)close(listener);
  (void)unlink(at.sun_path);
}

#else

static void full_queue(void)
{
  /* Elsewhere a connection is refused. */
}

#endif

int main(void)
{
  all_bytes();
  limits();
  full_queue();
  return TAP_EXIT();
}
