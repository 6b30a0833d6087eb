/*
 * find.c - finds the test of the command line, or suggests one.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/embedded.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "lua/find/source.h"
#include "nodes/nodes.h"
#include "opt/cmdline.h"
#include "opt/suggest.h"
#include "opt/value.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/mix/list.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

/* ---- descriptions in the files of bundled scripts ---- */

static FILE *bundled_open_script(const char *datadir, const char *name)
{
  char path[PATH_MAX + BUNDLED_NAME];
  const struct embedded_script *script;

  (void)snprintf(path, sizeof(path), "%s/%s.lua", datadir, name);
  script = embedded_find(path);
  if (script)
    return fmemopen((void *)(uintptr_t)script->text, script->len, "r");
  return fopen(path, "re");
}

struct files {
  DIR *dir;
  const struct embedded_script *embedded; /* next one; NULL: a folder */
};

static struct files bundled_files_open(const char *datadir)
{
  if (strcmp(datadir, EMBEDDED_FOLDER) == 0)
    return (struct files){ NULL, embedded_scripts };
  return (struct files){ opendir(datadir), NULL };
}

static const char *bundled_files_next(struct files *f)
{
  const struct dirent *entry;

  if (f->embedded)
    return f->embedded->path ? f->embedded++->path : NULL;
  entry = f->dir ? readdir(f->dir) : NULL;
  return entry ? entry->d_name : NULL;
}

static void bundled_files_close(struct files *f)
{
  if (f->dir)
    (void)closedir(f->dir);
}

static bool bundled_is_script(const char *file, char ret_name[BUNDLED_NAME])
{
  const char *dot = strrchr(file, '.');
  const size_t len = dot ? (size_t)(dot - file) : 0;

  if (strchr(file, '/') || !dot || strcmp(dot, ".lua") != 0 || len == 0 ||
      len >= BUNDLED_NAME)
    return false;
  memcpy(ret_name, file, len);
  ret_name[len] = '\0';
  return true;
}

/* Adds text up to the end of the sentence; true: complete. */
static bool bundled_add_sentence(char summary[BUNDLED_SUMMARY],
                                 const char *text)
{
  size_t len = strlen(summary);

  if (len > 0 && len + 1 < BUNDLED_SUMMARY)
    summary[len++] = ' ';
  for (; *text && *text != '\n' && len + 1 < BUNDLED_SUMMARY; text++) {
    if (*text == '.' && (text[1] == ' ' || text[1] == '\n'))
      break;
    /* Users write options with `-`. */
    summary[len++] = '_' == *text ? '-' : *text;
  }
  summary[len] = '\0';
  return *text == '.';
}

bool bundled_read(const char *datadir, struct bundled *ret)
{
  static const char start[] = "-- One event: ", next[] = "-- ";
  static const char example[] = "-- Example: ";
  FILE *f = bundled_open_script(datadir, ret->name);
  char line[256];
  bool ended = false;

  ret->summary[0] = ret->example[0] = '\0';
  while (f && fgets(line, sizeof(line), f) && strncmp(line, "local", 5) != 0) {
    if (strncmp(line, example, strlen(example)) == 0)
      (void)snprintf(ret->example, BUNDLED_EXAMPLE, "%.*s",
                     (int)strcspn(line + strlen(example), "\n"),
                     line + strlen(example));
    else if (!ret->summary[0] && strncmp(line, start, strlen(start)) == 0)
      ended = bundled_add_sentence(ret->summary, line + strlen(start));
    else if (ret->summary[0] && !ended &&
             strncmp(line, next, strlen(next)) == 0)
      ended = bundled_add_sentence(ret->summary, line + strlen(next));
  }
  if (f)
    (void)fclose(f);
  return ret->summary[0] != '\0';
}

static int bundled_by_name(const void *a, const void *b)
{
  const struct bundled *x = a, *y = b;

  return strcmp(x->name, y->name);
}

size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX])
{
  struct files files = bundled_files_open(datadir);
  const char *file;
  size_t n = 0;

  while (n < BUNDLED_MAX && (file = bundled_files_next(&files))) {
    if (bundled_is_script(file, list[n].name) &&
        bundled_read(datadir, &list[n]))
      n++;
  }
  bundled_files_close(&files);
  qsort(list, n, sizeof(list[0]), bundled_by_name);
  return n;
}

/* First lines of tables of options.  Scripts with oltp_common.lua have the
 * options of bench_oltp.lua. */
static bool bundled_begins_table(const char *line)
{
  static const char *const table[] = { "sysbench.cmdline.options = {",
                                       "local declared = {" };

  for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
    if (strncmp(line, table[i], strlen(table[i])) == 0)
      return true;
  }
  return false;
}

/* Or NULL. */
static char *bundled_declared_name(char *line, bool in_table)
{
  static const char lead[] = "sysbench.cmdline.options.";
  char *name = NULL, *end;

  if (in_table && strncmp(line, "   ", 3) == 0)
    name = line + 3;
  else if (strncmp(line, lead, strlen(lead)) == 0)
    name = line + strlen(lead);
  if (!name)
    return NULL;
  end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
  if (end == name || strncmp(end, " =", 2) != 0)
    return NULL;
  *end = '\0';
  return name;
}

static bool bundled_declares(const char *datadir, const char *script,
                             const char *option)
{
  FILE *f = bundled_open_script(datadir, script);
  bool found = false, in_table = false;
  char line[256];

  while (f && !found && fgets(line, sizeof(line), f)) {
    const char *name = bundled_declared_name(line, in_table);

    found = name && opt_name_equal(name, option);
    if (bundled_begins_table(line))
      in_table = true;
    else if (line[0] == '}')
      in_table = false;
  }
  if (f)
    (void)fclose(f);
  return found;
}

static bool bundled_find_option(const char *datadir, const char *name,
                                char ret_script[BUNDLED_NAME])
{
  struct files files = bundled_files_open(datadir);
  const char *file;
  bool found = false;

  (void)snprintf(ret_script, BUNDLED_NAME, "oltp_common");
  found = bundled_declares(datadir, "bench_oltp", name);
  while (!found && (file = bundled_files_next(&files)))
    found = bundled_is_script(file, ret_script) &&
            bundled_declares(datadir, ret_script, name);
  bundled_files_close(&files);
  return found;
}

/* ---- what a wrong name probably meant ---- */

static const char *const find_commands[] = { "prepare", "run", "cleanup",
                                             "help" };

/* From other programs, or a command without a test. */
static bool find_is_habit(const struct program *p, const char *typed)
{
  static const struct {
    const char *typed, *meant;
  } habits[] = {
    { "-h", "--help" },         { "-?", "--help" },
    { "-help", "--help" },      { "help", "--help" },
    { "-v", "--version" },      { "-V", "--version" },
    { "version", "--version" }, { "-version", "--version" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(habits); i++) {
    if (strcmp(typed, habits[i].typed) != 0)
      continue;
    (void)program_complain("did you mean %s?", habits[i].meant);
    return true;
  }
  if (strcmp(typed, "list") == 0) {
    (void)program_complain("'%s list' takes no argument; '%s TEST --help' "
                           "shows the options of one test",
                           p->name, p->name);
    return true;
  }
  if (typed[0] == '-' && typed[1] != '\0') {
    (void)program_complain("options are written --NAME=VALUE, as in "
                           "--threads=4");
    return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(find_commands); i++) {
    if (strcmp(typed, find_commands[i]) != 0)
      continue;
    (void)program_complain("'%s' is a command: the test comes first, as in "
                           "'%s cpu %s'",
                           typed, p->name, typed);
    return true;
  }
  return false;
}

static bool find_suggest_test(const struct program *p, const char *typed)
{
  struct bundled *scripts;
  struct suggest s;
  bool found;
  size_t n;

  if (find_is_habit(p, typed))
    return true;
  scripts = calloc(BUNDLED_MAX, sizeof(*scripts));
  n = scripts ? bundled_list(p->datadir, scripts) : 0;
  suggest_init(&s, typed);
  for (size_t i = 0; i < test_list_len; i++) {
    if (!test_list[i]->hidden)
      suggest_offer(&s, test_list[i]->name);
  }
  for (const struct tool *const *t = tool_list; *t; t++)
    suggest_offer(&s, (*t)->name);
  for (size_t i = 0; i < n; i++)
    suggest_offer(&s, scripts[i].name);
  found = suggest_result(&s);
  if (found)
    (void)program_complain("did you mean %s?", suggest_result(&s));
  free(scripts);
  return found;
}

/* ---- scripts ---- */

static bool find_is_file(const char *path, void *arg)
{
  (void)arg;
  return source_exists(path);
}

static bool find_is_folder(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* `path` holds a text of the rules. */
static struct resolve_rules find_where(const struct program *p,
                                       struct strbuf *path)
{
  search_path(path, getenv("LUA_PATH"), getenv("HOME"), p->datadir);
  return (struct resolve_rules){
    .exists = find_is_file,
    .package_path = strbuf_str(path),
    .datadir = p->datadir,
  };
}

static int find_resolve(const struct program *p, const char *typed,
                        struct resolved *ret, struct err *err)
{
  const char *builtins[32] = { NULL };
  struct strbuf path = { 0 };
  struct resolve_rules rules = find_where(p, &path);
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

  if (find_resolve(p, typed, &what, &ignored) == 0) {
    path = what.path;
    what.path = NULL; /* ownership moves */
  }
  resolved_done(&what);
  return path;
}

/* ---- kinds of tests, bundled tests ---- */

enum program_kind program_kind(const char *name)
{
  const size_t len = name ? strlen(name) : 0;

  if (name && test_find(name))
    return PROGRAM_BUILTIN;
  return len > 4 && strcmp(name + len - 4, ".sql") == 0 ? PROGRAM_SQLFILE
                                                        : PROGRAM_SCRIPT;
}

bool program_has_script(const struct program *p, const char *path)
{
  const size_t len = strlen(p->datadir);

  if (!path || strncmp(path, p->datadir, len) != 0 || path[len] != '/')
    return false;
  /* The working folder can have a folder with the name of the embedded one. */
  return strcmp(p->datadir, EMBEDDED_FOLDER) == 0 ? embedded_find(path) != NULL
                                                  : !strstr(path + len, "/..");
}

static bool find_is_bundled(const struct program *p, const char *script)
{
  char *path = program_kind(script) == PROGRAM_SCRIPT
                 ? program_script_path(p, script)
                 : NULL;
  const bool bundled = program_has_script(p, path);

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
    return find_is_bundled(p, text);
  if (opt_value_read(&mix_opts[0], &given, &value, &ignored) < 0 ||
      mix_list_parse(&list, &value.list, &ignored) < 0)
    bundled = false;
  for (size_t i = 0; i < list.n && bundled; i++)
    bundled = find_is_bundled(p, list.of[i].script);
  mix_list_done(&list);
  opt_value_done(&value);
  return bundled;
}

static void find_tell_not_found(const struct program *p, const char *typed)
{
  struct strbuf path = { 0 };
  struct strbuf folders = { 0 };
  struct resolve_rules rules;

  if (strcmp(typed, "mix") == 0) {
    (void)program_complain("a mix needs its members: --mix=SCRIPT,...");
    return;
  }
  if (find_suggest_test(p, typed))
    return;
  rules = find_where(p, &path);
  resolve_folders(&folders, typed, &rules);
  (void)program_complain("searched: %s", strbuf_str(&folders));
  if (!find_is_folder(p->datadir) && !embedded_scripts[0].path)
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
  if (find_resolve(p, job->typed, ret, &err) == 0) {
    if (ret->warning)
      log_msg(LOG_WARNING, "%s", ret->warning);
    return EXIT_OK;
  }
  (void)program_fail(&err);
  if (!ret->path && job->typed && strcmp(job->typed, "-") != 0)
    find_tell_not_found(p, job->typed);
  return EXIT_FAILED;
}

/* ---- wrong commands, options of other tests ---- */

#define OWNER_SIZE (BUNDLED_NAME + 32)

int program_unknown_command(const char *typed, const char *words)
{
  struct strbuf copy = { 0 };
  const char *word;
  struct suggest s;
  char *rest;
  int status;

  strbuf_adds(&copy, words);
  rest = copy.text;
  suggest_init(&s, typed);
  while (rest && (word = strsep(&rest, " ")))
    suggest_offer(&s, word);
  status = suggest_result(&s)
             ? program_complain("Unknown command: %s\ndid you mean %s?", typed,
                                suggest_result(&s))
             : program_complain("Unknown command: %s\ncommands: %s", typed,
                                words);
  strbuf_done(&copy);
  return status;
}

static bool find_owner(const char *datadir, const char *name,
                       char ret_owner[OWNER_SIZE])
{
  char script[BUNDLED_NAME];

  for (size_t i = 0; i < test_list_len; i++) {
    if (opt_rows_have(test_list[i]->opts, name)) {
      (void)snprintf(ret_owner, OWNER_SIZE, "the %s test", test_list[i]->name);
      return true;
    }
  }
  for (const struct tool *const *t = tool_list; *t; t++) {
    if (opt_rows_have((*t)->opts, name)) {
      (void)snprintf(ret_owner, OWNER_SIZE, "the %s tool", (*t)->name);
      return true;
    }
  }
  if (!bundled_find_option(datadir, name, script))
    return false;
  if (strcmp(script, "oltp_common") == 0)
    (void)snprintf(ret_owner, OWNER_SIZE, "the oltp_* and select_* scripts");
  else
    (void)snprintf(ret_owner, OWNER_SIZE, "the script %s", script);
  return true;
}

static bool find_is_foreign(void *arg, const struct opt_given *given)
{
  const struct program *p = arg;
  const struct old_name *old = old_name_find(given->name);
  char owner[OWNER_SIZE];

  if (find_owner(p->datadir, given->name, owner)) {
    log_msg(LOG_INFO, "--%s is an option of %s: skipped, %s", given->name,
            owner, given->where);
    return true;
  }
  if (!old || old->other)
    return false;
  if (old->now)
    log_msg(LOG_WARNING, "--%s is an old name of --%s: skipped, %s",
            given->name, old->now, given->where);
  else
    log_msg(LOG_WARNING, "--%s %s; skipped, %s", given->name, old->advice,
            given->where);
  return true;
}

struct cmdline_rules program_rules(struct program *p)
{
  (void)search_datadir(p->datadir);
  return (struct cmdline_rules){ .is_foreign = find_is_foreign, .program = p };
}

static void find_tell_owner(const struct program *p)
{
  char owner[OWNER_SIZE];

  for (const struct cmdline_pending *o = p->cmdline.first; o; o = o->next) {
    if (o->given.where || optset_find(&p->set, o->given.name))
      continue; /* skips options of other tests in files */
    if (!old_name_find(o->given.name) &&
        find_owner(p->datadir, o->given.name, owner))
      (void)program_complain("--%s is an option of %s", o->given.name, owner);
    return;
  }
}

int program_apply(struct program *p, const struct cmdline_rules *rules)
{
  struct err err = { "" };
  const int rc = cmdline_apply(&p->cmdline, rules, &err);

  if (rc == 0)
    return EXIT_OK;
  (void)program_fail_usage(rc, &err);
  if (rc == -ENOENT)
    find_tell_owner(p);
  return EXIT_FAILED;
}

int program_apply_alone(struct program *p)
{
  const struct cmdline_rules rules = program_rules(p);

  return program_apply(p, &rules);
}
