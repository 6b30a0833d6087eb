/*
 * progress.h - how far a long command is, on one line of a terminal.
 */
#ifndef BENCH_TESTS_FILEIO_PROGRESS_H
#define BENCH_TESTS_FILEIO_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
  bool shown; /* stderr is a terminal */
  uint64_t start_ns;
  uint64_t total_bytes;
};

void progress_init(struct progress *p, uint64_t total_bytes);

/* Show the line, with `done_bytes` written so far. */
void progress_show(const struct progress *p, uint64_t done_bytes);

/* Take the line away. */
void progress_clear(const struct progress *p);

/* The line's text at a moment after the start. */
void progress_text(const struct progress *p, uint64_t done_bytes,
                   uint64_t now_ns, char *buf, size_t room);

#endif
