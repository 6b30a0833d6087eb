#include "tests/fileio/wear.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/log.h"
#include "run/worker.h"
#include "stats/recorder.h"

void steady_init(struct steady *s, double percent, double window_s)
{
  *s = (struct steady){
    .limit = percent / 100,
    .window_ns = (uint64_t)(window_s * (double)NS_PER_S),
  };
}

bool steady_look(const struct steady *s, struct steady_state *ret)
{
  const double middle = (STEADY_WINDOWS - 1) / 2.0;
  double low = INFINITY, high = -INFINITY, sum = 0, product = 0, squares = 0;

  if (s->n < STEADY_WINDOWS)
    return false;
  for (unsigned i = 0; i < STEADY_WINDOWS; i++) {
    const double rate = s->rate[(s->n + i) % STEADY_WINDOWS];

    low = fmin(low, rate);
    high = fmax(high, rate);
    sum += rate;
    product += rate * (i - middle);
    squares += (i - middle) * (i - middle);
  }
  ret->mean = sum / STEADY_WINDOWS;
  ret->range = ret->mean > 0 ? (high - low) / ret->mean : 0;
  ret->slope = ret->mean > 0
                 ? product / squares * (STEADY_WINDOWS - 1) / ret->mean
                 : 0;
  return true;
}

void steady_add(struct steady *s, double rate)
{
  struct steady_state now;

  s->rate[s->n++ % STEADY_WINDOWS] = rate;
  if (steady_look(s, &now) && now.mean > 0 && now.range <= s->limit &&
      fabs(now.slope) <= s->limit)
    atomic_store_explicit(&s->reached, true, memory_order_relaxed);
}

bool steady_goes_on(struct steady *s, const struct worker *w)
{
  uint64_t now, events;

  if (atomic_load_explicit(&s->reached, memory_order_relaxed))
    return false;
  if (w->tid != 0 || !w->counted)
    return true;
  now = clock_now_ns();
  if (s->start_ns != 0 && now - s->start_ns < s->window_ns)
    return true;
  events = recorders_events(w->recorders);
  if (s->start_ns != 0)
    steady_add(s, (double)(events - s->before) * (double)NS_PER_S /
                    (double)(now - s->start_ns));
  s->start_ns = now;
  s->before = events;
  return !atomic_load_explicit(&s->reached, memory_order_relaxed);
}

void steady_tell(const struct steady *s)
{
  const double window_s = (double)s->window_ns / (double)NS_PER_S;
  struct steady_state now;

  if (!steady_look(s, &now))
    log_msg(LOG_WARNING,
            "the run was too short to become steady: --file-steady needs %d "
            "windows of %g s; raise --time or lower --file-steady-window",
            STEADY_WINDOWS, window_s);
  else if (!atomic_load(&s->reached))
    log_msg(LOG_WARNING,
            "the run has not become steady: the last %d windows of %g s have a "
            "range of %.1f%% and a trend of %+.1f%%, and %g%% are allowed; "
            "raise --time or --file-steady",
            STEADY_WINDOWS, window_s, 100 * now.range, 100 * now.slope,
            100 * s->limit);
  else
    log_msg(LOG_NOTICE,
            "\nSteady state (last %d windows of %g s):\n"
            "    events/s:                     %.2f\n"
            "    range:                        %.1f%%\n"
            "    trend:                        %+.1f%%\n",
            STEADY_WINDOWS, window_s, now.mean, 100 * now.range,
            100 * now.slope);
}

void steady_facts(const struct steady *s, struct facts *to)
{
  struct steady_state now;

  if (!steady_look(s, &now))
    return;
  facts_bool(to, "steady.reached", atomic_load(&s->reached));
  facts_real(to, "steady.events_per_s", now.mean);
  facts_real(to, "steady.range", now.range);
  facts_real(to, "steady.trend", now.slope);
}

#define SECTOR 512 /* of the counts */
#define NESTED_MAX 8
#define MIB 1048576.0

static bool wear_copy_name(char to[WEAR_NAME_MAX], const char *name)
{
  const size_t len = strlen(name);

  if (len >= WEAR_NAME_MAX)
    return false;
  memcpy(to, name, len + 1);
  return true;
}

static bool wear_has(const struct wear *w, const char *name)
{
  for (unsigned i = 0; i < w->n; i++) {
    if (strcmp(w->below[i], name) == 0)
      return true;
  }
  return false;
}

/* The devices below, or this one. */
static bool wear_add_disk(struct wear *w, const char *name, unsigned depth)
{
  char path[PATH_MAX];
  const struct dirent *entry;
  bool upon = false, ok = depth < NESTED_MAX;
  DIR *dir;

  (void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/slaves", w->root,
                 name);
  dir = opendir(path);
  while (dir && ok && (entry = readdir(dir)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    upon = true;
    ok = wear_add_disk(w, entry->d_name, depth + 1);
  }
  if (dir)
    (void)closedir(dir);
  if (upon || !ok || wear_has(w, name))
    return ok;
  return w->n < WEAR_DEVICES_MAX && wear_copy_name(w->below[w->n++], name);
}

/* The last part of the link of its number. */
static bool wear_find_name(struct wear *w, dev_t number)
{
  char path[PATH_MAX], target[PATH_MAX];
  const char *end;
  ssize_t n;

  (void)snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", w->root,
                 major(number), minor(number));
  n = readlink(path, target, sizeof(target) - 1);
  if (n < 0)
    return false;
  target[n] = '\0';
  end = strrchr(target, '/');
  return wear_copy_name(w->name, end ? end + 1 : target);
}

void wear_find(struct wear *w, const char *root, dev_t number)
{
  *w = (struct wear){ .root = root };
  if (!wear_find_name(w, number) || !wear_add_disk(w, w->name, 0)) {
    w->n = 0;
    w->unknown = "the system names no device for these files";
  }
}

bool wear_read(const struct wear *w, uint64_t *ret_bytes)
{
  uint64_t sum = 0, sectors;
  char path[PATH_MAX];

  for (unsigned i = 0; i < w->n; i++) {
    bool ok;
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/stat", w->root,
                   w->below[i]);
    f = fopen(path, "re");
    ok = f && fscanf(f, "%*u %*u %*u %*u %*u %*u %" SCNu64, &sectors) == 1;
    if (f)
      (void)fclose(f);
    if (!ok)
      return false;
    sum += sectors * SECTOR;
  }
  *ret_bytes = sum;
  return w->n > 0;
}

void wear_start(struct wear *w, unsigned workers)
{
  atomic_store(&w->left, workers);
  if (!w->unknown && !wear_read(w, &w->before))
    w->unknown = "the system does not count what the device writes";
}

void wear_add(struct wear *w, uint64_t bytes)
{
  uint64_t now;

  (void)atomic_fetch_add(&w->test_bytes, bytes);
  if (atomic_fetch_sub(&w->left, 1) == 1 && !w->unknown && wear_read(w, &now))
    atomic_store(&w->device_bytes, now - w->before);
}

static const char *wear_why_unknown(const struct wear *w)
{
  if (w->unknown)
    return w->unknown;
  if (atomic_load(&w->left) > 0)
    return "the run has not ended as it should";
  return atomic_load(&w->test_bytes) == 0 ? "the test has written nothing"
                                          : NULL;
}

static double wear_factor(const struct wear *w)
{
  return (double)atomic_load(&w->device_bytes) /
         (double)atomic_load(&w->test_bytes);
}

void wear_tell(const struct wear *w)
{
  const char *unknown = wear_why_unknown(w);

  if (unknown)
    log_msg(LOG_NOTICE, "\nWritten by the device: unknown, because %s\n",
            unknown);
  else
    log_msg(LOG_NOTICE,
            "\nWritten by device %s: %.2f MiB, %.2f times the %.2f MiB of the "
            "test\n",
            w->name, (double)atomic_load(&w->device_bytes) / MIB,
            wear_factor(w), (double)atomic_load(&w->test_bytes) / MIB);
}

void wear_facts(const struct wear *w, struct facts *to)
{
  if (wear_why_unknown(w)) {
    facts_text(to, "device_writes.unknown", wear_why_unknown(w));
    return;
  }
  facts_text(to, "device_writes.device", w->name);
  facts_int(to, "device_writes.device_bytes",
            (int64_t)atomic_load(&w->device_bytes));
  facts_int(to, "device_writes.test_bytes",
            (int64_t)atomic_load(&w->test_bytes));
  facts_real(to, "device_writes.amplification", wear_factor(w));
}
