#include "results/event_log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "report/life.h"
#include "results/outfile.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"

enum {
  BLOCK = 1 << 16,  /* bytes per write */
  LINE_ROOM = 4096, /* bytes free for one line */
  TURN = 512,       /* events of a worker at a time */
  SHOWN_MAX = 1024, /* bytes shown of a class's name */
};

/* Between looks at empty rings. */
#define PAUSE_NS (2 * NS_PER_MS)

struct event_log {
  struct outfile file;
  struct event_rings rings;
  pthread_t thread;
  bool running;
  _Atomic uint32_t stop; /* waited for */

  /* Written by the thread: its end, and the number of its writes. */
  _Atomic uint32_t ended;
  _Atomic uint32_t steps; /* changes with both; waited for */

  /* Set before the first event and the thread's first read. */
  uint64_t zero_ns;
  const struct class_set *classes;

  /* Of the thread; of the conductor if the thread has ended or was left
   * behind. */
  unsigned first;
  struct event_record turn[TURN];
  size_t in_turn; /* without a line yet */
  char *block;    /* owned; BLOCK bytes */
  size_t len;
  uint64_t lines;
  uint64_t written, lost;
  struct event_log_end *tell; /* [opt] */
  bool failed;
  struct err why;
};

int event_log_new(struct event_log **ret, const char *name, unsigned threads,
                  unsigned first, struct err *err)
{
  static const char header[] = "start_ns,latency_ns,thread,class,error\n";
  struct event_log *l = calloc(1, sizeof(*l));
  int rc;

  if (!l)
    return results_no_memory(err);
  l->first = first;
  rc = event_rings_init(&l->rings, threads, err);
  if (rc == 0)
    rc = outfile_open(&l->file, name, err);
  if (rc == 0)
    rc = outfile_write(&l->file, header, sizeof(header) - 1, err);
  if (rc == 0) {
    l->block = malloc(BLOCK);
    if (!l->block)
      rc = results_no_memory(err);
  }
  if (rc < 0) {
    event_log_free(l);
    return rc;
  }
  *ret = l;
  return 0;
}

void event_log_free(struct event_log *l)
{
  struct err ignored;

  if (!l)
    return;
  (void)outfile_close(&l->file, &ignored); /* errors were reported */
  event_rings_done(&l->rings);
  free(l->block);
  free(l);
}

bool event_log_is_left(const struct event_log *l)
{
  return outfile_is_left(&l->file);
}

struct event_rings *event_log_rings(struct event_log *l)
{
  return &l->rings;
}

void event_log_tell(struct event_log *l, struct event_log_end *ret)
{
  l->tell = ret;
}

/* For the thread that waits in over(). */
static void event_log_note_step(struct event_log *l)
{
  (void)atomic_fetch_add(&l->steps, 1);
  if (atomic_load(&l->stop) != 0)
    wait_wake_all(&l->steps);
}

/* False, here and below: left behind, touch nothing. */
static bool event_log_flush(struct event_log *l)
{
  int rc = 0;

  if (l->len > 0 && !l->failed)
    rc = outfile_write(&l->file, l->block, l->len, &l->why);
  if (rc == -ECANCELED)
    return false;
  l->failed |= rc < 0;
  *(l->failed ? &l->lost : &l->written) += l->lines;
  l->lines = 0;
  l->len = 0;
  event_log_note_step(l);
  return true;
}

/* Two digits at a time: this is most of the thread's work, and slow lines
 * drop events. */
static void event_log_add_number(struct event_log *l, uint64_t value)
{
  static const char pairs[] = "0001020304050607080910111213141516171819"
                              "2021222324252627282930313233343536373839"
                              "4041424344454647484950515253545556575859"
                              "6061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
  char digits[20];
  size_t at = sizeof(digits);

  while (value >= 10) {
    at -= 2;
    memcpy(&digits[at], &pairs[2 * (value % 100)], 2);
    value /= 100;
  }
  if (value > 0 || at == sizeof(digits))
    digits[--at] = (char)('0' + value);
  memcpy(&l->block[l->len], &digits[at], sizeof(digits) - at);
  l->len += sizeof(digits) - at;
}

/* Quoted, without line ends. */
static void event_log_add_class(struct event_log *l, unsigned id)
{
  const char *name;

  if (id == EVENT_NO_CLASS || !l->classes || id >= class_count(l->classes))
    return;
  name = class_name(l->classes, id);
  l->block[l->len++] = '"';
  for (int i = 0; name[i] != '\0' && i < SHOWN_MAX; i++) {
    const char c = name[i];

    if (c == '"')
      l->block[l->len++] = '"';
    l->block[l->len++] = (unsigned char)c < ' ' ? ' ' : c;
  }
  l->block[l->len++] = '"';
}

static bool event_log_add_line(struct event_log *l,
                               const struct event_record *e, unsigned thread)
{
  if (!l->failed && BLOCK - l->len < LINE_ROOM && !event_log_flush(l))
    return false;
  if (l->failed) {
    l->lost++;
    return true;
  }
  event_log_add_number(l,
                       e->start_ns > l->zero_ns ? e->start_ns - l->zero_ns : 0);
  l->block[l->len++] = ',';
  event_log_add_number(l, e->latency_ns);
  l->block[l->len++] = ',';
  event_log_add_number(l, l->first + thread);
  l->block[l->len++] = ',';
  event_log_add_class(l, e->class_id);
  l->block[l->len++] = ',';
  event_log_add_number(l, e->failed);
  l->block[l->len++] = '\n';
  l->lines++;
  return true;
}

/* Returns their number. */
static bool event_log_take_turn(struct event_log *l, unsigned i, size_t max,
                                size_t *ret_n)
{
  const size_t n = event_ring_take(&l->rings.of[i], l->turn,
                                   max < TURN ? max : TURN);

  for (size_t k = 0; k < n; k++) {
    l->in_turn = n - k;
    if (!event_log_add_line(l, &l->turn[k], i))
      return false;
  }
  l->in_turn = 0;
  *ret_n = n;
  return true;
}

static bool event_log_take_turns(struct event_log *l, size_t *ret_n)
{
  size_t all = 0, n;

  for (unsigned i = 0; i < l->rings.n; i++) {
    if (!event_log_take_turn(l, i, TURN, &n))
      return false;
    all += n;
  }
  *ret_n = all;
  return true;
}

/* Workers are stopped; does not wait for workers left behind. */
static bool event_log_take_rest(struct event_log *l)
{
  for (unsigned i = 0; i < l->rings.n; i++) {
    size_t left = ck_ring_size(&l->rings.of[i].ring);

    while (left > 0) {
      size_t n;

      if (!event_log_take_turn(l, i, left, &n))
        return false;
      if (n == 0)
        break;
      left -= n;
    }
  }
  return event_log_flush(l);
}

static bool event_log_take_all(struct event_log *l)
{
  while (atomic_load(&l->stop) == 0) {
    size_t n;

    if (!event_log_take_turns(l, &n))
      return false;
    if (n > 0)
      continue;
    if (!event_log_flush(l))
      return false;
    wait_while(&l->stop, 0, clock_now_ns() + PAUSE_NS);
  }
  return event_log_take_rest(l);
}

static void *event_log_log_main(void *arg)
{
  struct event_log *l = arg;

  if (event_log_take_all(l)) {
    atomic_store(&l->ended, 1);
    event_log_note_step(l);
  }
  return NULL;
}

static int event_log_on_start(void *ctx, const struct run_start *start,
                              struct err *err)
{
  struct event_log *l = ctx;
  int rc;

  l->zero_ns = start->start_ns;
  l->classes = start->classes;
  rc = thread_start_masked(&l->thread, event_log_log_main, l, err);
  l->running = rc == 0;
  return rc;
}

/* WAITS while the file takes data; false: the thread was left behind. */
static bool event_log_await_end(struct event_log *l)
{
  uint64_t until = clock_now_ns() + OUTFILE_PATIENCE_NS;
  uint32_t seen = atomic_load(&l->steps);

  while (atomic_load(&l->ended) == 0) {
    const uint32_t steps = atomic_load(&l->steps);
    const uint64_t now = clock_now_ns();

    if (steps == seen && now >= until && outfile_leave(&l->file))
      return false;
    if (steps != seen || now >= until)
      until = now + OUTFILE_PATIENCE_NS;
    seen = steps;
    wait_while(&l->steps, steps, until);
  }
  return true;
}

/* Of a thread that was left behind. */
static void event_log_count_rest(struct event_log *l)
{
  l->lost += l->lines + l->in_turn;
  for (unsigned i = 0; i < l->rings.n; i++)
    l->lost += ck_ring_size(&l->rings.of[i].ring);
  l->failed = true;
  (void)outfile_tell_left(&l->file, &l->why);
}

static void event_log_stop(struct event_log *l)
{
  atomic_store(&l->stop, 1);
  wait_wake_all(&l->stop);
  if (event_log_await_end(l)) {
    (void)pthread_join(l->thread, NULL);
  } else {
    (void)pthread_detach(l->thread);
    event_log_count_rest(l);
  }
  l->running = false;
}

static int event_log_on_over(void *ctx, const struct run_end *end,
                             struct err *err)
{
  struct event_log *l = ctx;

  (void)end;
  if (l->running)
    event_log_stop(l);
  if (l->tell)
    *l->tell = (struct event_log_end){
      .written = l->written,
      .dropped = event_rings_dropped(&l->rings) + l->lost,
      .failed = l->failed,
    };
  if (l->failed) {
    *err = l->why;
    return -1;
  }
  return outfile_close(&l->file, err);
}

const struct reporter event_log_reporter = {
  .name = "event-log",
  .start = event_log_on_start,
  .over = event_log_on_over,
};
