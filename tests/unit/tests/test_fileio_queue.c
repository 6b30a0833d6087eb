/*
 * test_fileio_queue.c - the queue of requests in flight, with a system that
 * completes requests when the test says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/plan.h"
#include "run/run.h"
#include "tests/fileio/queue.h"
#include "tests/unit/tap.h"

enum {
  DEPTH = 4,
  MAX = 1000,
};

/* The system: requests in line, and those in progress, oldest first. */
struct fake {
  unsigned line[DEPTH], n_line;
  unsigned working[DEPTH], n_working;
  enum file_op submitted[MAX]; /* in order */
  uint32_t file[MAX];
  unsigned writes_at_fsync[MAX]; /* writes of its file still in progress */
  unsigned n_submitted;
  unsigned most_working;
  unsigned eager; /* completions beyond those that are awaited */
  int64_t results[MAX];
  unsigned n_results; /* results to use before all succeed */
  unsigned at_result;
  unsigned waits;
  unsigned kicks;
};

static struct fake *fake_of(struct queue *q)
{
  return q->impl;
}

static int fake_setup(struct queue *q, struct err *err)
{
  (void)err;
  q->impl = calloc(1, sizeof(struct fake));
  return 0;
}

static void fake_done(struct queue *q)
{
  free(q->impl);
}

static int fake_push(struct queue *q, unsigned slot, struct err *err)
{
  struct fake *f = fake_of(q);

  (void)err;
  f->line[f->n_line++] = slot;
  return 0;
}

static void fake_submit(struct queue *q)
{
  struct fake *f = fake_of(q);

  for (unsigned i = 0; i < f->n_line; i++) {
    const struct request *r = &q->slot[f->line[i]].r;
    unsigned writes = 0;

    for (unsigned k = 0; k < f->n_working; k++)
      writes += q->slot[f->working[k]].r.op == FILE_OP_WRITE &&
                q->slot[f->working[k]].r.file == r->file;
    f->submitted[f->n_submitted] = r->op;
    f->file[f->n_submitted] = r->file;
    f->writes_at_fsync[f->n_submitted++] = writes;
    f->working[f->n_working++] = f->line[i];
  }
  f->n_line = 0;
  q->in_line = 0;
  if (f->n_working > f->most_working)
    f->most_working = f->n_working;
}

static int fake_kick(struct queue *q, unsigned min, struct err *err)
{
  struct fake *f = fake_of(q);

  (void)err;
  f->kicks++;
  fake_submit(q);
  for (unsigned n = 0; n < min + f->eager && f->n_working > 0; n++) {
    const unsigned slot = f->working[0];
    const struct request *r = &q->slot[slot].r;
    int64_t result = r->op == FILE_OP_FSYNC ? 0 : (int64_t)r->length;

    if (f->at_result < f->n_results)
      result = f->results[f->at_result++];
    memmove(f->working, f->working + 1, --f->n_working * sizeof(unsigned));
    queue_completed(q, slot, result);
  }
  return 0;
}

static int fake_wait(struct queue *q, uint64_t for_ns, struct err *err)
{
  (void)for_ns;
  fake_of(q)->waits++;
  return fake_kick(q, 1, err);
}

static const struct queue_ops fake_ops = {
  .setup = fake_setup,
  .done = fake_done,
  .push = fake_push,
  .kick = fake_kick,
  .wait = fake_wait,
};

/* Everything that a queue needs around it. */
struct bed {
  struct fileio_cfg cfg;
  struct plan plan;
  struct fileio fio;
  struct recorders recorders;
  struct class_set *classes;
  struct run run;
  struct worker w;
  struct io io;
  int fd[2];
  struct queue *q;
};

static struct bed *bed_with(bool fsync_all, unsigned batch)
{
  struct bed *b = mem_aligned(1, sizeof(*b), CACHE_LINE);
  struct err err;
  void *q = NULL;

  b->cfg.backlog = DEPTH;
  b->cfg.batch = batch;
  b->cfg.fsync_all = fsync_all;
  b->plan.threads = 1;
  b->fio.plan = &b->plan;
  b->fio.cfg = &b->cfg;
  b->fio.layout.request = 4096;
  b->fio.folder.path = "";
  b->fd[0] = b->fd[1] = -1;
  b->fio.files.fd = b->fd;
  b->w.plan = &b->plan;
  b->w.run = &b->run;
  b->run.end_ns = PLAN_NO_LIMIT;
  b->io.fio = &b->fio;
  b->io.w = &b->w;
  b->cfg.mode = FILE_MODE_RNDRW;
  if (recorders_init(&b->recorders, 1, false, &err) < 0 ||
      class_set_new(&b->classes, 1, &err) < 0)
    exit(1);
  b->w.recorder = &b->recorders.of[0];
  b->w.classes = class_recorder_of(b->classes, 0);
  if (io_classes(&b->io, &err) < 0 ||
      queue_open(&b->io, &fake_ops, &q, &err) < 0)
    exit(1);
  b->q = q;
  return b;
}

static struct bed *bed_new(bool fsync_all)
{
  return bed_with(fsync_all, 1);
}

static void bed_free(struct bed *b)
{
  queue_close(b->q);
  class_set_free(b->classes);
  recorders_done(&b->recorders);
  free(b);
}

static uint64_t counted(struct bed *b, enum counter c)
{
  return atomic_load(&b->recorders.of[0].counter[c]);
}

static uint64_t recorded(struct bed *b, const char *class)
{
  struct class_totals totals = { 0 };

  class_read(b->classes, class_id(b->classes, class, strlen(class)), &totals);
  return totals.count;
}

static int ask(struct bed *b, enum file_op op, uint32_t file, struct err *err)
{
  const struct request r = { .op = op,
                             .file = file,
                             .length = op == FILE_OP_FSYNC ? 0 : 4096 };

  b->w.start_ns = clock_now_ns();
  return queue_execute(b->q, &r, err);
}

static void test_depth(void)
{
  struct bed *b = bed_new(false);
  struct err err;
  int rc = 0;

  for (unsigned i = 0; i < 100; i++)
    rc |= ask(b, i % 2 ? FILE_OP_READ : FILE_OP_WRITE, 0, &err);
  OK(rc == 0 && fake_of(b->q)->n_submitted == 100, "every one is submitted");
  OK(fake_of(b->q)->most_working == DEPTH, "the queue gets its depth");
  OK(b->q->in_flight == DEPTH - 1, "a full queue waits for one");
  OK(counted(b, COUNTER_READ) + counted(b, COUNTER_WRITE) == 97,
     "what is in flight is not counted yet");
  OK(queue_settle(b->q, true, &err) == 0 && b->q->in_flight == 0, "drained");
  OK(counted(b, COUNTER_READ) == 50 && counted(b, COUNTER_WRITE) == 50 &&
       counted(b, COUNTER_BYTES_READ) == 50 * 4096 &&
       counted(b, COUNTER_BYTES_WRITTEN) == 50 * 4096,
     "then all are");
  OK(recorded(b, "read") == 50 && recorded(b, "write") == 50 &&
       recorded(b, "fsync") == 0,
     "and their latencies");
  OK(b->q->depth_max == DEPTH && b->q->depth_count == 100, "depth is recorded");
  OK(queue_settle(b->q, true, &err) == 0, "nothing to wait for is no error");
  bed_free(b);
}

static void test_fsync_after_writes(void)
{
  struct bed *b = bed_new(false);
  struct fake *f = fake_of(b->q);
  unsigned fsyncs = 0, early = 0;
  struct err err;
  int rc = 0;

  for (unsigned i = 0; i < 90; i++)
    rc |= ask(b, i % 9 == 8 ? FILE_OP_FSYNC : FILE_OP_WRITE, i / 3 % 2, &err);
  rc |= queue_settle(b->q, true, &err);
  for (unsigned i = 0; i < f->n_submitted; i++) {
    fsyncs += f->submitted[i] == FILE_OP_FSYNC;
    early += f->submitted[i] == FILE_OP_FSYNC && f->writes_at_fsync[i] > 0;
  }
  OK(rc == 0 && fsyncs == 10 && counted(b, COUNTER_OTHER) == 10, "fsyncs");
  OK(recorded(b, "fsync") == 10, "have latencies");
  OK(early == 0, "none before the writes to its file are there");
  bed_free(b);
}

/* The writes to the other file stay in flight meanwhile. */
static void test_fsync_waits_for_its_file_only(void)
{
  struct bed *b = bed_new(false);
  struct err err;

  (void)ask(b, FILE_OP_WRITE, 1, &err);
  (void)ask(b, FILE_OP_READ, 0, &err);
  (void)ask(b, FILE_OP_FSYNC, 0, &err);
  OK(b->q->in_flight == 3, "nothing had to be waited for");
  bed_free(b);
}

static void test_fsync_all(void)
{
  struct bed *b = bed_new(true);
  struct fake *f = fake_of(b->q);
  unsigned fsyncs = 0;
  struct err err;
  int rc = 0;

  f->eager = 1;
  for (unsigned i = 0; i < 50; i++)
    rc |= ask(b, FILE_OP_WRITE, i % 2, &err);
  rc |= queue_settle(b->q, true, &err);
  for (unsigned i = 0; i < f->n_submitted; i++)
    fsyncs += f->submitted[i] == FILE_OP_FSYNC;
  OK(rc == 0 && fsyncs == 50 && counted(b, COUNTER_OTHER) == 50 &&
       counted(b, COUNTER_WRITE) == 50,
     "each write is followed by its fsync");
  OK(f->most_working <= DEPTH, "which takes no further place");
  bed_free(b);
}

static void test_batch(void)
{
  struct bed *b = bed_with(false, 3);
  struct fake *f = fake_of(b->q);
  struct err err;
  int rc = 0;

  rc |= ask(b, FILE_OP_READ, 0, &err);
  rc |= ask(b, FILE_OP_WRITE, 0, &err);
  OK(rc == 0 && f->n_submitted == 0, "less than a batch waits in line");
  rc |= ask(b, FILE_OP_READ, 0, &err);
  OK(rc == 0 && f->n_submitted == 3 && f->kicks == 1,
     "a batch is submitted at once");
  rc |= ask(b, FILE_OP_WRITE, 0, &err);
  OK(rc == 0 && f->n_submitted == 4 && b->q->in_flight == 1 && f->kicks == 2,
     "a full queue submits what is there, and waits for a batch");
  rc |= ask(b, FILE_OP_WRITE, 0, &err);
  rc |= ask(b, FILE_OP_FSYNC, 0, &err);
  OK(rc == 0 && f->n_submitted == 6 && f->submitted[5] == FILE_OP_FSYNC &&
       f->writes_at_fsync[5] == 0,
     "an fsync waits for no batch, but for the writes");
  rc |= ask(b, FILE_OP_READ, 0, &err);
  rc |= queue_settle(b->q, true, &err);
  OK(rc == 0 && b->q->in_flight == 0 && counted(b, COUNTER_READ) == 3 &&
       counted(b, COUNTER_WRITE) == 3 && counted(b, COUNTER_OTHER) == 1,
     "at the end no part of a batch is left");
  bed_free(b);
  b = bed_with(false, 100);
  for (unsigned i = 0; i < 10; i++)
    rc |= ask(b, FILE_OP_READ, 0, &err);
  rc |= queue_settle(b->q, true, &err);
  OK(rc == 0 && counted(b, COUNTER_READ) == 10 &&
       fake_of(b->q)->most_working == DEPTH,
     "a batch is not larger than the queue");
  bed_free(b);
}

static void test_again(void)
{
  struct bed *b = bed_new(false);
  struct fake *f = fake_of(b->q);
  struct err err;
  int rc = 0;

  f->results[0] = -EINTR;
  f->results[1] = -EAGAIN;
  f->n_results = 2;
  for (unsigned i = 0; i < 10; i++)
    rc |= ask(b, FILE_OP_READ, 0, &err);
  rc |= queue_settle(b->q, true, &err);
  OK(rc == 0 && counted(b, COUNTER_READ) == 10 && f->n_submitted == 12,
     "interrupted requests are submitted again");
  bed_free(b);
}

static void test_failure(int64_t result, const char *text)
{
  struct bed *b = bed_new(false);
  struct fake *f = fake_of(b->q);
  struct err err = { "" };
  int rc = 0;

  f->results[0] = result;
  f->n_results = 1;
  for (unsigned i = 0; i < DEPTH && rc == 0; i++)
    rc = ask(b, FILE_OP_READ, 1, &err);
  OK(rc < 0 && strstr(err.text, text), text);
  OK(counted(b, COUNTER_READ) == 0, "and is not counted");
  bed_free(b);
}

/*
 * Attends between events, until nothing is left, it is time, or the run is
 * over.
 */
static void test_attend(void)
{
  struct bed *b = bed_new(false);
  struct fake *f = fake_of(b->q);
  struct err err = { "" };

  for (unsigned i = 0; i < DEPTH - 1; i++)
    (void)ask(b, FILE_OP_READ, 0, &err);
  OK(queue_attend(b->q, clock_now_ns(), &err) == 0 && f->waits == 0,
     "no time: no waiting");
  b->run.stop = STOP_SIGNAL;
  OK(queue_attend(b->q, PLAN_NO_LIMIT, &err) == 0 && f->waits == 0,
     "nor when the run is over");
  b->run.stop = STOP_NO;
  OK(queue_attend(b->q, PLAN_NO_LIMIT, &err) == 0 && b->q->in_flight == 0 &&
       counted(b, COUNTER_READ) == DEPTH - 1 && f->waits == DEPTH - 1,
     "completions are taken until nothing is in flight");
  f->results[0] = -EIO;
  f->n_results = 1;
  (void)ask(b, FILE_OP_READ, 1, &err);
  OK(queue_attend(b->q, PLAN_NO_LIMIT, &err) == -EIO &&
       strstr(err.text, "Failed to read file 'test_file.1'"),
     "one that failed is told");
  bed_free(b);
}

int main(void)
{
  test_depth();
  test_fsync_after_writes();
  test_fsync_waits_for_its_file_only();
  test_fsync_all();
  test_batch();
  test_again();
  test_attend();
  test_failure(-EIO, "Failed to read file 'test_file.1': 4096 bytes at offset "
                     "0 errno = 5");
  test_failure(100, "only 100 of 4096 bytes at offset 0");
  return TAP_EXIT();
}
