/*
 * log.h - what the program says: text on stdout, messages on stderr.
 *
 * Each call is one write.  A message (not NOTICE) that equals the one before it
 * on its stream is counted instead of printed.  The count is printed before the
 * next different one or at the end.  Any thread may call.  The level and the
 * two streams exist once and live at file level in log.c.
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

/* Make stdout line-buffered.  Called once, at the start of main(). */
void log_init(void);

/* Messages up to this level are shown; LOG_NOTICE until this is called. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* NOTICE and INFO go here instead of stdout (the stream is borrowed). */
void log_set_text(FILE *stream);

/* Messages (neither NOTICE nor INFO) have this text after their prefix.  It
 * says which of several ranks they are from.  The text is copied, and cut to
 * fit; "" turns it off. */
void log_set_origin(const char *text);

/*
 * Messages get a prefix and a line end, and control characters in them become
 * escapes; so does a line feed before what looks like another error.  NOTICE
 * text is printed as it is, line ends included, so that several lines can be
 * one write.
 */
void log_msg(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * A remark about the quality of the measurement: a LOG_WARNING that needs no
 * action.  See log_set_advice().  The text contains no colon, for programs that
 * split lines at colons.
 */
void log_advise(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Remarks are shown from this level on; LOG_WARNING until this is called. */
void log_set_advice(enum log_level level);

/* Text for stdout itself, at every level and wherever messages go. */
void log_put(const char *text, size_t len);

/*
 * A line of progress on stderr that the next one overwrites.  It is removed
 * before this file writes other text; NULL only removes it.  For terminals; the
 * text must fit into one line.
 */
void log_status(const char *line);

/* A line on stderr that stays, without a prefix. */
void log_line(const char *line);

/* Print counts that are not printed yet, and flush.  Called before every
 * exit. */
void log_flush(void);

/* Did the reader of the standard output, a pipe, close it? */
bool log_is_unread(void);

/*
 * Call it after log_flush(): is text missing on stdout, from any writer?  Then
 * *ret_errno is the cause, or 0 if it is unknown.  A caller that reports its
 * own failure clears it from the stream with clearerr().
 */
bool log_lost_text(int *ret_errno);

#endif
