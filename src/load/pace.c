/*
 * pace.c - how far a load is.
 */
#include "load/pace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/strbuf.h"

#define EVERY_NS (10 * NS_PER_S)
#define EVERY_TERMINAL_NS (NS_PER_S / 4)

void pace_init(struct pace *p, uint64_t total)
{
  memset(p, 0, sizeof(*p));
  (void)pthread_mutex_init(&p->lock, NULL);
  p->shown = log_get_level() >= LOG_NOTICE;
  p->terminal = isatty(STDERR_FILENO) == 1;
  p->total = total;
  p->start_ns = clock_now_ns();
  atomic_store(&p->next_ns,
               p->start_ns + (p->terminal ? EVERY_TERMINAL_NS : EVERY_NS));
}

void pace_done(struct pace *p)
{
  pace_clear(p);
  (void)pthread_mutex_destroy(&p->lock);
}

void pace_line(const struct pace *p, uint64_t passed_ns, struct strbuf *line)
{
  const uint64_t sent = atomic_load_explicit(&p->rows, memory_order_relaxed);
  const uint64_t bytes = atomic_load_explicit(&p->bytes, memory_order_relaxed);
  const uint64_t rows = p->there + sent < p->total ? p->there + sent : p->total;
  const double s = passed_ns > 0 ? (double)passed_ns / 1e9 : 1e-9;
  const double rate = (double)sent / s;

  strbuf_addf(line, "Loaded %" PRIu64 " of %" PRIu64 " rows (%.0f%%)", rows,
              p->total,
              p->total ? 100.0 * (double)rows / (double)p->total : 100.0);
  strbuf_addf(line, ", %.0f rows/s, %.1f MB/s", rate, (double)bytes / s / 1e6);
  if (rate > 0)
    strbuf_addf(line, ", ETA %.0f s", (double)(p->total - rows) / rate);
  if (p->tables)
    p->tables(p->ctx, line);
}

static void write_line(struct pace *p, uint64_t now)
{
  struct strbuf line = { 0 };

  if (p->terminal)
    strbuf_adds(&line, "\r");
  pace_line(p, now - p->start_ns, &line);
  strbuf_adds(&line, p->terminal ? "\033[K" : "\n");
  if (!line.failed)
    (void)fwrite(line.text, 1, line.len, stderr);
  (void)fflush(stderr);
  p->drawn = p->terminal;
  strbuf_done(&line);
}

void pace_add(struct pace *p, uint64_t rows, uint64_t bytes)
{
  uint64_t now;

  (void)atomic_fetch_add_explicit(&p->rows, rows, memory_order_relaxed);
  (void)atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
  if (!p->shown)
    return;
  now = clock_now_ns();
  if (now < atomic_load_explicit(&p->next_ns, memory_order_relaxed) ||
      pthread_mutex_trylock(&p->lock) != 0)
    return;
  if (now >= atomic_load_explicit(&p->next_ns, memory_order_relaxed)) {
    atomic_store_explicit(&p->next_ns,
                          now + (p->terminal ? EVERY_TERMINAL_NS : EVERY_NS),
                          memory_order_relaxed);
    write_line(p, now);
  }
  (void)pthread_mutex_unlock(&p->lock);
}

void pace_take_back(struct pace *p, uint64_t rows, uint64_t bytes)
{
  (void)atomic_fetch_sub_explicit(&p->rows, rows, memory_order_relaxed);
  (void)atomic_fetch_sub_explicit(&p->bytes, bytes, memory_order_relaxed);
}

void pace_clear(struct pace *p)
{
  (void)pthread_mutex_lock(&p->lock);
  if (p->drawn) {
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
  }
  p->drawn = false;
  (void)pthread_mutex_unlock(&p->lock);
}
