/*
 * log.h - what the program says: text on stdout, messages on stderr.
 *
 * Each call is one write.  A message (not NOTICE) that equals the one before
 * it on its stream is counted instead of printed, and the count is printed
 * before the next different one or at the end.  Any thread may call.
 *
 * The level and the two streams are the program's only ones and live at file
 * level in log.c.
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

/* Make stdout line-buffered.  Once, at the start of main(). */
void log_init(void);

/* Messages up to this level are shown; LOG_NOTICE until this is called. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* NOTICE and INFO go here instead of stdout (the stream is borrowed). */
void log_set_text(FILE *stream);
FILE *log_get_text(void);

/* Messages (neither NOTICE nor INFO) say this behind their prefix: which of
 * several processes it is.  Copied, and cut to fit; "": nothing. */
void log_set_origin(const char *text);

/*
 * Messages get a prefix and a line end, and control characters in them become
 * escapes; so does a line feed before what looks like another error.  NOTICE
 * text is printed as it is, line ends included, so that several lines can be
 * one write.
 */
void log_msg(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);
void log_vmsg(enum log_level level, const char *fmt, va_list ap)
  PRINTF_LIKE(2, 0);

/*
 * A remark about the quality of what was measured, a LOG_WARNING which nobody
 * has to act on.  See log_set_advice(); programs that split
 * lines at colons find none in the text.
 */
void log_advise(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The level from which on remarks are shown; LOG_WARNING until this is called.
 */
void log_set_advice(enum log_level level);

/* Text for stdout itself, wherever messages go and whatever the level is. */
void log_put(const char *text, size_t len);

/*
 * A line of progress on stderr that the next one overwrites.  It goes away
 * when other text is about to be written through this file.  NULL: it only goes
 * away.  For terminals; the text must fit into one of their lines.
 */
void log_status(const char *line);

/* A line on stderr without a prefix, for good. */
void log_line(const char *line);

/* Print counts that are still owed, and flush.  Called before every exit. */
void log_flush(void);

/*
 * After log_flush(): is text missing on stdout, whoever has written it?  Then
 * *ret_errno is why, 0: not known.  What a caller tells of itself it can clear
 * from the stream (clearerr).
 */
bool log_lost_text(int *ret_errno);

#endif
