/*
 * names.c - URLs that name a database file.
 */
#include <errno.h>

#include "base/strbuf.h"
#include "db/url.h"
#include "drivers/sqlite/session.h"

static const struct target_name parameters[] = {
  { .name = "journal-mode", .option = "sqlite-journal-mode" },
  { .name = "synchronous", .option = "sqlite-synchronous" },
  { .name = "cache-size", .option = "sqlite-cache-size" },
  { .name = "mmap-size", .option = "sqlite-mmap-size" },
  { .name = "busy-timeout", .option = "sqlite-busy-timeout" },
  { 0 },
};

static int put_parameter(const struct target_pair *p,
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

static int read_url(const struct url *url, const struct target_sink *to,
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
    rc = put_parameter(&url->parameters[i], to, err);
  return rc;
}

static const char *const aliases[] = { "sqlite3", NULL };
static const char *const schemes[] = { "sqlite", "sqlite3", NULL };

const struct target_names sqlite_names = {
  .aliases = aliases,
  .schemes = schemes,
  .url = read_url,
};
