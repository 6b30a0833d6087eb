/*
 * err.h - why an operation failed, in words that a user can act on.
 *
 * A function that can fail returns 0 or a negative errno value, takes a struct
 * err as its last parameter, and fills it in only when it fails.  It does not
 * log: the caller that decides what happens next does.
 */
#ifndef BENCH_BASE_ERR_H
#define BENCH_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct err {
  char text[1536]; /* "" until something fails; a text that is cut ends with
                      "..." */
  /* The user has seen the cause: keep it, and do not print it again. */
  bool said;
};

/* Store the message.  Returns `code`, so that callers can return it. */
int err_set(struct err *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * The same for a failed system call: adds " errno = N (TEXT)", the form of all
 * such messages, and returns -errno.
 */
int err_sys(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Put "<context>: " in front of the message that `err` already holds. */
void err_prefix(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The system's text for an errno value; it may be in `buf`.  Any thread may
 * call. */
const char *err_text(int code, char *buf, size_t size);

/* Follows that text where a limit of the process can be raised: " (see ulimit
 * -n)"; else "". */
const char *err_limit(int code);

#endif
