/*
 * progress.c - how far a long command is, on one line of a terminal.
 */
#include "tests/fileio/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define MIB 1048576.0

void progress_init(struct progress *p, uint64_t total_bytes)
{
  p->shown = isatty(STDERR_FILENO) == 1;
  p->start_ns = clock_now_ns();
  p->total_bytes = total_bytes;
}

void progress_text(const struct progress *p, uint64_t done_bytes,
                   uint64_t now_ns, char *buf, size_t room)
{
  const double seconds = (double)(now_ns - p->start_ns) / (double)NS_PER_S;
  const double rate = seconds > 0.0 ? (double)done_bytes / seconds : 0.0;
  const double total = (double)p->total_bytes;
  int len;

  len = snprintf(buf, room, "%.0f of %.0f MiB (%.0f%%), %.1f MiB/s",
                 (double)done_bytes / MIB, total / MIB,
                 total > 0.0 ? 100.0 * (double)done_bytes / total : 100.0,
                 rate / MIB);
  if (rate > 0.0 && done_bytes < p->total_bytes && (size_t)len < room) {
    const uint64_t eta = (uint64_t)((total - (double)done_bytes) / rate + 0.5);

    (void)snprintf(buf + len, room - (size_t)len,
                   ", %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left", eta / 3600,
                   eta / 60 % 60, eta % 60);
  }
}

void progress_show(const struct progress *p, uint64_t done_bytes)
{
  char text[160];

  if (!p->shown)
    return;
  progress_text(p, done_bytes, clock_now_ns(), text, sizeof(text));
  (void)fprintf(stderr, "\r%s\033[K", text);
}

void progress_clear(const struct progress *p)
{
  if (p->shown)
    (void)fputs("\r\033[K", stderr);
}
