/*
 * failure.c - messages about failed functions of scripts.
 */
#include "lua/engine/failure.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"

void failures_init(struct failures *f, const struct failure_rules *rules)
{
  (void)pthread_mutex_init(&f->lock, NULL);
  f->rules = *rules;
  f->n = 0;
}

void failures_done(struct failures *f)
{
  for (size_t i = 0; i < f->n; i++)
    free(f->cause[i]);
  (void)pthread_mutex_destroy(&f->lock);
}

static bool is_verbose(void)
{
  return log_get_level() >= LOG_INFO;
}

/* Is the cause already known?  From now on it is. */
static bool is_repeated(struct failures *f, const char *cause)
{
  bool known = false;

  (void)pthread_mutex_lock(&f->lock);
  for (size_t i = 0; i < f->n && !known; i++)
    known = strcmp(f->cause[i], cause) == 0;
  if (!known && f->n < FAILURES_MAX) {
    f->cause[f->n] = mem_strdup(cause);
    f->n += f->cause[f->n] != NULL;
  }
  (void)pthread_mutex_unlock(&f->lock);
  return known;
}

/* ---- where it happened ---- */

enum origin {
  ORIGIN_NONE,     /* the error names no place */
  ORIGIN_SCRIPT,   /* a file of the user */
  ORIGIN_BUNDLED,  /* in a bundled script */
  ORIGIN_INTERNAL, /* in a module inside the program */
};

/* The start of an error's text: "FILE:LINE: ". */
struct place {
  enum origin origin;
  const char *file; /* as LuaJIT prints it: it may begin with "..." */
  size_t file_len;
  const char *line; /* with the colon before it */
  size_t line_len;
  const char *rest; /* the rest; the whole text if there is no place */
};

/* Is `tail` the end of the path of a file in the folder? */
static bool is_tail_in(const char *folder, const char *tail, size_t len)
{
  const size_t dir = strlen(folder);

  for (size_t at = len; at-- > 0;) {
    /*
     * "share/bench/x.lua" in "/usr/share/bench": the end of the folder begins
     * the tail.
     */
    if (tail[at] == '/' && at <= dir &&
        memcmp(folder + dir - at, tail, at) == 0)
      return true;
  }
  return false;
}

static enum origin origin_of(const char *datadir, const char *file, size_t len)
{
  static const char internal[] = "bench.", cut[] = "...";
  const size_t dir = strlen(datadir);

  if (strncmp(file, internal, sizeof(internal) - 1) == 0 &&
      !memchr(file, '/', len))
    return ORIGIN_INTERNAL;
  if (len > dir && strncmp(file, datadir, dir) == 0 && file[dir] == '/')
    return ORIGIN_BUNDLED;
  if (len > 3 && strncmp(file, cut, 3) == 0 &&
      is_tail_in(datadir, file + 3, len - 3))
    return ORIGIN_BUNDLED;
  return ORIGIN_SCRIPT;
}

static struct place place_of(const char *datadir, const char *text)
{
  const char *line = text;

  while ((line = strchr(line, ':'))) {
    const size_t digits = strspn(line + 1, "0123456789");

    if (digits > 0 && strncmp(line + 1 + digits, ": ", 2) == 0 && line > text &&
        !memchr(text, '\n', (size_t)(line - text)))
      return (struct place){
        .origin = origin_of(datadir, text, (size_t)(line - text)),
        .file = text,
        .file_len = (size_t)(line - text),
        .line = line,
        .line_len = digits + 1,
        .rest = line + digits + 3,
      };
    line++;
  }
  return (struct place){ .rest = text };
}

/* Adds " at FILE:LINE", if that is the user's file. */
static void add_place(struct strbuf *b, const struct place *p)
{
  if (p->origin == ORIGIN_SCRIPT ||
      (p->origin == ORIGIN_BUNDLED && is_verbose())) {
    strbuf_adds(b, " at ");
    strbuf_add(b, p->file, p->file_len);
    strbuf_add(b, p->line, p->line_len);
  }
}

/* ---- the message ---- */

/* Adds the name under which users know the function. */
static void add_name(struct strbuf *b, const struct failures *f,
                     const struct failed_call *call)
{
  if (call->is_event)
    strbuf_adds(b, "event()");
  else if (strcmp(call->function, "sysbench.cmdline.call_command") == 0)
    strbuf_addf(b, "the command '%s'", f->rules.command);
  else
    strbuf_addf(b, "%s()", call->function);
}

/*
 * For a bundled script: would the message only repeat what the SQL layer has
 * printed?
 */
static bool is_printed(const struct failures *f, const struct failed_call *call,
                       const struct place *p)
{
  static const char error[] = "SQL error, errno = ";

  if (!call->printed ||
      (strncmp(p->rest, error, sizeof(error) - 1) != 0 &&
       strcmp(p->rest, "connection creation failed") != 0 &&
       strcmp(p->rest, "failed to initialize the DB driver") != 0))
    return false;
  return p->origin == ORIGIN_BUNDLED ||
         (p->origin == ORIGIN_NONE && f->rules.bundled);
}

static void describe(struct failures *f, const struct failed_call *call,
                     struct err *err)
{
  const struct place p = place_of(f->rules.datadir, err->text);
  struct strbuf b = { 0 };
  bool said = is_printed(f, call, &p);

  if (call->in_worker)
    said |= is_repeated(f, err->text);
  add_name(&b, f, call);
  strbuf_adds(&b, " failed");
  add_place(&b, &p);
  if (call->is_event)
    strbuf_addf(&b, " in %s %u", f->rules.worker, call->tid);
  strbuf_addf(&b, ": %s", p.rest);
  if (!b.failed)
    (void)err_set(err, 0, "%s", strbuf_str(&b));
  err->said = said && !is_verbose();
  strbuf_done(&b);
}

void failure_describe(struct failures *f, const struct failed_call *call,
                      struct err *err)
{
  static const char reader[] = "sysbench.cmdline.read_cmdline_options";

  if (f->rules.as_sysbench || strcmp(call->function, reader) == 0)
    err_prefix(err, "`%s' function failed", call->function);
  else
    describe(f, call, err);
}

void failure_note(struct failures *f, struct err *err)
{
  if (!f->rules.as_sysbench && !is_verbose())
    err->said = is_repeated(f, err->text);
}
