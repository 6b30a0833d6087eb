#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/utf8.h"

struct series {
  struct strbuf last;
  unsigned long again;
};

static _Atomic int shown_level = LOG_NOTICE;
static _Atomic int advice_level = LOG_WARNING;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lock protects everything below. */
static FILE *text_stream;
static char origin[320];
static struct series on_text, on_stderr;
static bool status_drawn; /* log_status() has left a line on stderr */
static int lost_errno;    /* of stdout; 0: no failure */

static const char *const prefix[] = {
  [LOG_FATAL] = "FATAL: ", [LOG_ALERT] = "ALERT: ", [LOG_WARNING] = "WARNING: ",
  [LOG_NOTICE] = "",       [LOG_INFO] = "",         [LOG_DEBUG] = "DEBUG: ",
};

void log_init(void)
{
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

void log_set_level(enum log_level level)
{
  atomic_store_explicit(&shown_level, (int)level, memory_order_relaxed);
}

enum log_level log_get_level(void)
{
  return (enum log_level)atomic_load_explicit(&shown_level,
                                              memory_order_relaxed);
}

void log_set_text(FILE *stream)
{
  (void)pthread_mutex_lock(&lock);
  text_stream = stream;
  (void)pthread_mutex_unlock(&lock);
}

void log_set_origin(const char *text)
{
  size_t len = strlen(text);

  if (len >= sizeof(origin))
    len = sizeof(origin) - 1;
  (void)pthread_mutex_lock(&lock);
  memcpy(origin, text, len);
  origin[len] = '\0';
  (void)pthread_mutex_unlock(&lock);
}

/* Keep the cause now: later the stream has only an error flag. A failure of
 * stderr cannot be reported. */
static void log_note_failure(FILE *stream, bool failed_before)
{
  if (stream == stdout && !failed_before && ferror(stream))
    lost_errno = errno;
}

static void log_clear_status(void)
{
  if (!status_drawn)
    return;
  (void)fputs("\r\033[K", stderr);
  (void)fflush(stderr);
  status_drawn = false;
}

static void put(FILE *stream, const char *text, size_t len)
{
  const bool failed = ferror(stream) != 0;

  log_clear_status();
  if (len > 0)
    (void)fwrite(text, 1, len, stream);
  log_note_failure(stream, failed);
}

static void log_end_series(struct series *s, FILE *stream)
{
  const bool failed = ferror(stream) != 0;

  if (s->again > 0)
    log_clear_status();
  if (s->again > 0)
    (void)fprintf(stream, "(last message repeated %lu times)\n", s->again);
  log_note_failure(stream, failed);
  s->again = 0;
}

static void flush(FILE *stream)
{
  const bool failed = ferror(stream) != 0;

  (void)fflush(stream);
  log_note_failure(stream, failed);
}

/* Takes over the content of `b`. */
static void log_put_in_series(struct series *s, FILE *stream, struct strbuf *b)
{
  if (s->last.len == b->len && b->len > 0 &&
      memcmp(s->last.text, b->text, b->len) == 0) {
    s->again++;
    strbuf_done(b);
    return;
  }
  log_end_series(s, stream);
  put(stream, b->text, b->len);
  strbuf_done(&s->last);
  s->last = *b;
}

/* Except warnings: errors of files end with advice in this form. */
static bool log_begins_message(const char *text)
{
  for (int i = LOG_FATAL; i <= LOG_DEBUG; i++) {
    if (*prefix[i] && i != LOG_WARNING &&
        strncmp(text, prefix[i], strlen(prefix[i])) == 0)
      return true;
  }
  return false;
}

/* Text of servers and scripts must not hide a message or add one. */
static void log_add_message(struct strbuf *to, const struct strbuf *text)
{
  const char *line = strbuf_str(text);
  size_t len = strcspn(line, "\n");

  utf8_add_shown(to, line, len, "\t");
  while (line[len] != '\0') {
    line += len + 1;
    len = strcspn(line, "\n");
    strbuf_adds(to, log_begins_message(line) ? "\\n" : "\n");
    utf8_add_shown(to, line, len, "\t");
  }
}

/* No memory for the message: prints its beginning, on one line. */
static void log_put_short(struct series *s, FILE *stream, enum log_level level,
                          const char *fmt, va_list ap)
{
  char text[512];

  (void)vsnprintf(text, sizeof(text), fmt, ap);
  for (char *c = text; *c != '\0'; c++) {
    if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
      *c = ' ';
  }
  log_end_series(s, stream);
  strbuf_done(&s->last);
  put(stream, prefix[level], strlen(prefix[level]));
  if (level != LOG_INFO)
    put(stream, origin, strlen(origin));
  put(stream, text, strlen(text));
  put(stream, "\n", 1);
}

static void log_vmsg(enum log_level level, const char *fmt, va_list ap)
{
  struct strbuf b = { 0 }, said = { 0 };
  struct series *series;
  va_list again;
  FILE *text;

  if ((int)level > atomic_load_explicit(&shown_level, memory_order_relaxed))
    return;
  va_copy(again, ap);
  (void)pthread_mutex_lock(&lock);
  strbuf_adds(&b, prefix[level]);
  if (level != LOG_NOTICE && level != LOG_INFO)
    strbuf_adds(&b, origin);
  if (level == LOG_NOTICE) {
    strbuf_vaddf(&b, fmt, ap);
  } else {
    strbuf_vaddf(&said, fmt, ap);
    log_add_message(&b, &said);
    strbuf_add(&b, "\n", 1);
    b.failed = b.failed || said.failed;
  }
  strbuf_done(&said);
  text = level == LOG_NOTICE || level == LOG_INFO
           ? (text_stream ? text_stream : stdout)
           : stderr;
  series = level == LOG_INFO ? &on_text : &on_stderr;
  if (level == LOG_NOTICE) {
    put(text, b.text, b.len);
    strbuf_done(&b);
  } else if (b.failed) {
    strbuf_done(&b);
    log_put_short(series, text, level, fmt, again);
  } else {
    log_put_in_series(series, text, &b);
  }
  (void)pthread_mutex_unlock(&lock);
  va_end(again);
}

void log_msg(enum log_level level, const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  log_vmsg(level, fmt, ap);
  va_end(ap);
}

void log_set_advice(enum log_level level)
{
  atomic_store_explicit(&advice_level, (int)level, memory_order_relaxed);
}

void log_advise(const char *fmt, ...)
{
  va_list ap;

  if ((int)log_get_level() <
      atomic_load_explicit(&advice_level, memory_order_relaxed))
    return;
  va_start(ap, fmt);
  log_vmsg(LOG_WARNING, fmt, ap);
  va_end(ap);
}

void log_put(const char *text, size_t len)
{
  (void)pthread_mutex_lock(&lock);
  put(stdout, text, len);
  (void)pthread_mutex_unlock(&lock);
}

void log_status(const char *line)
{
  FILE *text;

  (void)pthread_mutex_lock(&lock);
  text = text_stream ? text_stream : stdout;
  if (line) {
    flush(text);
    (void)fprintf(stderr, "\r%s\033[K", line);
    (void)fflush(stderr);
    status_drawn = true;
  } else {
    log_clear_status();
  }
  (void)pthread_mutex_unlock(&lock);
}

void log_line(const char *line)
{
  (void)pthread_mutex_lock(&lock);
  log_clear_status();
  (void)fprintf(stderr, "%s%s\n", origin, line);
  (void)fflush(stderr);
  (void)pthread_mutex_unlock(&lock);
}

void log_flush(void)
{
  FILE *text;

  (void)pthread_mutex_lock(&lock);
  log_clear_status();
  text = text_stream ? text_stream : stdout;
  log_end_series(&on_text, text);
  log_end_series(&on_stderr, stderr);
  strbuf_done(&on_text.last);
  strbuf_done(&on_stderr.last);
  flush(text);
  flush(stdout);
  (void)pthread_mutex_unlock(&lock);
}

bool log_is_unread(void)
{
  struct pollfd at = { .fd = STDOUT_FILENO };

  return poll(&at, 1, 0) > 0 && (at.revents & POLLERR) != 0;
}

bool log_lost_text(int *ret_errno)
{
  bool lost;

  (void)pthread_mutex_lock(&lock);
  lost = lost_errno != 0 || ferror(stdout);
  if (lost)
    *ret_errno = lost_errno;
  (void)pthread_mutex_unlock(&lock);
  return lost;
}
