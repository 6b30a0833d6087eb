/*
 * version.c - what --version prints.
 *
 * It is one line, because scripts compare it.  The rest is printed only at the
 * verbosity of debugging.
 */
#include <luajit.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "os/os.h"
#include "program/internal.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/options.h"

/* See sysbench.lua. */
#if defined(__aarch64__) && LUAJIT_VERSION_NUM < 20199
#define NO_MACHINE_CODE ", without machine code, which is wrong on 64-bit ARM"
#else
#define NO_MACHINE_CODE ""
#endif

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

void program_put_version(const struct program *p)
{
  struct strbuf out = { 0 };

  strbuf_addf(&out, "%s\n", p->version);
  if (program_log_level(&p->opts) >= LOG_DEBUG) {
    strbuf_addf(&out, "Lua: %s%s\n", LUAJIT_VERSION, NO_MACHINE_CODE);
    add_drivers(&out, p);
    add_io_modes(&out);
    strbuf_addf(&out, "cluster plug-in: %s\n", BUILT_CLUSTER_PLUGIN);
    if (*os_lacks)
      strbuf_addf(&out, "not on this system: %s\n", os_lacks);
  }
  program_put_text(&out);
}
