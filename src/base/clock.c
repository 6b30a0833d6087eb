/*
 * clock.c - the scale is a file-level variable, a documented exception to "no
 * mutable statics": a reading must not cost a parameter. clock_discipline()
 * writes, in one thread. Readers follow an atomic pointer into a ring, whose
 * old entries stay valid for many seconds.
 */
#include "base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

/* From tick0 on, now = ns0 + (ticks - tick0) * mult / 2^32. Before tick0, the
 * previous scale is in force. */
struct scale {
  _Atomic uint64_t tick0, ns0, mult;
};

enum {
  SCALES = 32
};

/* Published this long before it comes into force: all readers change over at
 * the same tick even if the writer is interrupted. */
#define LEAD_NS (20 * NS_PER_MS)

static struct scale scales[SCALES];
static _Atomic(struct scale *) current; /* pairs release with acquire */
static unsigned newest;                 /* writer: clock_discipline() */

/* Both clocks when the scale was first made. */
static uint64_t anchor_tick, anchor_ns;

uint64_t clock_read_ns(clockid_t clock)
{
  struct timespec ts;

  if (clock_gettime(clock, &ts) < 0)
    return 0;
  return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static uint64_t kernel_ns(void)
{
  return clock_read_ns(CLOCK_MONOTONIC);
}

#if defined(__x86_64__) || defined(__aarch64__)
static bool kernel_uses(const char *source)
{
  static const char path[] =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  char name[32] = "";
  FILE *f = fopen(path, "re");

  if (!f)
    return false;
  if (!fgets(name, sizeof(name), f))
    name[0] = '\0';
  (void)fclose(f);
  name[strcspn(name, "\n")] = '\0';
  return strcmp(name, source) == 0;
}
#endif

#if defined(__x86_64__)

#define TICKS "tsc"

static uint64_t read_ticks(void)
{
  return __rdtsc();
}

static bool ticks_are_trusted(void)
{
  unsigned a, b, c, d;

  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)) &&
         kernel_uses("tsc");
}

#elif defined(__aarch64__)

#define TICKS "cntvct"

static uint64_t read_ticks(void)
{
  uint64_t ticks;

  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

static bool ticks_are_trusted(void)
{
  return kernel_uses("arch_sys_counter");
}

#else

#define TICKS ""

static uint64_t read_ticks(void)
{
  return 0;
}

static bool ticks_are_trusted(void)
{
  return false;
}

#endif

/* The closest pair of several tries. */
static void read_both(uint64_t *ret_tick, uint64_t *ret_ns)
{
  uint64_t best = UINT64_MAX;

  for (int i = 0; i < 5; i++) {
    const uint64_t before = read_ticks();
    const uint64_t ns = kernel_ns();
    const uint64_t after = read_ticks();

    if (after - before < best) {
      best = after - before;
      *ret_tick = before + (after - before) / 2;
      *ret_ns = ns;
    }
  }
}

static uint64_t scaled(const struct scale *s, uint64_t tick)
{
  uint64_t past = tick - atomic_load_explicit(&s->tick0, memory_order_relaxed);

  if (UNLIKELY((int64_t)past < 0)) {
    const struct scale *before = s == scales ? &scales[SCALES - 1] : s - 1;

    if (atomic_load_explicit(&before->mult, memory_order_relaxed) == 0)
      return atomic_load_explicit(&s->ns0, memory_order_relaxed);
    s = before;
    past = tick - atomic_load_explicit(&s->tick0, memory_order_relaxed);
  }
  return atomic_load_explicit(&s->ns0, memory_order_relaxed) +
         (uint64_t)(((unsigned __int128)past *
                     atomic_load_explicit(&s->mult, memory_order_relaxed)) >>
                    32);
}

uint64_t clock_now_ns(void)
{
  const struct scale *s = atomic_load_explicit(&current, memory_order_acquire);

  if (UNLIKELY(!s))
    return kernel_ns();
  for (;;) {
    const uint64_t tick = read_ticks();
    const struct scale *now = atomic_load_explicit(&current,
                                                   memory_order_acquire);

    /* A reader that was interrupted here can hold an outdated scale. */
    if (LIKELY(now == s))
      return scaled(s, tick);
    s = now;
  }
}

static void publish(uint64_t tick0, uint64_t ns0, uint64_t mult)
{
  struct scale *s = &scales[++newest % SCALES];

  atomic_store_explicit(&s->tick0, tick0, memory_order_relaxed);
  atomic_store_explicit(&s->ns0, ns0, memory_order_relaxed);
  atomic_store_explicit(&s->mult, mult, memory_order_relaxed);
  atomic_store_explicit(&current, s, memory_order_release);
}

static uint64_t ratio(uint64_t ns, uint64_t ticks)
{
  return (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

void clock_calibrate(void)
{
  uint64_t tick = 0, ns = 0;

  if (atomic_load(&current) || !ticks_are_trusted())
    return;
  read_both(&anchor_tick, &anchor_ns);
  do {
    (void)nanosleep(&(const struct timespec){ .tv_nsec = 3 * NS_PER_MS }, NULL);
    read_both(&tick, &ns);
  } while (ns - anchor_ns < 3 * NS_PER_MS);
  if (tick > anchor_tick)
    publish(tick, ns, ratio(ns - anchor_ns, tick - anchor_tick));
}

/* The new scale starts where the old one will be, so that readers see no jump.
 * It corrects the difference within two seconds. */
void clock_discipline(void)
{
  const struct scale *s = atomic_load(&current);
  uint64_t tick = 0, ns = 0, start, mult;
  double rate, correction;

  if (!s)
    return;
  read_both(&tick, &ns);
  if ((int64_t)(tick - atomic_load(&s->tick0)) < 0)
    return;
  rate = (double)ratio(ns - anchor_ns, tick - anchor_tick);
  correction = (double)(int64_t)(ns - scaled(s, tick)) /
               (2.0 * (double)NS_PER_S);
  if (correction > 0.001)
    correction = 0.001;
  if (correction < -0.001)
    correction = -0.001;
  mult = (uint64_t)(rate * (1.0 + correction));
  start = tick + (uint64_t)(((unsigned __int128)LEAD_NS << 32) / mult);
  if ((int64_t)(start - read_ticks()) > 0) /* otherwise it is too late */
    publish(start, scaled(s, start), mult);
}

const char *clock_source(void)
{
  return atomic_load(&current) ? TICKS : "clock_gettime";
}

/* The fastest batch: the others were interrupted. */
double clock_cost_ns(void)
{
  enum {
    BATCHES = 10,
    READINGS = 50
  };
  uint64_t best = UINT64_MAX;

  for (int batch = 0; batch < BATCHES; batch++) {
    const uint64_t start = kernel_ns();
    uint64_t took;

    for (int i = 0; i < READINGS; i++)
      (void)clock_now_ns();
    took = kernel_ns() - start;
    if (took < best)
      best = took;
  }
  return (double)best / READINGS;
}
