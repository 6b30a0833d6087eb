/*
 * test_wire.c - the buffer, the link and the frames that drivers share: bytes
 * in pieces, late bytes, the end of a connection, and limits.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "drivers/wire/link.h"
#include "loop/loop.h"
#include "tests/unit/tap.h"

enum {
  LONG = 300 * 1000, /* more than a socket holds */
  SMALL = 4 * 1024,  /* what it is asked to hold */
};

struct pair {
  struct wire_buffer in;
  struct wire_link link;
  int peer;
};

static void pair_init(struct pair *p, int flags)
{
  int fd[2];

  memset(p, 0, sizeof(*p));
  MUST(socketpair(AF_UNIX, SOCK_STREAM | flags, 0, fd) == 0);
  p->link = (struct wire_link){ .fd = fd[0] };
  p->peer = fd[1];
}

static void pair_done(struct pair *p)
{
  wire_buffer_done(&p->in);
  (void)close(p->link.fd);
  if (p->peer >= 0)
    (void)close(p->peer);
}

static void says(const struct pair *p, const char *text)
{
  MUST(write(p->peer, text, strlen(text)) == (ssize_t)strlen(text));
}

static bool holds(const struct wire_buffer *b, const char *text)
{
  return wire_buffer_have(b) == strlen(text) &&
         memcmp(b->bytes + b->pos, text, strlen(text)) == 0;
}

/* A frame: one digit, and as many bytes. */
static size_t digit_size(const uint8_t *head)
{
  return 1 + (size_t)(*head - '0');
}

static const struct wire_frame digit_frame = { 1, digit_size };

/* ---- the buffer ---- */

static void grows(void)
{
  struct wire_buffer b = { 0 };
  const uint8_t *bytes;

  OK(wire_buffer_reserve(&b, 1) && b.room == WIRE_LEAST, "the least room");
  bytes = b.bytes;
  OK(wire_buffer_reserve(&b, WIRE_LEAST) && b.bytes == bytes &&
       b.room == WIRE_LEAST,
     "what fits allocates nothing");
  memcpy(b.bytes, "kept", 4);
  OK(wire_buffer_reserve(&b, 5 * WIRE_FIRST) && b.room == 8 * WIRE_FIRST &&
       memcmp(b.bytes, "kept", 4) == 0,
     "it doubles until all fits, and keeps its bytes");
  OK(!wire_buffer_reserve(&b, SIZE_MAX) && b.room == 8 * WIRE_FIRST &&
       memcmp(b.bytes, "kept", 4) == 0,
     "a size that no memory has changes nothing");
  wire_buffer_done(&b);
  OK(!b.bytes && b.room == 0, "nothing is left");
}

/* Lengths that a server claims take no memory; bytes that came do. */
static void extends(void)
{
  struct wire_buffer b = { 0 };

  OK(wire_buffer_extend(&b, SIZE_MAX) && b.room == WIRE_FIRST,
     "a claim alone gets the first room");
  b.end = WIRE_FIRST / 2;
  OK(wire_buffer_extend(&b, SIZE_MAX) && b.room == WIRE_FIRST,
     "no more while much of it is free");
  b.end = WIRE_FIRST - 8;
  OK(wire_buffer_extend(&b, WIRE_FIRST) && b.room == WIRE_FIRST,
     "nor where all that is wanted fits");
  OK(wire_buffer_extend(&b, WIRE_FIRST + 1) && b.room == 2 * WIRE_FIRST,
     "twice as much when little of it is free");
  b.end = b.room;
  OK(wire_buffer_extend(&b, 1) && b.room == 4 * WIRE_FIRST,
     "and when nothing is");
  wire_buffer_done(&b);
}

/* ---- the block that the fibers of a thread use in turn ---- */

static void one_after_the_other(void *arg)
{
  struct wire_buffer a = { 0 }, b = { 0 };
  const uint8_t *block, *first;

  (void)arg;
  OK(wire_buffer_reserve(&a, 4 * WIRE_FIRST) && a.room == 4 * WIRE_FIRST,
     "the first one makes it");
  block = a.bytes;
  wire_buffer_shrink(&a);
  OK(!a.bytes && a.room == 0, "it gives it to the thread");
  OK(wire_buffer_append(&b, "kept", 4), "another one is small");
  OK(wire_buffer_reserve(&b, 2 * WIRE_FIRST) && b.bytes == block &&
       b.room == 4 * WIRE_FIRST && memcmp(b.bytes, "kept", 4) == 0,
     "and takes it over with all its room, when it has to grow");
  first = b.first;
  wire_buffer_shrink(&b);
  OK(first && b.bytes == first && b.room == WIRE_FIRST && b.end == 0,
     "what it had before is its own again");
  OK(wire_buffer_reserve(&a, WIRE_FIRST) &&
       wire_buffer_reserve(&a, 8 * WIRE_FIRST) && a.bytes != block,
     "a block that is too small is left there");
  wire_buffer_done(&a);
  wire_buffer_done(&b);
}

static void in_turn(void)
{
  const struct loop_setup setup = { .stack_bytes = 65536,
                                    .engine = LOOP_EPOLL };
  struct err err = { "" };
  struct wire_buffer b = { 0 };
  struct loop *l = NULL;

  MUST(loop_new(&l, &setup, &err) == 0);
  OK(loop_add(l, one_after_the_other, NULL, &err) == 0, "a thread with fibers");
  loop_run(l);
  loop_free(l);
  OK(wire_buffer_reserve(&b, 2 * WIRE_FIRST), "elsewhere it is malloc()");
  wire_buffer_shrink(&b);
  OK(!b.bytes && b.room == 0, "and free()");
}

static void cuts(void)
{
  struct wire_buffer b = { 0 };

  wire_buffer_cut(&b, 0, 0);
  OK(b.end == 0, "nothing is cut out of nothing");
  MUST(wire_buffer_reserve(&b, 6));
  memcpy(b.bytes, "abcdef", 6);
  b.end = 6;
  wire_buffer_cut(&b, 1, 3);
  OK(holds(&b, "adef"), "bytes in between go");
  wire_buffer_cut(&b, 0, 4);
  OK(b.end == 0, "all of them go");
  wire_buffer_done(&b);
}

static void trims(void)
{
  struct wire_buffer b = { 0 };

  MUST(wire_buffer_reserve(&b, WIRE_KEEP));
  wire_buffer_trim(&b);
  OK(b.room == WIRE_KEEP, "a usual buffer is kept");
  MUST(wire_buffer_reserve(&b, WIRE_KEEP + 1));
  b.pos = b.end = 7;
  wire_buffer_trim(&b);
  OK(!b.bytes && b.room == 0 && b.pos == 0 && b.end == 0,
     "a large one is given back");
}

/* ---- the link ---- */

struct writer {
  struct wire_link link;
  bool sent;
};

static uint8_t pattern(size_t i)
{
  return (uint8_t)(i * 7 + i / 251);
}

static void *send_all(void *arg)
{
  struct writer *w = (struct writer *)arg;
  uint8_t *bytes = (uint8_t *)malloc(LONG);

  MUST(bytes);
  for (size_t i = 0; i < LONG; i++)
    bytes[i] = pattern(i);
  w->sent = wire_send(&w->link, bytes, LONG, 0);
  free(bytes);
  return NULL;
}

/* More than the socket takes at a time, sent and received in pieces. */
static void pieces(int flags, const char *sent, const char *received)
{
  const int size = SMALL;
  struct writer w = { 0 };
  struct pair p;
  pthread_t thread;
  bool same = true;

  pair_init(&p, flags);
  w.link = (struct wire_link){ .fd = p.peer };
  MUST(setsockopt(p.peer, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) == 0);
  MUST(pthread_create(&thread, NULL, send_all, &w) == 0);
  same = wire_fill(&p.in, &p.link, LONG, true) == 0 && p.in.end == LONG;
  MUST(pthread_join(thread, NULL) == 0);
  for (size_t i = 0; same && i < LONG; i++)
    same = p.in.bytes[i] == pattern(i);
  OK(w.sent, sent);
  OK(same, received);
  pair_done(&p);
}

static void *answer_late(void *arg)
{
  const struct pair *p = (const struct pair *)arg;
  struct pollfd peer = { .fd = p->peer, .events = POLLIN };
  char request[1];

  MUST(poll(&peer, 1, -1) == 1);        /* both ends may be in the other mode */
  MUST(read(p->peer, request, 1) == 1); /* the reader is about to wait */
  says(p, "la");
  says(p, "te");
  return NULL;
}

/* Bytes that come when the reader waits for them already, or nearly so. */
static void late(int flags, bool poll_first, const char *what)
{
  struct pair p;
  pthread_t thread;

  pair_init(&p, flags);
  MUST(pthread_create(&thread, NULL, answer_late, &p) == 0);
  MUST(wire_send(&p.link, (const uint8_t *)"?", 1, 0));
  OK(wire_fill(&p.in, &p.link, 4, poll_first) == 0 && holds(&p.in, "late"),
     what);
  MUST(pthread_join(thread, NULL) == 0);
  pair_done(&p);
}

static void appends(void)
{
  struct pair p;

  pair_init(&p, SOCK_NONBLOCK);
  says(&p, "one");
  OK(wire_fill(&p.in, &p.link, 2, false) == 0 && holds(&p.in, "one"),
     "what comes together is read together");
  OK(wire_fill(&p.in, &p.link, 3, true) == 0, "what is there is not awaited");
  p.in.pos = 1;
  says(&p, "two");
  OK(wire_fill(&p.in, &p.link, 4, true) == 0 && holds(&p.in, "netwo"),
     "more is appended, and counted from the position");
  pair_done(&p);
}

static void ends(void)
{
  struct pair p;
  static const uint8_t bytes[16];

  pair_init(&p, 0);
  says(&p, "ab");
  MUST(shutdown(p.peer, SHUT_WR) == 0);
  OK(wire_fill(&p.in, &p.link, 3, true) == -EPIPE && holds(&p.in, "ab"),
     "the other side has closed: what came is kept");
  OK(!wire_look(&p.in, &p.link), "nothing more comes");
  (void)close(p.peer);
  p.peer = -1;
  OK(!wire_send(&p.link, bytes, sizeof(bytes), 0), "nothing can be sent");
  pair_done(&p);

  pair_init(&p, 0);
  MUST(write(p.link.fd, "unread", 6) == 6);
  (void)close(p.peer);
  p.peer = -1;
  OK(wire_fill(&p.in, &p.link, 1, false) == -ECONNRESET,
     "a connection that breaks is no orderly end");
  pair_done(&p);

  pair_init(&p, 0);
  (void)shutdown(p.link.fd, SHUT_RDWR);
  OK(wire_fill(&p.in, &p.link, 1, true) == -EPIPE,
     "a wait ends when the own side shuts the socket down");
  pair_done(&p);
}

static void looks(void)
{
  struct pair p;

  pair_init(&p, 0); /* in blocking mode */
  OK(!wire_look(&p.in, &p.link) && p.in.end == 0, "a look does not wait");
  says(&p, "news");
  OK(wire_look(&p.in, &p.link) && holds(&p.in, "news"),
     "it takes what has come");
  says(&p, "!");
  OK(wire_look(&p.in, &p.link) && holds(&p.in, "news!"), "and appends it");
  pair_done(&p);
}

/* ---- frames ---- */

static void frames(void)
{
  struct pair p;

  pair_init(&p, 0);
  OK(wire_frame_size(&digit_frame, &p.in) == 1, "at first the head is wanted");
  says(&p, "3ab");
  OK(wire_look(&p.in, &p.link) && wire_frame_size(&digit_frame, &p.in) == 4,
     "the head tells the size");
  says(&p, "c0");
  says(&p, "2");
  OK(wire_frame_fill(&digit_frame, &p.in, &p.link, false) == 0 &&
       wire_buffer_have(&p.in) >= 4,
     "a frame in two pieces");
  p.in.pos += 4;
  OK(wire_frame_fill(&digit_frame, &p.in, &p.link, true) == 0 &&
       wire_frame_size(&digit_frame, &p.in) == 1,
     "a frame that is only a head");
  p.in.pos += 1;
  says(&p, "x");
  MUST(shutdown(p.peer, SHUT_WR) == 0);
  OK(wire_frame_fill(&digit_frame, &p.in, &p.link, false) == -EPIPE &&
       holds(&p.in, "2x"),
     "a frame that breaks off");
  pair_done(&p);
}

int main(void)
{
  grows();
  extends();
  in_turn();
  cuts();
  trims();
  pieces(0, "a long text is sent, in blocking mode", "... and received");
  pieces(SOCK_NONBLOCK, "a long text is sent, in the other mode",
         "... and received");
  late(0, false, "late bytes: recv() waits");
  late(0, true, "late bytes: poll() waits");
  late(SOCK_NONBLOCK, false, "late bytes: poll() waits when recv() cannot");
  appends();
  ends();
  looks();
  frames();
  return TAP_EXIT();
}
