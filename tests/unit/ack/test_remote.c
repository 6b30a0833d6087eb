/*
 * test_remote.c - an acknowledgement log that is sent to a listener: what
 * arrives is what a file would be, chunks are used again, what there is no room
 * for is said to be missing, and a file grows only by what was sent.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ack/listener.h"
#include "ack/reader.h"
#include "ack/sender.h"
#include "ack/store.h"
#include "ack/wire.h"
#include "base/clock.h"
#include "base/err.h"
#include "tests/unit/tap.h"

struct serving {
  struct ack_listener *listener;
  int stop[2];
  FILE *out;
  pthread_t thread;
  char folder[32], address[32], file[400];
};

static void *serve(void *arg)
{
  struct serving *s = arg;
  struct err err = { "" };

  (void)ack_listener_serve(s->listener, s->stop[0], &err);
  return NULL;
}

/* The limits of `more` hold; a member that is 0 is none. */
static void begin_with(struct serving *s, const struct ack_listener_cfg *more)
{
  const struct sockaddr_in at = { .sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  struct ack_listener_cfg cfg = *more;
  struct err err = { "" };

  strcpy(s->folder, "/tmp/test_remote.XXXXXX");
  s->out = tmpfile();
  cfg.where = (const struct sockaddr *)&at;
  cfg.len = sizeof(at);
  cfg.folder = s->folder;
  cfg.token_file = "";
  cfg.log_limit = more->log_limit ? more->log_limit : ACK_WIRE_FILE_BYTES;
  cfg.dir_limit = more->dir_limit ? more->dir_limit : ACK_WIRE_FILE_BYTES;
  cfg.quiet_ns = more->quiet_ns ? more->quiet_ns : UINT64_MAX;
  cfg.out = s->out;
  if (!mkdtemp(s->folder) || !s->out || pipe(s->stop) < 0 ||
      ack_listener_open(&s->listener, &cfg, &err) < 0 ||
      pthread_create(&s->thread, NULL, serve, s) != 0) {
    printf("Bail out! no listener: %s\n", err.text);
    exit(1);
  }
  (void)snprintf(s->address, sizeof(s->address), "127.0.0.1:%u",
                 ack_listener_port(s->listener));
}

static void begin(struct serving *s)
{
  begin_with(s, &(struct ack_listener_cfg){ .folder = NULL });
}

static void end(struct serving *s)
{
  (void)!write(s->stop[1], "x", 1);
  (void)pthread_join(s->thread, NULL);
  ack_listener_free(s->listener);
  (void)close(s->stop[0]);
  (void)close(s->stop[1]);
  (void)fclose(s->out);
  (void)unlink(s->file);
  (void)rmdir(s->folder);
}

static void no_text(void *arg, const char *why)
{
  (void)arg;
  (void)why;
}

static void nothing(void *arg)
{
  (void)arg;
}

static const struct ack_notices quiet = { .lost = no_text,
                                          .back = nothing,
                                          .full = nothing };

static struct ack_store *open_store(struct serving *s, unsigned clients,
                                    unsigned most)
{
  struct ack_store *store = NULL;
  struct err err = { "" };
  struct ack_header *h;

  if (ack_store_remote(&store, s->address, clients, most, &quiet, &err) < 0) {
    printf("Bail out! %s\n", err.text);
    exit(1);
  }
  h = store->header;
  memcpy(h->magic, ACK_MAGIC "\n", sizeof(ACK_MAGIC));
  h->order = ACK_ORDER;
  h->chunk_bytes = ACK_CHUNK;
  h->record_bytes = sizeof(struct ack_record);
  h->clients = clients;
  h->start_ns = clock_now_ns();
  OK(store->ops->changed(store, &err) == 0, "the log begins");
  (void)snprintf(s->file, sizeof(s->file), "%s/%.200s", s->folder, store->name);
  return store;
}

/* Fills records first..last - 1 of a chunk. */
static void write_records(char *chunk, uint32_t client, uint64_t number,
                          int first, int last, uint64_t id, uint32_t state)
{
  struct ack_chunk *head = (struct ack_chunk *)(void *)chunk;
  struct ack_record *r = (struct ack_record *)(void *)chunk + 1;

  head->client = client;
  head->number = number;
  head->magic = ACK_CHUNK_MAGIC;
  for (int i = first; i < last; i++) {
    r[i].id = id + (uint64_t)(i - first);
    r[i].intent_ns = clock_now_ns();
    r[i].client = client;
    r[i].check = ack_check(&r[i]);
    r[i].done_ns = state == ACK_INTENT ? 0 : r[i].intent_ns + 1;
    atomic_store_explicit(&r[i].state, state, memory_order_release);
  }
}

static bool is_zero(const char *bytes, size_t n)
{
  return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* The numbers of the file are 1, 2, ... up to `n`, acknowledged. */
static void check_file(const char *path, uint64_t n, uint32_t flags)
{
  struct ack_reader *r = calloc(1, sizeof(*r));
  struct err err = { "" };
  uint64_t expected = 1;
  bool right = true;
  int got;

  OK(r && ack_reader_open(r, path, &err) == 0, "the file is a log");
  while ((got = ack_reader_next(r, &err)) > 0) {
    for (int i = 0; i < got; i++)
      right &= r->records[i].id == expected++ &&
               r->records[i].state == ACK_ACKED && r->records[i].done_ns > 0;
  }
  OK(got == 0 && right && expected == n + 1, "all numbers are there, in order");
  OK(r->damaged == 0 && r->header.end_ns > 0 && r->header.flags == flags,
     "the file is whole, and says what it is");
  OK(ack_is_incomplete(&r->header) == ((flags & ACK_MISSES) != 0),
     "it is complete if nothing was left out");
  ack_reader_done(r);
  free(r);
}

/* Two chunks carry any number of records. */
static void again(void)
{
  enum {
    ROUNDS = 5
  };
  struct serving s;
  struct ack_store *store;
  struct ack_totals t;
  struct err err = { "" };
  uint64_t id = 1, missed = 0;
  bool zeros = true;
  char *chunk;
  int rc;

  begin(&s);
  store = open_store(&s, 1, 2);
  for (unsigned i = 0; i < ROUNDS; i++) {
    while ((rc = store->ops->take(store, 0, &chunk)) == -ENOBUFS) {
      missed++;
      (void)sched_yield();
    }
    zeros &= rc == 0 && is_zero(chunk, ACK_CHUNK);
    write_records(chunk, 0, i, 0, ACK_RECORDS, id, ACK_ACKED);
    id += ACK_RECORDS;
  }
  OK(zeros, "a chunk that is used again is empty");
  rc = store->ops->finish(store, true, &t, &err);
  OK(rc == (missed > 0 ? -ENOBUFS : 0), "the end says whether there are gaps");
  OK(t.acked == ROUNDS * ACK_RECORDS && t.aborted == 0 && t.unknown == 0,
     "all records are counted");
  store->ops->free(store);
  check_file(s.file, ROUNDS * ACK_RECORDS,
             ACK_REMOTE | (missed > 0 ? ACK_MISSES : 0));
  end(&s);
}

/* There is no chunk for the third client. */
static void no_room(void)
{
  struct serving s;
  struct ack_store *store;
  struct ack_totals t;
  struct err err = { "" };
  char *one, *two, *three;

  begin(&s);
  store = open_store(&s, 3, 2);
  OK(store->ops->take(store, 0, &one) == 0 &&
       store->ops->take(store, 1, &two) == 0,
     "two chunks");
  OK(store->ops->take(store, 2, &three) == -ENOBUFS, "and no third one");
  write_records(one, 0, 0, 0, 2, 1, ACK_INTENT);
  /* Both states may be sent. */
  for (int i = 1; i <= 2; i++) {
    struct ack_record *r = (struct ack_record *)(void *)one + i;

    r->done_ns = r->intent_ns + 1;
    atomic_store_explicit(&r->state, ACK_ACKED, memory_order_release);
  }
  write_records(two, 1, 0, 0, 1, 3, ACK_ACKED);
  OK(store->ops->finish(store, true, &t, &err) == -ENOBUFS &&
       strstr(err.text, "has gaps"),
     "the end says that something is missing");
  OK(t.acked == 3 && t.unknown == 0, "what there was room for is counted");
  store->ops->free(store);
  check_file(s.file, 3, ACK_REMOTE | ACK_MISSES);
  end(&s);
}

/* Clients that are still at work: the log has no end. */
static void no_end(void)
{
  struct serving s;
  struct ack_store *store;
  struct ack_totals t;
  struct ack_reader *r = calloc(1, sizeof(*r));
  struct err err = { "" };
  char *chunk;

  begin(&s);
  store = open_store(&s, 1, 2);
  OK(store->ops->take(store, 0, &chunk) == 0, "a chunk");
  write_records(chunk, 0, 0, 0, 1, 7, ACK_INTENT);
  OK(store->ops->finish(store, false, &t, &err) == 0 && t.unknown == 1,
     "what has no outcome is unknown");
  store->ops->free(store);
  OK(r && ack_reader_open(r, s.file, &err) == 0 &&
       ack_is_incomplete(&r->header) && r->header.covered_ns > 0,
     "the file has no end, and says how far it goes");
  OK(ack_reader_next(r, &err) == 1 && r->records[0].id == 7 &&
       r->records[0].state == ACK_INTENT && r->records[0].done_ns == 0,
     "the intent is there");
  ack_reader_done(r);
  free(r);
  end(&s);
}

/* The header of a log that is still written, with these flags and this total at
 * last. */
static struct ack_header header_with(const char *path, uint32_t flags,
                                     double before)
{
  const uint64_t until = clock_now_ns() + 60 * NS_PER_S;
  struct ack_header h = { .flags = 0 };

  while (((h.flags & flags) != flags || h.before < before) &&
         clock_now_ns() < until) {
    FILE *f = fopen(path, "re");

    if (f && fread(&h, sizeof(h), 1, f) != 1)
      h.flags = 0;
    if (f)
      (void)fclose(f);
    (void)sched_yield();
  }
  return h;
}

/* A run that dies has said before that records were left out. */
static void misses_without_end(void)
{
  struct serving s;
  struct ack_store *store;
  struct ack_header h;
  struct err err = { "" };
  char *one, *two;

  begin(&s);
  store = open_store(&s, 2, 1);
  h = header_with(s.file, ACK_REMOTE, 0);
  OK(h.flags == ACK_REMOTE, "nothing is left out yet");
  OK(store->ops->take(store, 0, &one) == 0 &&
       store->ops->take(store, 1, &two) == -ENOBUFS,
     "one chunk for two clients");
  h = header_with(s.file, ACK_MISSES, 0);
  OK(h.flags == (ACK_REMOTE | ACK_MISSES) && h.end_ns == 0,
     "the file says at once that something is left out");
  store->header->before = 5;
  OK(store->ops->changed(store, &err) == 0, "a new header");
  h = header_with(s.file, ACK_REMOTE, 5);
  OK(h.before == 5 && h.flags == (ACK_REMOTE | ACK_MISSES),
     "which says so as well");
  store->ops->free(store);
  end(&s);
}

/* ---- a sender that is no run of ours ---- */

static int dial(const struct serving *s)
{
  const struct sockaddr_in at = {
    .sin_family = AF_INET,
    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    .sin_port = htons((uint16_t)ack_listener_port(s->listener)),
  };
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0) {
    printf("Bail out! no connection\n");
    exit(1);
  }
  return fd;
}

static struct ack_reply say(int fd, const void *bytes, size_t n)
{
  struct ack_reply reply;

  memset(&reply, 0, sizeof(reply));
  if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n ||
      recv(fd, &reply, sizeof(reply), MSG_WAITALL) != (ssize_t)sizeof(reply))
    reply.magic = 0;
  return reply;
}

static struct ack_hello greeting(uint64_t run, uint32_t chunks)
{
  struct ack_hello h = { .order = ACK_ORDER,
                         .run = run,
                         .version = ACK_WIRE_VERSION,
                         .chunks = chunks };

  memcpy(h.magic, ACK_WIRE_HELLO, sizeof(h.magic));
  return h;
}

static struct ack_reply hello(struct serving *s, int fd,
                              const struct ack_hello *h)
{
  const struct ack_reply reply = say(fd, h, sizeof(*h));

  if (reply.magic == ACK_WIRE_REPLY && !reply.bad)
    (void)snprintf(s->file, sizeof(s->file), "%s/%.200s", s->folder,
                   reply.text);
  return reply;
}

/* A batch of one frame with eight bytes at this place. */
static struct ack_reply eight_bytes(int fd, uint64_t number, uint64_t offset)
{
  struct {
    struct ack_batch head;
    struct ack_frame frame;
    char bytes[8];
  } b = { .head = { .number = number,
                    .bytes = sizeof(b.frame) + sizeof(b.bytes) },
          .frame = { .offset = offset, .bytes = sizeof(b.bytes) },
          .bytes = "a bytes" };

  return say(fd, &b, sizeof(b));
}

/* The file is as long as what was sent in its order, whatever comes then. */
static void forged(void)
{
  static const uint64_t places[] = { 2 * ACK_WIRE_CHUNK + 8, 1 << 20,
                                     ACK_WIRE_FILE_BYTES - 8, UINT64_MAX - 7 };
  struct ack_hello h = greeting(1, 1);
  struct ack_reply reply;
  struct serving s;
  struct stat st;
  int fd;

  begin(&s);
  fd = dial(&s);
  h.version = 1;
  reply = say(fd, &h, offsetof(struct ack_hello, chunks)); /* as they were */
  h.version = ACK_WIRE_VERSION;
  OK(reply.magic == ACK_WIRE_REPLY && reply.bad &&
       strstr(reply.text, "another version"),
     "a run of another version is refused");
  (void)close(fd);
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    fd = dial(&s);
    OK(!hello(&s, fd, &h).bad, "a file");
    reply = eight_bytes(fd, 1, 0);
    OK(reply.magic == ACK_WIRE_REPLY && !reply.bad, "its first chunk");
    reply = eight_bytes(fd, 2, ACK_WIRE_CHUNK);
    OK(reply.magic == ACK_WIRE_REPLY && !reply.bad, "the next one");
    reply = eight_bytes(fd, 3, places[i]);
    OK(reply.magic == ACK_WIRE_REPLY && reply.bad &&
         strcmp(reply.text, "a frame is wrong") == 0,
       "a frame behind the end is refused");
    OK(stat(s.file, &st) == 0 && st.st_size == 2 * ACK_WIRE_CHUNK,
       "and the file does not grow");
    (void)close(fd);
    (void)unlink(s.file);
  }
  end(&s);
}

/* A batch that begins `n` chunks, from this one on. */
static struct ack_reply begin_chunks(int fd, uint64_t first, uint32_t n)
{
  static char bytes[sizeof(struct ack_batch) + ACK_WIRE_BATCH];
  struct ack_batch head = { .number = 1 };
  size_t at = sizeof(head);

  for (uint32_t i = 0; i < n; i++) {
    const struct ack_frame f = { .offset = (first + i) * ACK_WIRE_CHUNK,
                                 .bytes = 8 };

    memcpy(bytes + at, &f, sizeof(f));
    at += sizeof(f) + 8;
  }
  head.bytes = (uint32_t)(at - sizeof(head));
  memcpy(bytes, &head, sizeof(head));
  return say(fd, bytes, at);
}

/* What a run can make a listener write is limited. */
static void limits(void)
{
  enum {
    MOST = 40000, /* frames of a batch */
    EARLY = 100,
  };
  struct serving s;
  struct ack_reply reply;
  struct ack_hello h = greeting(1, EARLY);
  struct stat st;
  char first[400];
  int fd;

  begin_with(&s, &(struct ack_listener_cfg){ .log_limit = 256 << 20,
                                             .dir_limit = 20 << 20 });
  fd = dial(&s);
  OK(!hello(&s, fd, &h).bad, "a log");
  reply = begin_chunks(fd, 0, MOST);
  OK(reply.magic == ACK_WIRE_REPLY && reply.bad &&
       strstr(reply.text, "much longer than what was sent"),
     "a log that is mostly holes is refused");
  OK(stat(s.file, &st) == 0 &&
       st.st_size <= (EARLY + 2) * ACK_WIRE_CHUNK + MOST * 24,
     "and has only the holes that the run has announced");
  (void)close(fd);
  fd = dial(&s);
  h.again = 1;
  OK(!hello(&s, fd, &h).bad, "the log goes on");
  reply = begin_chunks(fd, 1, MOST);
  OK(reply.bad && stat(s.file, &st) == 0 &&
       st.st_size <=
         (EARLY + 2) * ACK_WIRE_CHUNK + 2 * MOST * 24 + EARLY * ACK_WIRE_CHUNK,
     "and a second link does not help much");
  (void)close(fd);
  (void)strcpy(first, s.file);
  for (int i = 0; i < 2; i++) {
    fd = dial(&s);
    h = greeting(2 + (uint64_t)i, 256);
    reply = hello(&s, fd, &h);
    if (!reply.bad)
      reply = begin_chunks(fd, 0, 256);
    (void)close(fd);
    if (i == 0)
      OK(reply.magic == ACK_WIRE_REPLY && reply.bad &&
           strstr(reply.text, "exceed --dir-limit, 20971520 bytes"),
         "all logs together have a limit");
    (void)unlink(i == 0 ? first : s.file);
    (void)unlink(s.file);
  }
  OK(reply.magic == ACK_WIRE_REPLY && !reply.bad,
     "files that were removed do not count");
  fd = dial(&s);
  h = greeting(9, 16385); /* one more than a GiB has */
  reply = hello(&s, fd, &h);
  OK(reply.magic == ACK_WIRE_REPLY && reply.bad &&
       strstr(reply.text, "--log-limit of 17180917760 bytes"),
     "a run cannot announce any number of chunks");
  (void)close(fd);
  end(&s);
}

/* A log that is complete stays as it is. */
static void complete(void)
{
  struct {
    struct ack_batch head;
    struct ack_frame frame;
    char bytes[8];
  } b = { .head = { .number = 1,
                    .bytes = sizeof(b.frame) + sizeof(b.bytes),
                    .last = 1 },
          .frame = { .bytes = sizeof(b.bytes) },
          .bytes = "a bytes" };
  struct ack_hello h = greeting(5, 1);
  struct ack_reply reply;
  struct serving s;
  struct stat st;
  int fd;

  begin(&s);
  fd = dial(&s);
  OK(!hello(&s, fd, &h).bad, "a log");
  reply = say(fd, &b, sizeof(b));
  OK(reply.magic == ACK_WIRE_REPLY && !reply.bad, "its last batch");
  (void)close(fd);
  OK(stat(s.file, &st) == 0 && (st.st_mode & 0222) == 0,
     "nobody writes to it any more");
  h.again = 1;
  fd = dial(&s);
  reply = hello(&s, fd, &h);
  OK(reply.magic == ACK_WIRE_REPLY && reply.bad == ACK_WIRE_COMPLETE &&
       strcmp(reply.text, "refused: the log is complete") == 0,
     "the listener does not open it again");
  (void)close(fd);
  end(&s);
}

/* A listener that dies with the answer to the last batch, and comes again. */
static void *lose_answer(void *arg)
{
  const int *listening = arg;
  struct ack_reply reply = { .magic = ACK_WIRE_REPLY, .text = "a.log" };
  struct ack_hello h;
  char bytes[64];
  int fd = accept(*listening, NULL, NULL);

  (void)!recv(fd, &h, sizeof(h), MSG_WAITALL);
  (void)!send(fd, &reply, sizeof(reply), MSG_NOSIGNAL);
  (void)!recv(fd, bytes, sizeof(bytes), 0);
  (void)close(fd);
  fd = accept(*listening, NULL, NULL);
  (void)!recv(fd, &h, sizeof(h), MSG_WAITALL);
  reply.bad = ACK_WIRE_COMPLETE;
  (void)!send(fd, &reply, sizeof(reply), MSG_NOSIGNAL);
  (void)close(fd);
  return NULL;
}

static bool fill_last(void *arg, struct ack_bytes *b, bool beat, bool ending)
{
  (void)arg;
  (void)beat;
  if (ending)
    ack_bytes_put(b, 0, "a bytes", 8);
  b->last = ending;
  return false;
}

static bool no_gaps(void *arg)
{
  (void)arg;
  return false;
}

static void lost_answer(void)
{
  struct sockaddr_in at = { .sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  const struct ack_source source = { .fill = fill_last, .has_gaps = no_gaps };
  socklen_t len = sizeof(at);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct ack_sender sender;
  struct err err = { "" };
  char address[32];
  pthread_t thread;

  OK(bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
       listen(fd, 2) == 0 &&
       getsockname(fd, (struct sockaddr *)&at, &len) == 0 &&
       pthread_create(&thread, NULL, lose_answer, &fd) == 0,
     "a listener");
  (void)snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(at.sin_port));
  OK(ack_sender_init(&sender, address, &source, &quiet, &err) == 0 &&
       ack_sender_start(&sender, &err) == 0,
     "a sender");
  ack_sender_end(&sender);
  OK(sender.complete, "the log is complete, although its answer was lost");
  ack_sender_done(&sender);
  (void)pthread_join(thread, NULL);
  (void)close(fd);
}

/* Strangers that send single bytes neither keep their places nor keep runs out.
 */
static void trickle(void)
{
  enum {
    PLACES = 64
  };
  const struct ack_hello h = greeting(3, 1);
  struct serving s;
  int fds[PLACES], fd;
  struct pollfd p;
  size_t n = 0;
  char byte;

  begin(&s);
  for (int i = 0; i < PLACES; i++) {
    fds[i] = dial(&s);
    (void)!send(fds[i], &h, 1, MSG_NOSIGNAL);
  }
  fd = dial(&s);
  OK(!hello(&s, fd, &h).bad, "a run finds a place");
  OK(recv(fds[0], &byte, 1, 0) <= 0, "which the oldest stranger has lost");
  for (int i = 0; i < PLACES; i++)
    (void)close(fds[i]);
  (void)close(fd);
  end(&s);
  begin_with(&s, &(struct ack_listener_cfg){ .quiet_ns = 100 * NS_PER_MS });
  p = (struct pollfd){ .fd = dial(&s), .events = POLLIN };
  for (; n < sizeof(h) - 1 && poll(&p, 1, 12) == 0; n++)
    (void)!send(p.fd, (const char *)&h + n, 1, MSG_NOSIGNAL);
  OK(n < sizeof(h) - 1 && recv(p.fd, &byte, 1, 0) <= 0,
     "a greeting that comes in single bytes ends in time");
  (void)close(p.fd);
  end(&s);
}

int main(void)
{
  again();
  no_room();
  no_end();
  misses_without_end();
  forged();
  limits();
  complete();
  lost_answer();
  trickle();
  return TAP_EXIT();
}
