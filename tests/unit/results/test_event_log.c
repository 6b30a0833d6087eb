/*
 * test_event_log.c - single events: rings, the file, and what happens when the
 * file is slower than the workers.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "report/life.h"
#include "results/event_log.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"
#include "tests/unit/tap.h"

static char folder[] = "/tmp/bench-events-XXXXXX";

static const char *in_folder(const char *name)
{
  static char path[256];

  (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static void test_ring(void)
{
  struct event_rings rs;
  struct event_record e = { 0 };
  struct err err;
  struct event_record batch[10];
  uint64_t n = 0, wrong = 0, batches = 0;

  OK(event_rings_init(&rs, 3, &err) == 0, "rings");
  for (uint64_t i = 0; i < 100000; i++) {
    e.start_ns = i;
    event_ring_put(&rs.of[1], &e);
  }
  while (event_ring_take(&rs.of[1], &e, 1) > 0)
    wrong += e.start_ns != n++;
  OK(n > 1000 && wrong == 0, "what went in comes out in order");
  OK(event_rings_dropped(&rs) == 100000 - n, "what did not was counted");
  OK(event_ring_take(&rs.of[0], &e, 1) == 0, "the others are empty");

  /* The ring ends at every possible place of a batch. */
  for (uint64_t i = 0; i < 300000; i++) {
    const size_t want = 1 + i % 7;

    for (size_t k = 0; k < want; k++) {
      e.start_ns = i + k;
      event_ring_put(&rs.of[1], &e);
    }
    batches += event_ring_take(&rs.of[1], batch, 10) == want;
    for (size_t k = 0; k < want; k++)
      wrong += batch[k].start_ns != i + k;
  }
  OK(batches == 300000 && wrong == 0, "batches, also around the end");
  event_rings_done(&rs);

  OK(event_rings_init(&rs, 20000, &err) == 0, "many workers have small rings");
  event_rings_done(&rs);
  event_rings_done(NULL);
}

static char *read_all(const char *path)
{
  static char text[1 << 16];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

  text[n] = '\0';
  if (f)
    (void)fclose(f);
  return text;
}

static void test_file(void)
{
  const struct reporter *rep = &event_log_reporter;
  struct class_set *set = NULL;
  struct event_log *l = NULL;
  struct event_log_end told = { .dropped = 9 };
  struct run_start start = { .start_ns = 1000 };
  struct run_end end = { 0 };
  struct event_record e = { 1500, 42, EVENT_NO_CLASS, 0 };
  struct err err = { "" };

  (void)class_set_new(&set, 2, &err);
  start.classes = set;
  OK(event_log_new(&l, in_folder("log"), 2, 0, &err) == 0, "a log");
  event_log_tell(l, &told);
  OK(rep->start(l, &start, &err) == 0, "starts");
  event_ring_put(&event_log_rings(l)->of[0], &e);
  e = (struct event_record){ 900, 7, (uint16_t)class_id(set, "a \"b\"\nc", 7),
                             1 };
  event_ring_put(&event_log_rings(l)->of[1], &e);
  OK(rep->over(l, &end, &err) == 0, "ends");
  OK(told.written == 2 && told.dropped == 0 && !told.failed,
     "tells what it did");
  OK_STR(read_all(in_folder("log")),
         "start_ns,latency_ns,thread,class,error\n"
         "500,42,0,,0\n"
         "0,7,1,\"a \"\"b\"\" c\",1\n",
         "lines");
  event_log_free(l);
  class_set_free(set);

  OK(event_log_new(&l, "/nowhere/log", 2, 0, &err) < 0 &&
       strstr(err.text, "/nowhere/log"),
     "a file that cannot be written is named");
  OK(event_log_new(&l, "/dev/full", 1, 0, &err) < 0, "nor one on a full disk");
}

/* Reads the rest, after the writer was stuck. */
static void *read_slowly(void *arg)
{
  char block[65536];
  int fd = *(int *)arg;

  while (read(fd, block, sizeof(block)) > 0)
    ;
  return NULL;
}

/*
 * Makes a log to the pipe that has ended, with so many events that no reader
 * takes.
 */
static struct event_log *log_unread(struct event_log_end *told, uint64_t events)
{
  struct event_record e = { 123456789, 123456789, EVENT_NO_CLASS, 0 };
  const struct run_start start = { 0 };
  struct event_log *l = NULL;
  struct err err = { "" };

  OK(event_log_new(&l, in_folder("pipe"), 1, 0, &err) == 0, "a log to a pipe");
  event_log_tell(l, told);
  OK(event_log_reporter.start(l, &start, &err) == 0, "starts");
  for (uint64_t put = 0; put < events; put++)
    event_ring_put(&event_log_rings(l)->of[0], &e);
  return l;
}

/* The pipe has no reader: events are dropped, and the worker continues. */
static void test_slow_file(void)
{
  const uint64_t put = 400000; /* more than pipe and ring can hold */
  struct run_end end = { 0 };
  struct event_log_end told = { 0 };
  struct event_log *l;
  struct err err = { "" };
  pthread_t reader;
  int fd;

  (void)mkfifo(in_folder("pipe"), 0600);
  fd = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
  l = log_unread(&told, put);
  (void)fcntl(fd, F_SETFL, 0);
  (void)pthread_create(&reader, NULL, read_slowly, &fd);
  OK(event_log_reporter.over(l, &end, &err) == 0, "ends");
  event_log_free(l);
  (void)pthread_join(reader, NULL);
  OK(told.dropped > 0, "some events were dropped");
  OK(told.written + told.dropped == put, "and all are accounted for");
  (void)close(fd);
}

/* It still has a thread, so it is never freed.  Volatile, for leak checkers. */
static struct event_log *volatile left;

/*
 * The reader has stopped: what it did not take is dropped, and the thread is
 * left behind.
 */
static void test_stuck_file(void)
{
  const uint64_t put = 100000;
  const int fd = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
  struct run_end end = { 0 };
  struct event_log_end told = { 0 };
  struct event_log *l = log_unread(&told, put);
  struct err err = { "" };

  OK(event_log_reporter.over(l, &end, &err) < 0 &&
       strstr(err.text, "pipe': its reader has stopped"),
     "ends without its thread");
  OK(told.failed && told.dropped > 0 && told.written + told.dropped == put,
     "all are accounted for");
  OK(event_log_is_left(l), "the caller can know");
  left = l;
  (void)close(fd); /* it returns now, and finds nothing to do */
}

/*
 * Ends a log of that many events in a file that takes at most `most` bytes,
 * like a full disk; returns the result of over().
 */
static int fill(struct event_log_end *told, uint64_t events, rlim_t max)
{
  const struct reporter *rep = &event_log_reporter;
  struct event_record e = { 500, 42, EVENT_NO_CLASS, 0 };
  struct run_start start = { 0 };
  struct run_end end = { 0 };
  struct event_log *l = NULL;
  struct err err = { "" };
  struct rlimit before, now;
  int rc = event_log_new(&l, in_folder("log"), 1, 0, &err);

  if (rc < 0)
    return rc;
  event_log_tell(l, told);
  (void)getrlimit(RLIMIT_FSIZE, &before);
  now = before;
  now.rlim_cur = max;
  (void)setrlimit(RLIMIT_FSIZE, &now);
  rc = rep->start(l, &start, &err);
  for (uint64_t i = 0; i < events; i++)
    event_ring_put(&event_log_rings(l)->of[0], &e);
  if (rc == 0)
    rc = rep->over(l, &end, &err);
  (void)setrlimit(RLIMIT_FSIZE, &before);
  event_log_free(l);
  return rc;
}

/* Lines of a block that was not written do not count as written. */
static void test_full_disk(void)
{
  struct event_log_end told = { 0 };

  (void)signal(SIGXFSZ, SIG_IGN);
  OK(fill(&told, 100, 8192) == 0, "room for a hundred lines");
  OK(told.written == 100 && told.dropped == 0 && !told.failed, "all written");
  OK(fill(&told, 1, 39) < 0, "no room for a line");
  OK(told.written == 0 && told.dropped == 1 && told.failed, "it is dropped");
  OK(fill(&told, 1000, 4096) < 0, "room for some");
  OK(told.dropped >= 1000 - 4096 / 12 && told.failed, "dropped are the others");
  OK(told.written + told.dropped == 1000, "and all are accounted for");
}

int main(void)
{
  if (!mkdtemp(folder))
    return 1;
  (void)signal(SIGPIPE, SIG_IGN);
  test_ring();
  test_file();
  test_slow_file();
  test_stuck_file();
  test_full_disk();
  (void)unlink(in_folder("log"));
  (void)unlink(in_folder("pipe"));
  (void)rmdir(folder);
  return TAP_EXIT();
}
