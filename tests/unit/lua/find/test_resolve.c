/*
 * test_resolve.c - the meaning of a test name on the command line.
 */
#include "lua/find/resolve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "tests/unit/tap.h"

#define D "/data"
#define LEGACY D "/tests/include/oltp_legacy/"

/* The files that exist. */
static const char *const files[] = {
  "./mine.lua",
  "./a/b.lua",
  "dir/script",
  "dir/script2.lua",
  "here.lua",
  "db/found.lua",
  "/lib/user.lua",
  D "/oltp_read_write.lua",
  D "/select_random_points.lua",
  LEGACY "oltp.lua",
  LEGACY "select.lua",
  LEGACY "select_random_points.lua",
  NULL,
};

static bool file_exists(const char *path, void *arg)
{
  (void)arg;
  for (size_t i = 0; files[i]; i++)
    if (strcmp(files[i], path) == 0)
      return true;
  return false;
}

static const struct {
  const char *name;
  int rc;
  enum resolve_kind kind;
  const char *path, *script_path, *module, *folder, *short_name, *warning;
} cases[] = {
  { NULL, 0, RESOLVE_STDIN, .short_name = "<stdin>" },
  { "-", 0, RESOLVE_STDIN, .short_name = "<stdin>" },
  { "", -ENOENT },
  { "cpu", 0, RESOLVE_BUILTIN, .short_name = "cpu" },
  { "cpu.lua", -ENOENT },

  /* Paths. */
  { "./mine.lua", 0, RESOLVE_SCRIPT, "./mine.lua", "./mine.lua", NULL, ".",
    "mine.lua" },
  { "here.lua", 0, RESOLVE_SCRIPT, "here.lua", "here.lua", NULL, ".",
    "here.lua" },
  { "dir/script", 0, RESOLVE_SCRIPT, "dir/script", "dir/script", NULL, "dir",
    "script" },
  { "dir/script2", 0, RESOLVE_SCRIPT, "dir/script2.lua", "dir/script2.lua",
    NULL, "dir", "script2" },
  { "db/found.lua", 0, RESOLVE_SCRIPT, "db/found.lua", "db/found.lua", NULL,
    "db", "found.lua" },
  { "dir/nosuch", -ENOENT },
  { "nosuch.lua", -ENOENT },
  { "dir/", -ENOENT },

  /* Bundled scripts replace files that do not exist. */
  { "oltp_read_write.lua", 0, RESOLVE_SCRIPT, D "/oltp_read_write.lua",
    D "/oltp_read_write.lua", NULL, D, "oltp_read_write.lua" },
  { "/usr/share/sysbench/oltp_read_write.lua", 0, RESOLVE_SCRIPT,
    D "/oltp_read_write.lua", D "/oltp_read_write.lua", NULL, D,
    "oltp_read_write.lua",
    "'/usr/share/sysbench/oltp_read_write.lua' does not exist, using the "
    "bundled script 'oltp_read_write'" },
  { "/usr/share/sysbench/oltp_read_write", 0, RESOLVE_SCRIPT,
    D "/oltp_read_write.lua", D "/oltp_read_write.lua", NULL, D,
    "oltp_read_write",
    "'/usr/share/sysbench/oltp_read_write' does not exist, using the bundled "
    "script 'oltp_read_write'" },
  { "/x/tests/include/oltp_legacy/oltp.lua", 0, RESOLVE_SCRIPT,
    LEGACY "oltp.lua", LEGACY "oltp.lua", NULL, D "/tests/include/oltp_legacy",
    "oltp.lua",
    "'/x/tests/include/oltp_legacy/oltp.lua' does not exist, using the "
    "bundled script 'oltp_legacy/oltp'" },
  { "oltp_legacy/oltp", 0, RESOLVE_SCRIPT, LEGACY "oltp.lua", LEGACY "oltp.lua",
    NULL, D "/tests/include/oltp_legacy", "oltp", NULL },
  { "/x/tests/db/select_random_points.lua", 0, RESOLVE_SCRIPT,
    LEGACY "select_random_points.lua", LEGACY "select_random_points.lua", NULL,
    D "/tests/include/oltp_legacy", "select_random_points.lua",
    "'/x/tests/db/select_random_points.lua' does not exist, using the bundled "
    "script 'oltp_legacy/select_random_points'" },
  { "/x/select_random_points.lua", 0, RESOLVE_SCRIPT,
    D "/select_random_points.lua", D "/select_random_points.lua", NULL, D,
    "select_random_points.lua",
    "'/x/select_random_points.lua' does not exist, using the bundled script "
    "'select_random_points'" },
  { "/x/db/oltp_read_write.lua", 0, RESOLVE_SCRIPT, D "/oltp_read_write.lua",
    D "/oltp_read_write.lua", NULL, D, "oltp_read_write.lua",
    "'/x/db/oltp_read_write.lua' does not exist, using the bundled script "
    "'oltp_read_write'" },

  /* Modules. */
  { "mine", 0, RESOLVE_SCRIPT, "./mine.lua", "mine", "mine", NULL, "mine" },
  { "a.b", 0, RESOLVE_SCRIPT, "./a/b.lua", "a.b", "a.b", NULL, "a.b" },
  { "user", 0, RESOLVE_SCRIPT, "/lib/user.lua", "user", "user", NULL, "user" },
  { "script", -ENOENT },
  { "oltp_read_write", 0, RESOLVE_SCRIPT, D "/oltp_read_write.lua",
    "oltp_read_write", "oltp_read_write", NULL, "oltp_read_write" },
  { "select", 0, RESOLVE_SCRIPT, LEGACY "select.lua", LEGACY "select.lua",
    "select", NULL, "select",
    "no test 'select', using the bundled script 'oltp_legacy/select'" },
  { "nosuch", -ENOENT },
};

static const char *or_none(const char *text)
{
  return text ? text : "(none)";
}

static void test_resolve(void)
{
  static const char *const builtins[] = { "cpu", "memory", NULL };
  const struct resolve_rules rules = {
    .exists = file_exists,
    .package_path = "./?.lua;;/lib/?.lua;",
    .datadir = D,
    .builtins = builtins,
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    struct resolved r = { 0 };
    struct err err = { "" };
    int rc = resolve_name(&r, cases[i].name, &rules, &err);

    printf("# %s\n", or_none(cases[i].name));
    OK(rc == cases[i].rc, "found or not");
    if (rc < 0)
      continue;
    OK(r.kind == cases[i].kind, "kind");
    OK_STR(or_none(r.path), or_none(cases[i].path), "path");
    OK_STR(or_none(r.script_path), or_none(cases[i].script_path),
           "path that scripts see");
    OK_STR(or_none(r.module), or_none(cases[i].module), "module");
    OK_STR(or_none(r.folder), or_none(cases[i].folder), "folder");
    OK_STR(r.short_name, cases[i].short_name, "short name");
    OK_STR(or_none(r.warning), or_none(cases[i].warning), "warning");
    resolved_done(&r);
  }
}

static void test_not_found_text(void)
{
  static const char *const builtins[] = { NULL };
  const struct resolve_rules rules = {
    .exists = file_exists,
    .package_path = "",
    .datadir = "/none",
    .builtins = builtins,
  };
  struct resolved r;
  struct err err = { "" };

  OK(resolve_name(&r, "x", &rules, &err) == -ENOENT, "is not found");
  OK_STR(err.text,
         "Cannot find benchmark 'x': no such built-in test, file or module",
         "message");
}

static void test_folders(void)
{
  static const struct {
    const char *name, *folders;
  } list[] = {
    { "x", "'.', './src/lua', '/lib', '/data'" },
    { "x.lua", "'.', '/data'" },
    { "./x", "'.', '/data'" },
    { "/x.lua", "'/', '/data'" },
    { "a/b/x", "'a/b', '/data'" },
  };
  const struct resolve_rules rules = {
    .package_path =
      "./?.lua;./?/init.lua;;./src/lua/?.lua;x?;/lib/?.lua;/data/?",
    .datadir = "/data",
  };
  struct strbuf b = { 0 };

  for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
    strbuf_clear(&b);
    resolve_folders(&b, list[i].name, &rules);
    OK_STR(strbuf_str(&b), list[i].folders, list[i].name);
  }
  strbuf_done(&b);
}

static const char *path_of(struct strbuf *b, const char *lua_path,
                           const char *home)
{
  strbuf_clear(b);
  search_path(b, lua_path, home, "/d");
  return strbuf_str(b);
}

#define SYSTEM \
  "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;/d/?.lua;"
#define LOCAL "./?.lua;./?/init.lua;./src/lua/?.lua;"

static void test_search(void)
{
  struct strbuf b = { 0 };

  OK_STR(path_of(&b, NULL, NULL), LOCAL SYSTEM, "default without a home");
  OK_STR(path_of(&b, NULL, "/h"),
         LOCAL "/h/.luarocks/share/lua/5.1/?.lua;"
               "/h/.luarocks/share/lua/5.1/?/init.lua;"
               "/h/.luarocks/share/lua/?.lua;"
               "/h/.luarocks/share/lua/?/init.lua;" SYSTEM,
         "default with a home");
  OK_STR(path_of(&b, "", NULL), "", "an empty variable counts");
  OK_STR(path_of(&b, "/x", NULL), "/x", "the variable replaces the default");
  OK_STR(path_of(&b, "/x;;/y", NULL), "/x;" LOCAL SYSTEM ";/y",
         "two semicolons stand for the default");
  OK_STR(path_of(&b, ";;;;", NULL), ";" LOCAL SYSTEM ";;" LOCAL SYSTEM ";",
         "more than once");
  strbuf_clear(&b);
  search_cpath(&b, NULL, NULL);
  OK(strncmp(strbuf_str(&b), "./?.so;/usr/local/lib/lua/5.1/?.so;", 35) == 0,
     "C modules");
  OK(strcmp(strbuf_str(&b) + b.len - 6, "/?.so;") == 0,
     "the last entry for C modules has a pattern");
  strbuf_done(&b);
}

int main(void)
{
  test_resolve();
  test_not_found_text();
  test_folders();
  test_search();
  return TAP_EXIT();
}
