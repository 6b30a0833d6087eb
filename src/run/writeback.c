#include "run/writeback.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/machine/proc.h"
#include "base/minmax.h"
#include "base/wait.h"
#include "run/plan.h"
#include "run/run.h"

#define MIB (UINT64_C(1) << 20)
#define LOW_BYTES (64 * MIB)
#define STEADY_BYTES (8 * MIB)

bool writeback_add(struct writeback *c, uint64_t bytes)
{
  uint64_t low = UINT64_MAX, high = 0;

  c->bytes[c->n++ % WRITEBACK_READINGS] = bytes;
  if (c->n < WRITEBACK_READINGS)
    return false;
  for (int i = 0; i < WRITEBACK_READINGS; i++) {
    low = min_u64(low, c->bytes[i]);
    high = c->bytes[i] > high ? c->bytes[i] : high;
  }
  return high <= LOW_BYTES && high - low <= STEADY_BYTES;
}

static bool writeback_read_dirty(uint64_t *ret)
{
  uint64_t dirty, writeback;

  if (!proc_meminfo("", "Dirty", &dirty) ||
      !proc_meminfo("", "Writeback", &writeback))
    return false;
  *ret = dirty + writeback;
  return true;
}

/* False: a signal has arrived. */
static bool writeback_sleep_until(struct run *run, uint64_t until_ns)
{
  while (atomic_load(&run->signal) == 0) {
    const uint32_t news = atomic_load(&run->news);

    if (atomic_load(&run->signal) != 0)
      break;
    if (clock_now_ns() >= until_ns)
      return true;
    wait_while(&run->news, news, until_ns);
  }
  return false;
}

static bool writeback_await_writeback(struct run *run, struct run_settled *s,
                                      uint64_t until_ns)
{
  struct writeback calm = { .n = 0 };
  uint64_t next = clock_now_ns();

  while (writeback_read_dirty(&s->dirty_bytes)) {
    if (calm.n == 0)
      s->dirty_before_bytes = s->dirty_bytes;
    s->dirty_known = true;
    if (writeback_add(&calm, s->dirty_bytes))
      return true;
    next += NS_PER_S;
    if (next > until_ns || !writeback_sleep_until(run, next))
      return false;
  }
  return false;
}

static void writeback_tell(const struct run_settled *s, double limit_s)
{
  char text[FMT_DOUBLE_SIZE];

  if (!s->dirty_known)
    log_msg(LOG_WARNING, "--settle=writeback has not waited, because "
                         "/proc/meminfo does not say what is left to be "
                         "written");
  else
    log_msg(LOG_WARNING,
            "%llu MiB are left to be written after %s seconds of "
            "--settle=writeback, so the run may share the disk with them",
            (unsigned long long)(s->dirty_bytes / MIB),
            fmt_shortest(text, limit_s));
}

void writeback_await(struct run *run)
{
  struct run_settled *s = &run->life.settled;
  const struct writeback_wish wish = run->plan->cfg.settle;
  const uint64_t start_ns = clock_now_ns();
  uint64_t until_ns;

  if (wish.kind == WRITEBACK_NONE)
    return;
  log_msg(LOG_NOTICE,
          wish.kind == WRITEBACK_LOW
            ? "Settling: until earlier writes are on the disk, at most %g s\n"
            : "Settling: %g s\n",
          wish.seconds);
  until_ns = start_ns + (uint64_t)(wish.seconds * (double)NS_PER_S);
  s->asked = true;
  s->writeback = wish.kind == WRITEBACK_LOW;
  if (s->writeback)
    s->calm = writeback_await_writeback(run, s, until_ns);
  else
    s->calm = writeback_sleep_until(run, until_ns);
  s->waited_ns = clock_now_ns() - start_ns;
  if (s->writeback && !s->calm && atomic_load(&run->signal) == 0)
    writeback_tell(s, wish.seconds);
}
