/*
 * find.c - finds the script that the command line names.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/embedded.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "lua/find/source.h"
#include "mix/list.h"
#include "mix/options.h"
#include "nodes/nodes.h"
#include "opt/value.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/test_list.h"

static bool is_file(const char *path, void *arg)
{
  (void)arg;
  return source_exists(path);
}

static bool is_folder(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Returns the rules for the places of tests; `path` holds a text of the rules.
 */
static struct resolve_rules where(const struct program *p, struct strbuf *path)
{
  search_path(path, getenv("LUA_PATH"), getenv("HOME"), p->datadir);
  return (struct resolve_rules){
    .exists = is_file,
    .package_path = strbuf_str(path),
    .datadir = p->datadir,
  };
}

static int resolve(const struct program *p, const char *typed,
                   struct resolved *ret, struct err *err)
{
  const char *builtins[32] = { NULL };
  struct strbuf path = { 0 };
  struct resolve_rules rules = where(p, &path);
  int rc;

  for (size_t i = 0; i < test_list_len && i + 1 < ARRAY_SIZE(builtins); i++)
    builtins[i] = test_list[i]->name;
  rules.builtins = builtins;
  rc = resolve_name(ret, typed, &rules, err);
  strbuf_done(&path);
  return rc;
}

char *program_script_path(const struct program *p, const char *typed)
{
  struct resolved what = { 0 };
  struct err ignored = { "" };
  char *path = NULL;

  if (resolve(p, typed, &what, &ignored) == 0) {
    path = what.path;
    what.path = NULL; /* ownership moves */
  }
  resolved_done(&what);
  return path;
}

static bool is_bundled(const struct program *p, const char *script)
{
  const size_t len = strlen(p->datadir);
  char *path = source_by_name(script) == &source_script
                 ? program_script_path(p, script)
                 : NULL;
  const bool bundled = path && strncmp(path, p->datadir, len) == 0 &&
                       path[len] == '/' && !strstr(path + len, "/..");

  free(path);
  return bundled || test_find(script);
}

bool program_is_bundled(const struct program *p, const char *text, bool mix)
{
  const struct opt_given given = { .name = "mix", .arg = text, .text = text };
  struct opt_value value = { 0 };
  struct mix_list list = { 0 };
  struct err ignored = { "" };
  bool bundled = true;

  if (!mix)
    return is_bundled(p, text);
  if (opt_value_read(&mix_opts[0], &given, &value, &ignored) < 0 ||
      mix_list_parse(&list, &value.list, &ignored) < 0)
    bundled = false;
  for (size_t i = 0; i < list.n && bundled; i++)
    bundled = is_bundled(p, list.of[i].script);
  mix_list_done(&list);
  opt_value_done(&value);
  return bundled;
}

/*
 * Reports that there is no such test, and adds what was probably meant, or
 * otherwise where it was looked for.
 */
static void tell_not_found(const struct program *p, const char *typed)
{
  struct strbuf path = { 0 };
  struct strbuf folders = { 0 };
  struct resolve_rules rules;

  if (strcmp(typed, "mix") == 0) {
    (void)program_complain("a mix needs its members: --mix=SCRIPT,...");
    return;
  }
  if (program_suggest_test(p, typed))
    return;
  rules = where(p, &path);
  resolve_folders(&folders, typed, &rules);
  (void)program_complain("searched: %s", strbuf_str(&folders));
  if (!is_folder(p->datadir) && !embedded_scripts[0].path)
    (void)program_complain("the folder of the bundled scripts, '%s', does not "
                           "exist: install bench, or set BENCH_DATADIR",
                           p->datadir);
  strbuf_done(&folders);
  strbuf_done(&path);
}

int program_find_script(const struct job *job, struct resolved *ret)
{
  struct program *p = job->p;
  struct err err = { "" };

  if (p->ranks && p->ranks->rank > 0 &&
      !job->member) { /* process 0 has found it */
    *ret = p->ranks->what;
    p->ranks->what = (struct resolved){ 0 };
    return EXIT_OK;
  }
  if (resolve(p, job->typed, ret, &err) == 0) {
    if (ret->warning)
      log_msg(LOG_WARNING, "%s", ret->warning);
    return EXIT_OK;
  }
  (void)program_fail(&err);
  if (!ret->path && job->typed && strcmp(job->typed, "-") != 0)
    tell_not_found(p, job->typed);
  return EXIT_FAILED;
}
