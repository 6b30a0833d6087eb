/*
 * share.c - the data that rank 0 sends to the other ranks, as bytes.
 */
#include "ranks/share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cluster/pack.h"
#include "ranks/ranks.h"

/* Variables that say what to run or how to connect to a database.  Those that
 * name folders belong to each machine. */
static const char *const shared_names[] = { "BENCH_COMPAT", "BENCH_DSN",
                                            "LUA_PATH" };
static const char *const shared_prefixes[] = { "BENCH_MYSQL_", "BENCH_PGSQL_",
                                               "PG", "MYSQL_" };

/* `entry` is NAME=VALUE.  A caller of exec() may pass an entry without a value,
 * which is not a variable and cannot be unset. */
static bool is_shared(const char *entry)
{
  const size_t len = strcspn(entry, "=");

  if (entry[len] == '\0')
    return false;
  for (size_t i = 0; i < ARRAY_SIZE(shared_names); i++) {
    if (strlen(shared_names[i]) == len &&
        strncmp(entry, shared_names[i], len) == 0)
      return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(shared_prefixes); i++) {
    if (strncmp(entry, shared_prefixes[i], strlen(shared_prefixes[i])) == 0)
      return true;
  }
  return false;
}

static void write_environment(struct strbuf *out)
{
  uint64_t n = 0;

  for (char **e = environ; *e; e++)
    n += is_shared(*e);
  pack_u64(out, n);
  for (char **e = environ; *e; e++) {
    if (is_shared(*e))
      pack_text(out, *e);
  }
}

/* Pack a text, or NULL. */
static void pack_opt_text(struct strbuf *out, const char *text)
{
  pack_u64(out, text != NULL);
  if (text)
    pack_text(out, text);
}

static void write_script(const struct ranks *ranks, struct strbuf *out)
{
  const struct resolved *w = &ranks->what;

  pack_u64(out, ranks->has_script);
  if (!ranks->has_script)
    return;
  pack_u64(out, (uint64_t)w->kind);
  pack_opt_text(out, w->path);
  pack_opt_text(out, w->script_path);
  pack_opt_text(out, w->module);
  pack_opt_text(out, w->folder);
  pack_opt_text(out, w->short_name);
  pack_bytes(out, strbuf_str(&ranks->bundle.script), ranks->bundle.script.len);
  pack_u64(out, ranks->bundle.n);
  for (size_t i = 0; i < ranks->bundle.n; i++) {
    const struct bundle_module *m = &ranks->bundle.of[i];

    pack_text(out, m->name);
    pack_text(out, m->path);
    pack_bytes(out, strbuf_str(&m->text), m->text.len);
  }
}

void ranks_share_write(const struct ranks *ranks, enum share_kind kind,
                       struct strbuf *out)
{
  pack_u64(out, (uint64_t)kind);
  if (kind != SHARE_RUN)
    return;
  pack_u64(out, ranks->seed);
  pack_u64(out, ranks->token);
  pack_u64(out, (uint64_t)ranks->argc);
  for (int i = 0; i < ranks->argc; i++)
    pack_text(out, ranks->argv[i]);
  write_environment(out);
  pack_opt_text(out, ranks->password);
  pack_u64(out, ranks->n_files);
  for (size_t i = 0; i < ranks->n_files; i++) {
    pack_text(out, ranks->files[i].path);
    pack_bytes(out, strbuf_str(&ranks->files[i].text),
               ranks->files[i].text.len);
  }
  write_script(ranks, out);
}

/* ---- in ---- */

/* Owned by the caller; NULL sets u->failed. */
static char *read_text(struct unpack *u)
{
  size_t len;
  const char *at = unpack_bytes(u, &len);
  char *text = u->failed ? NULL : mem_strndup(at, len);

  if (!text)
    u->failed = true;
  return text;
}

static char *read_opt_text(struct unpack *u)
{
  return unpack_u64(u) == 1 ? read_text(u) : NULL;
}

/* Read a number of items, each of which takes at least one byte. */
static size_t read_count(struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  if (n <= (size_t)(u->end - u->at))
    return (size_t)n;
  u->failed = true;
  return 0;
}

static void read_arguments(struct ranks *ranks, struct unpack *u)
{
  const size_t n = read_count(u);

  ranks->argv = calloc(n + 1, sizeof(*ranks->argv));
  if (!ranks->argv)
    u->failed = true;
  for (size_t i = 0; i < n && !u->failed; i++) {
    ranks->argv[i] = read_text(u);
    ranks->argc += ranks->argv[i] != NULL;
  }
}

static void forget_own(void)
{
  for (char **e = environ; *e;) {
    char *name;

    if (!is_shared(*e)) {
      e++;
      continue;
    }
    name = mem_strndup(*e, strcspn(*e, "="));
    if (!name || unsetenv(name) < 0)
      e++;
    else
      e = environ; /* setting a variable has moved it */
    free(name);
  }
}

static void read_environment(struct unpack *u)
{
  const size_t n = read_count(u);

  forget_own();
  for (size_t i = 0; i < n && !u->failed; i++) {
    char *entry = read_text(u);
    char *equals = entry ? strchr(entry, '=') : NULL;

    if (equals) {
      *equals = '\0';
      if (setenv(entry, equals + 1, 1) < 0)
        u->failed = true;
    }
    free(entry);
  }
}

static void read_files(struct ranks *ranks, struct unpack *u)
{
  const size_t n = read_count(u);

  ranks->files = calloc(n + 1, sizeof(*ranks->files));
  if (!ranks->files)
    u->failed = true;
  for (size_t i = 0; i < n && !u->failed; i++) {
    struct ranks_file *f = &ranks->files[ranks->n_files++];
    const void *bytes;
    size_t len;

    f->path = read_text(u);
    bytes = unpack_bytes(u, &len);
    strbuf_add(&f->text, bytes, len);
    u->failed |= f->text.failed;
  }
}

static void read_modules(struct ranks *ranks, struct unpack *u)
{
  const size_t n = read_count(u);

  for (size_t i = 0; i < n && !u->failed; i++) {
    char *name = read_text(u), *path = read_text(u);
    size_t len;
    const void *bytes = unpack_bytes(u, &len);

    if (u->failed || bundle_add(&ranks->bundle, name, path, bytes, len) < 0)
      u->failed = true;
    free(name);
    free(path);
  }
}

static void read_script(struct ranks *ranks, struct unpack *u)
{
  struct resolved *w = &ranks->what;
  const void *bytes;
  size_t len;

  ranks->has_script = unpack_u64(u) == 1;
  if (!ranks->has_script)
    return;
  w->kind = (enum resolve_kind)unpack_u64(u);
  w->path = read_opt_text(u);
  w->script_path = read_opt_text(u);
  w->module = read_opt_text(u);
  w->folder = read_opt_text(u);
  w->short_name = read_opt_text(u);
  bytes = unpack_bytes(u, &len);
  strbuf_add(&ranks->bundle.script, bytes, len);
  read_modules(ranks, u);
}

int ranks_share_read(struct ranks *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err)
{
  struct unpack u = unpack_start(bytes, len);
  const uint64_t kind = unpack_u64(&u);

  *ret_go = kind == SHARE_RUN;
  *ret_alone = kind == SHARE_ALONE;
  if (kind == SHARE_ALONE)
    *ret_go = true;
  if (kind != SHARE_RUN)
    return 0;
  ranks->seed = unpack_u64(&u);
  ranks->token = unpack_u64(&u);
  read_arguments(ranks, &u);
  read_environment(&u);
  ranks->password = read_opt_text(&u);
  read_files(ranks, &u);
  read_script(ranks, &u);
  if (u.failed || ranks->bundle.script.failed)
    return err_set(err, -EPROTO, "what process 0 has sent cannot be read");
  return 0;
}
