/*
 * err.h - why an operation failed, in words that a user can act on. A function
 * that can fail returns 0 or a negative errno value and fills in its last
 * parameter only then. The caller that decides what happens next logs.
 */
#ifndef BENCH_BASE_ERR_H
#define BENCH_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct err {
  char text[1536]; /* ends with "..." if it was cut */
  /* The user has seen the cause: do not print it again. */
  bool said;
};

/* Returns `code`. */
int err_set(struct err *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* For a failed system call: adds " errno = N (TEXT)" and returns -errno. */
int err_sys(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Puts "<context>: " in front of the message. */
void err_prefix(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The system's text; it can be in `buf`. Any thread. */
const char *err_text(int code, char *buf, size_t size);

/* Where to raise a limit of the process: " (see ulimit -n)"; else "". */
const char *err_limit(int code);

#endif
