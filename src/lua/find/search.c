#include "lua/find/search.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beside.h"
#include "base/compiler.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "lua/find/embedded.h"

/* An entry of a default path. */
struct entry {
  bool in_home;
  const char *text;
};

static const struct entry path_entries[] = {
  { false, "./?.lua" },
  { false, "./?/init.lua" },
  { false, "./src/lua/?.lua" },
  { true, "/.luarocks/share/lua/5.1/?.lua" },
  { true, "/.luarocks/share/lua/5.1/?/init.lua" },
  { true, "/.luarocks/share/lua/?.lua" },
  { true, "/.luarocks/share/lua/?/init.lua" },
  { false, "/usr/local/share/lua/5.1/?.lua" },
  { false, "/usr/share/lua/5.1/?.lua" },
};

static const struct entry cpath_entries[] = {
  { false, "./?" OS_MODULE_SUFFIX },
  { true, "/.luarocks/lib/lua/5.1/?" OS_MODULE_SUFFIX },
  { true, "/.luarocks/lib/lua/?" OS_MODULE_SUFFIX },
  { false, "/usr/local/lib/lua/5.1/?" OS_MODULE_SUFFIX },
  { false, "/usr/lib/lua/5.1/?" OS_MODULE_SUFFIX },
};

static bool is_folder(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_beside(char buf[PATH_MAX], const char *below)
{
  return beside_program(buf, below) && is_folder(buf);
}

const char *search_datadir(char buf[PATH_MAX])
{
  const char *given = getenv("BENCH_DATADIR");

  if (given && *given)
    (void)snprintf(buf, PATH_MAX, "%s", given);
  else if (embedded_scripts[0].path)
    (void)snprintf(buf, PATH_MAX, "%s", EMBEDDED_FOLDER);
  else if (is_folder(BENCH_DATADIR) ||
           (!is_beside(buf, "/../share/bench") &&
            !is_beside(buf, "/../src/lua/scripts") &&
            !is_beside(buf, "/src/lua/scripts")))
    (void)snprintf(buf, PATH_MAX, "%s", BENCH_DATADIR);
  return buf;
}

const char *search_libdir(void)
{
  const char *given = getenv("BENCH_LIBDIR");

  return given && *given ? given : BENCH_LIBDIR;
}

static void add_entries(struct strbuf *out, const struct entry *e, size_t n,
                        const char *home)
{
  for (size_t i = 0; i < n; i++) {
    if (e[i].in_home && !home)
      continue;
    strbuf_addf(out, "%s%s;", e[i].in_home ? home : "", e[i].text);
  }
}

/* Adds `given`, with `;DEFAULT;` for each `;;`; NULL: the default. */
static void add_path(struct strbuf *out, const char *given, const char *def)
{
  if (!given) {
    strbuf_adds(out, def);
    return;
  }
  for (const char *at = given, *hole;; at = hole + 2) {
    hole = strstr(at, ";;");
    if (!hole) {
      strbuf_adds(out, at);
      return;
    }
    strbuf_add(out, at, (size_t)(hole - at));
    strbuf_addf(out, ";%s;", def);
  }
}

void search_path(struct strbuf *out, const char *lua_path, const char *home,
                 const char *datadir)
{
  struct strbuf def = { 0 };

  add_entries(&def, path_entries, ARRAY_SIZE(path_entries), home);
  strbuf_addf(&def, "%s/?.lua;", datadir);
  add_path(out, lua_path, strbuf_str(&def));
  out->failed |= def.failed;
  strbuf_done(&def);
}

void search_cpath(struct strbuf *out, const char *lua_cpath, const char *home)
{
  struct strbuf def = { 0 };

  add_entries(&def, cpath_entries, ARRAY_SIZE(cpath_entries), home);
  strbuf_adds(&def, BENCH_LIBDIR "/?" OS_MODULE_SUFFIX ";");
  add_path(out, lua_cpath, strbuf_str(&def));
  out->failed |= def.failed;
  strbuf_done(&def);
}
