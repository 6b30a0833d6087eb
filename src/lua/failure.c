/*
 * failure.c - the words for failed functions of scripts.
 */
#include "lua/failure.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "lua/script_internal.h"
#include "lua/state.h"
#include "run/plan.h"

void failures_init(struct failures *f)
{
  (void)pthread_mutex_init(&f->lock, NULL);
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

/* Is the cause known?  From now on it is. */
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
  ORIGIN_NONE,     /* the error does not say */
  ORIGIN_SCRIPT,   /* a file of the user */
  ORIGIN_BUNDLED,  /* a bundled script */
  ORIGIN_INTERNAL, /* a module inside of the program */
};

/* The beginning of an error's text: "FILE:LINE: ". */
struct place {
  enum origin origin;
  const char *file; /* as far as LuaJIT says it: the front may be "..." */
  size_t file_len;
  const char *line; /* with the colon before it */
  size_t line_len;
  const char *rest; /* what follows; the whole text where there is no place */
};

/* Is `tail` the end of the path of a file in the folder? */
static bool is_tail_in(const char *folder, const char *tail, size_t len)
{
  const size_t dir = strlen(folder);

  for (size_t at = len; at-- > 0;) {
    /* "share/bench/x.lua" in "/usr/share/bench": the front is its end. */
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

/* " at FILE:LINE", where it is the user's file. */
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

/* What users call the function. */
static void add_name(struct strbuf *b, const struct state *s, const char *name,
                     bool is_event)
{
  if (is_event)
    strbuf_adds(b, "event()");
  else if (strcmp(name, "sysbench.cmdline.call_command") == 0)
    strbuf_addf(b, "the command '%s'", s->script->setup.command);
  else
    strbuf_addf(b, "%s()", name);
}

static bool is_as_sysbench(const struct state *s)
{
  return s->script->setup.plan->identity == IDENTITY_SYSBENCH;
}

/* Would the message only repeat, for a bundled script, what the SQL layer has
 * printed? */
static bool is_told(const struct state *s, const struct place *p)
{
  static const char error[] = "SQL error, errno = ";

  if (!s->env.reported ||
      (strncmp(p->rest, error, sizeof(error) - 1) != 0 &&
       strcmp(p->rest, "connection creation failed") != 0 &&
       strcmp(p->rest, "failed to initialize the DB driver") != 0))
    return false;
  return p->origin == ORIGIN_BUNDLED ||
         (p->origin == ORIGIN_NONE && s->env.process->facts.bundled);
}

static void describe(struct state *s, const char *name, bool is_event,
                     struct err *err)
{
  const struct place p = place_of(s->script->datadir, err->text);
  struct strbuf b = { 0 };
  bool said = is_told(s, &p);

  if (s->worker)
    said |= is_repeated(&s->script->failures, err->text);
  add_name(&b, s, name, is_event);
  strbuf_adds(&b, " failed");
  add_place(&b, &p);
  if (is_event)
    strbuf_addf(&b, " in thread %u", s->tid);
  strbuf_addf(&b, ": %s", p.rest);
  if (!b.failed)
    (void)err_set(err, 0, "%s", strbuf_str(&b));
  err->said = said && !is_verbose();
  strbuf_done(&b);
}

void failure_describe(struct state *s, const char *name, bool is_event,
                      struct err *err)
{
  static const char reader[] = "sysbench.cmdline.read_cmdline_options";

  if (is_as_sysbench(s) || strcmp(name, reader) == 0)
    err_prefix(err, "`%s' function failed", name);
  else
    describe(s, name, is_event, err);
}

void failure_note(struct script *script, struct err *err)
{
  if (script->setup.plan->identity == IDENTITY_BENCH && !is_verbose())
    err->said = is_repeated(&script->failures, err->text);
}
