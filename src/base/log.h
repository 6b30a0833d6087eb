/*
 * log.h - text on stdout, messages on stderr. Each call is one write. Repeated
 * messages (not NOTICE) on a stream are counted; the count is printed before
 * the next one or at the end. Any thread.
 */
#ifndef BENCH_BASE_LOG_H
#define BENCH_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"

enum log_level {
  LOG_FATAL,   /* stderr, "FATAL: " */
  LOG_ALERT,   /* stderr, "ALERT: " */
  LOG_WARNING, /* stderr, "WARNING: " */
  LOG_NOTICE,  /* stdout, no prefix; never counted */
  LOG_INFO,    /* stdout, no prefix */
  LOG_DEBUG,   /* stderr, "DEBUG: " */
};

/* Makes stdout line-buffered. Call at the start of main(). */
void log_init(void);

/* The highest level shown; initially LOG_NOTICE. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* NOTICE and INFO go here instead of stdout. Borrowed. */
void log_set_text(FILE *stream);

/* The origin among several ranks, after the prefix of messages (except NOTICE
 * and INFO). Copied, and cut to fit; "": off. */
void log_set_origin(const char *text);

/*
 * Messages get a prefix and a line end; control characters, and line feeds
 * before what looks like another error, become escapes. NOTICE text is printed
 * as it is.
 */
void log_msg(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A remark about the quality of the measurement, without a colon, at which
 * programs split lines. */
void log_advise(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Shows remarks from this level on; initially LOG_WARNING. */
void log_set_advice(enum log_level level);

/* Writes to stdout, at every level, wherever log_set_text() sends the rest. */
void log_put(const char *text, size_t len);

/* Progress in one line of a terminal. The next such line, other text, or NULL
 * removes it. */
void log_status(const char *line);

/* A line on stderr without a prefix. */
void log_line(const char *line);

/* Prints outstanding counts, and flushes. Call before every exit. */
void log_flush(void);

/* Did the reader of a pipe close the standard output? */
bool log_is_unread(void);

/* After log_flush(): is text missing on stdout, from any writer? *ret_errno is
 * the cause, 0: unknown. Clear an own failure with clearerr(). */
bool log_lost_text(int *ret_errno);

#endif
