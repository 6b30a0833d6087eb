/*
 * options.c - the options of the sqlite driver, and URLs.
 */
#include "drivers/sqlite/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/url.h"

const char *const sqlite_journal_modes[] = {
  "auto", "wal", "delete", "truncate", "persist", "memory", "off", NULL,
};

const char *const sqlite_synchronous_words[] = {
  "off", "normal", "full", "extra", NULL,
};

static void options_decode(const char *text, size_t len, char *to, size_t size)
{
  size_t n = 0;

  for (size_t i = 0; i < len && n + 1 < size; i++) {
    char two[3] = "";
    char *end;

    to[n] = text[i];
    if (text[i] == '%' && i + 2 < len) {
      memcpy(two, text + i + 1, 2);
      to[n] = (char)strtoul(two, &end, 16);
      if (end != two + 2 || to[n] == '\0')
        to[n] = text[i];
      else
        i += 2;
    }
    n++;
  }
  to[n] = '\0';
}

static bool options_is_memory_uri(const char *uri)
{
  const char *at = uri + strcspn(uri, "?#");
  char word[64];

  options_decode(uri, (size_t)(at - uri), word, sizeof(word));
  if (*word == '\0' || strcmp(word, ":memory:") == 0)
    return true;
  while (*at == '?' || *at == '&') {
    const size_t len = strcspn(++at, "&#");

    options_decode(at, len, word, sizeof(word));
    if (strcmp(word, "mode=memory") == 0 || strcmp(word, "vfs=memdb") == 0)
      return true;
    at += len;
  }
  return false;
}

static bool options_is_file(const char *text)
{
  if (strncmp(text, "file:", 5) == 0)
    return !options_is_memory_uri(text + 5);
  return *text && strcmp(text, ":memory:") != 0;
}

const struct opt sqlite_options[] = {
  {
    OPT_STRING(struct sqlite_cfg, db),
    .name = "sqlite-db",
    .group = "SQLite",
    .flags = OPT_PATH | OPT_COMMON,
    .def = "bench.sqlite",
    .check = options_is_file,
    .expected = "a file name: a database in memory cannot be shared "
                "by threads and commands",
    .show_as = "=FILE",
    .help = "database file, created by prepare",
  },
  {
    OPT_WORD(struct sqlite_cfg, journal_mode),
    .name = "sqlite-journal-mode",
    .def = "auto",
    .words = sqlite_journal_modes,
    .help = "journal mode {auto,wal,delete,truncate,persist,memory,off}",
    .man = "With wal, readers run beside one writer. auto sets wal for files "
           "whose tables are all bench's, and leaves other files as they are: "
           "the mode wal stays in a file.",
  },
  {
    OPT_WORD(struct sqlite_cfg, synchronous),
    .name = "sqlite-synchronous",
    .def = "normal",
    .words = sqlite_synchronous_words,
    .help = "when data is forced to the disk {off,normal,full,extra}",
  },
  {
    OPT_INT(struct sqlite_cfg, cache_size),
    .name = "sqlite-cache-size",
    .def = "0",
    .min = INT32_MIN,
    .max = INT32_MAX,
    .show_as = "=NUMBER",
    .help = "page cache: pages if positive, KiB if negative, 0 = default",
  },
  {
    OPT_SIZE(struct sqlite_cfg, mmap_size),
    .name = "sqlite-mmap-size",
    .def = "0",
    .help = "bytes of the file that are mapped into memory",
  },
  {
    OPT_INT(struct sqlite_cfg, busy_timeout_ms),
    .name = "sqlite-busy-timeout",
    .def = "5s",
    .min = 0,
    .max = 3600000,
    .unit_ns = 1000 * 1000,
    .help = "time to wait for a lock; milliseconds without a unit",
  },
  OPT_END,
};

static const struct target_name parameters[] = {
  { .name = "journal-mode", .option = "sqlite-journal-mode" },
  { .name = "synchronous", .option = "sqlite-synchronous" },
  { .name = "cache-size", .option = "sqlite-cache-size" },
  { .name = "mmap-size", .option = "sqlite-mmap-size" },
  { .name = "busy-timeout", .option = "sqlite-busy-timeout" },
  { 0 },
};

static int names_put_parameter(const struct target_pair *p,
                               const struct target_sink *to, struct err *err)
{
  const struct target_name *row = target_names_find(parameters, p->name);

  if (!row || !p->value)
    return err_set(err, -EINVAL,
                   "the parameter '%.60s' is not known, or has no value "
                   "(expected one of: journal-mode, synchronous, cache-size, "
                   "mmap-size, busy-timeout)",
                   p->name);
  return to->put(to->ctx, row->option, p->value, err);
}

static int names_read_url(const struct url *url, const struct target_sink *to,
                          struct err *err)
{
  struct strbuf path = { 0 };
  int rc = 0;

  if (url->n_hosts > 0 || url->user || *url->path == '\0')
    return err_set(err, -EINVAL,
                   "a file has no host (expected sqlite:FILE or "
                   "sqlite:///ABSOLUTE/PATH)");
  strbuf_addf(&path, "%s%s", url->has_authority ? "/" : "", url->path);
  if (path.failed)
    rc = err_set(err, -ENOMEM, "not enough memory");
  else
    rc = to->put(to->ctx, "sqlite-db", strbuf_str(&path), err);
  strbuf_done(&path);
  for (size_t i = 0; i < url->n_parameters && rc == 0; i++)
    rc = names_put_parameter(&url->parameters[i], to, err);
  return rc;
}

static const char *const aliases[] = { "sqlite3", NULL };
static const char *const schemes[] = { "sqlite", "sqlite3", NULL };

const struct target_names sqlite_names = {
  .aliases = aliases,
  .schemes = schemes,
  .url = names_read_url,
};
