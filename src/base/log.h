/*
 * log.h - text on stdout, messages on stderr.
 *
 * Each call is one write. A message (not NOTICE) that equals the previous one
 * on its stream is counted instead; the count is printed before the next
 * different message or at the end. Any thread may call. The level and the two
 * streams live at file level in log.c.
 */
#ifndef BENCH_BASE_LOG_H
#define BENCH_BASE_LOG_H

#include <stdarg.h>
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

/* Make stdout line-buffered. Called at the start of main(). */
void log_init(void);

/* Show messages up to this level; initially LOG_NOTICE. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* NOTICE and INFO go here instead of stdout. Borrowed. */
void log_set_text(FILE *stream);

/* Put this text, the origin among several ranks, behind the prefix of messages
 * (neither NOTICE nor INFO). Copied, and cut to fit; "" turns it off. */
void log_set_origin(const char *text);

/*
 * Messages get a prefix and a line end; control characters become escapes, and
 * so does a line feed before what looks like another error. NOTICE text is
 * printed as it is.
 */
void log_msg(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * A remark about the quality of the measurement: a LOG_WARNING that needs no
 * action. The text contains no colon, for programs that split lines at colons.
 */
void log_advise(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Show remarks from this level on; initially LOG_WARNING. */
void log_set_advice(enum log_level level);

/* Text for stdout itself, at every level, wherever log_set_text() sends the
 * rest. */
void log_put(const char *text, size_t len);

/* A line of progress on a terminal, which the next such line, other text, or
 * NULL removes. The text must fit into one line. */
void log_status(const char *line);

/* A line on stderr without a prefix, which stays. */
void log_line(const char *line);

/* Print outstanding counts, and flush. Called before every exit. */
void log_flush(void);

/* Did the reader close the standard output, a pipe? */
bool log_is_unread(void);

/*
 * After log_flush(): is text missing on stdout, from any writer? Then
 * *ret_errno is the cause, or 0: unknown. A caller that reports its own failure
 * clears it with clearerr().
 */
bool log_lost_text(int *ret_errno);

#endif
