/*
 * version.c - what --version prints.
 *
 * It is one line, because scripts compare it, and another one on systems that
 * lack something.  The rest is printed only at the verbosity of debugging.
 */
#include <luajit.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "os/os.h"
#include "program/internal.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/options.h"

/* Whether scripts have machine code on 64-bit ARM: see sysbench.lua. */
static const char *machine_code(void)
{
#ifdef __aarch64__
  static const char rolling[] = "LuaJIT 2.1.";
  const char *version = LUAJIT_VERSION;
  char *end = NULL;
  unsigned long long release = 0;

  if (strncmp(version, rolling, sizeof(rolling) - 1) == 0)
    release = strtoull(version + sizeof(rolling) - 1, &end, 10);
  if (!end || *end || release < 1737090214)
    return ", without machine code, which is wrong on 64-bit ARM";
  return ", with machine code";
#else
  return "";
#endif
}

static void add_drivers(struct strbuf *out, const struct program *p)
{
  struct help_item drivers[DRIVERS_MAX];
  const size_t n = program_list_drivers(p, drivers);

  strbuf_adds(out, "database drivers:");
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, " %s", drivers[i].name);
  strbuf_adds(out, "\n");
}

static void add_io_modes(struct strbuf *out)
{
  strbuf_adds(out, "file I/O modes:");
  for (int i = 0; i < FILE_ENGINES; i++) {
    if (engine_find((enum file_engine)i))
      strbuf_addf(out, " %s", file_engine_words[i]);
  }
  strbuf_adds(out, "\n");
}

void program_version_text(const struct program *p, const char *lacks,
                          struct strbuf *out)
{
  strbuf_addf(out, "%s\n", p->version);
  if (*lacks)
    strbuf_addf(out, "not on this system: %s\n", lacks);
  if (program_log_level(&p->opts) < LOG_DEBUG)
    return;
  strbuf_addf(out, "Lua: %s%s\n", LUAJIT_VERSION, machine_code());
  add_drivers(out, p);
  add_io_modes(out);
  strbuf_addf(out, "cluster plug-in: %s\n", BUILT_CLUSTER_PLUGIN);
}

void program_put_version(const struct program *p)
{
  struct strbuf out = { 0 };

  program_version_text(p, os_lacks, &out);
  program_put_text(&out);
}
