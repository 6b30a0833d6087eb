/*
 * help.c - help, lists, version.
 */
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "results/jobj.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/options.h"
#include "tests/test_list.h"
#include "tools/tool.h"

#define TESTS_MAX 16

struct names {
  struct help_item drivers[DRIVERS_MAX], tests[TESTS_MAX];
  struct help_item tools[PROGRAM_TOOLS], scripts[BUNDLED_MAX];
  struct bundled bundled[BUNDLED_MAX];
};

static struct help_lists help_collect(const struct program *p, struct names *n)
{
  struct help_lists lists = { .groups = program_groups,
                              .tests = n->tests,
                              .drivers = n->drivers,
                              .tools = n->tools,
                              .scripts = n->scripts };

  lists.n_drivers = program_list_drivers(p, n->drivers);
  for (size_t i = 0; i < test_list_len; i++) {
    if (test_list[i]->hidden)
      continue;
    n->tests[lists.n_tests].name = test_list[i]->name;
    n->tests[lists.n_tests].opts = test_list[i]->opts;
    n->tests[lists.n_tests++].title = test_list[i]->summary;
  }
  for (; lists.n_tools < PROGRAM_TOOLS && tool_list[lists.n_tools];
       lists.n_tools++) {
    n->tools[lists.n_tools].name = tool_list[lists.n_tools]->name;
    n->tools[lists.n_tools].title = tool_list[lists.n_tools]->summary;
  }
  lists.n_scripts = bundled_list(p->datadir, n->bundled);
  for (size_t i = 0; i < lists.n_scripts; i++) {
    n->scripts[i].name = n->bundled[i].name;
    n->scripts[i].title = n->bundled[i].summary;
  }
  return lists;
}

/* ---- --help=json ---- */

static const char *help_type_name(const struct opt *row)
{
  static const char *const names[] = {
    [OPT_TYPE_BOOL] = "switch", [OPT_TYPE_INT] = "integer",
    [OPT_TYPE_SIZE] = "size",   [OPT_TYPE_DOUBLE] = "number",
    [OPT_TYPE_STRING] = "text", [OPT_TYPE_WORD] = "word",
    [OPT_TYPE_LIST] = "list",   [OPT_TYPE_FILE] = "file",
    [OPT_TYPE_TIME] = "time",
  };

  return names[row->type];
}

static const char *help_ring_name(const struct opt *row)
{
  if (row->flags & OPT_EXPERT)
    return "expert";
  return row->flags & OPT_COMMON ? "common" : "all";
}

static void json_add_choices(struct jobj *o, const struct opt *row)
{
  struct jobj list = jobj_list();
  struct strbuf words = { 0 };
  char *rest, *word;

  help_add_choices(&words, row, " ");
  for (rest = words.text; rest && (word = strsep(&rest, " "));)
    jobj_push(&list, jobj_string(word));
  o->failed = o->failed || words.failed;
  strbuf_done(&words);
  jobj_add(o, "choices", jobj_take(&list));
}

/* `test` NULL: the program. */
static json_t *json_option(const struct opt *row, const char *def,
                           const char *group, const char *test)
{
  struct jobj o = jobj_new(), tests = jobj_list(), aliases = jobj_list();
  struct strbuf help = { 0 }, name = { 0 }, old = { 0 };
  char *rest, *word;

  strbuf_adds(&old, row->aliases ? row->aliases : "");
  for (rest = old.len > 0 ? old.text : NULL;
       rest && (word = strsep(&rest, " "));)
    jobj_push(&aliases, jobj_string(word));
  help_add_text(&help, row);
  for (const char *c = row->name; *c; c++) /* a script's */
    strbuf_add(&name, *c == '_' ? "-" : c, 1);
  jobj_text(&o, "name", strbuf_str(&name));
  jobj_text(&o, "type", row->unit_ns > 0 ? "time" : help_type_name(row));
  if (def)
    jobj_text(&o, "default", def);
  else
    jobj_null(&o, "default");
  jobj_text(&o, "group", group);
  jobj_text(&o, "ring", help_ring_name(row));
  if (test)
    jobj_push(&tests, jobj_string(test));
  jobj_add(&o, "tests", jobj_take(&tests));
  json_add_choices(&o, row);
  jobj_text(&o, "help", strbuf_str(&help));
  jobj_add(&o, "aliases", jobj_take(&aliases));
  o.failed = o.failed || help.failed || name.failed || old.failed;
  strbuf_done(&help);
  strbuf_done(&name);
  strbuf_done(&old);
  return jobj_take(&o);
}

static bool json_is_text(const json_t *o, const char *key, const json_t *of)
{
  return json_equal(json_object_get(o, key), json_object_get(of, key));
}

/* Tests with the same option share one entry. */
static void json_add_option(struct jobj *list, json_t *option)
{
  static const char *const keys[] = { "name", "group", "type", "default",
                                      "help" };

  for (size_t i = 0; i < json_array_size(list->j); i++) {
    json_t *o = json_array_get(list->j, i);
    size_t k = 0;

    while (k < ARRAY_SIZE(keys) && json_is_text(o, keys[k], option))
      k++;
    if (k == ARRAY_SIZE(keys)) {
      (void)json_array_extend(json_object_get(o, "tests"),
                              json_object_get(option, "tests"));
      json_decref(option);
      return;
    }
  }
  jobj_push(list, option);
}

static void json_add_alias(struct jobj *list, const struct opt *row)
{
  for (size_t i = 0; i < json_array_size(list->j); i++) {
    json_t *o = json_array_get(list->j, i);

    if (strcmp(json_string_value(json_object_get(o, "name")), row->alias_of) ==
        0)
      (void)jobj_array_add(json_object_get(o, "aliases"),
                           jobj_string(row->name));
  }
}

static void json_add_row(struct jobj *list, const struct opt *row,
                         const char *def, const char *group, const char *test)
{
  if (row->flags & OPT_HIDDEN)
    return;
  if (row->alias_of)
    json_add_alias(list, row);
  else
    json_add_option(list, json_option(row, def, group, test));
}

static void json_add_rows(struct jobj *list, const struct opt *rows,
                          const char *group, const char *test)
{
  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++)
    json_add_row(list, row, row->def, group, test);
}

static int json_add_script(struct program *p, struct jobj *list,
                           const char *name)
{
  struct optset set;
  struct err err = { "" };
  int status;

  if (optset_view(&set, &p->set, &err) < 0)
    return program_fail(&err);
  status = program_declare(p, name, &set);
  for (size_t i = p->set.n; i < set.n; i++) {
    if (!set.entries[i]->real)
      json_add_row(list, set.entries[i]->row, set.entries[i]->def, "Workloads",
                   name);
  }
  optset_done(&set);
  return status;
}

static int json_print(struct program *p, const struct help_lists *lists)
{
  struct jobj list = jobj_list();
  int status = EXIT_OK;
  char *text = NULL;
  json_t *all;

  for (size_t i = 0; i < p->set.n; i++) {
    const struct opt_entry *e = p->set.entries[i];

    if (!e->made) /* not an old name */
      json_add_row(&list, e->row, e->def, e->group ? e->group : "", NULL);
  }
  for (size_t i = 0; i < lists->n_tests; i++)
    json_add_rows(&list, lists->tests[i].opts, "Tests", lists->tests[i].name);
  for (size_t i = 0; i < lists->n_tools; i++)
    json_add_rows(&list, tool_list[i]->opts, "Tools", tool_list[i]->name);
  for (size_t i = 0; i < lists->n_scripts && status == EXIT_OK; i++)
    status = json_add_script(p, &list, lists->scripts[i].name);
  all = jobj_take(&list);
  text = all ? jobj_pretty(all) : NULL;
  if (text)
    (void)fputs(text, stdout);
  else
    status = EXIT_FAILED;
  free(text);
  json_decref(all);
  return status;
}

/* ---- texts ---- */

static int help_print_lists(struct program *p, enum program_help what)
{
  struct names *names = calloc(1, sizeof(*names));
  struct help_lists lists;
  struct strbuf out = { 0 };

  if (!names)
    return EXIT_FAILED;
  lists = help_collect(p, names);
  if (what == PROGRAM_HELP_OPTIONS && p->cmdline.help == CMDLINE_HELP_JSON &&
      !p->set.as_sysbench) {
    const int status = json_print(p, &lists);

    free(names);
    return status;
  }
  if (what == PROGRAM_HELP_NAMES)
    help_names(&out, &lists);
  else if (what == PROGRAM_HELP_DRIVERS)
    help_drivers(&out, &lists);
  else if (p->set.as_sysbench)
    help_sysbench(&out, p->name, &p->set, &lists);
  else
    help_ring(&out, p->name, &p->set, &lists, p->cmdline.help);
  free(names);
  program_put_text(&out);
  return EXIT_OK;
}

int program_print_usage(const struct program *p)
{
  struct strbuf out = { 0 };

  help_usage(&out, p->name);
  (void)fputs(strbuf_str(&out), stderr);
  strbuf_done(&out);
  return EXIT_FAILED;
}

int program_print_help(struct program *p, enum program_help what)
{
  const char *name = p->cmdline.test;

  (void)search_datadir(p->datadir);
  if (what != PROGRAM_HELP_OPTIONS || !name || strcmp(name, "-") == 0)
    return help_print_lists(p, what);
  if (strcmp(name, tool_doctor.name) == 0)
    return program_doctor_machine(p); /* with a name: its usage */
  if (program_is_tool(name))
    return program_tool(p); /* prints its help, by the action */
  p->cmdline.command = "help";
  return program_test(p);
}

/* Do scripts have machine code on 64-bit ARM?  See sysbench.lua. */
static const char *version_machine_code(void)
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

static void version_add_drivers(struct strbuf *out, const struct program *p)
{
  struct help_item drivers[DRIVERS_MAX];
  const size_t n = program_list_drivers(p, drivers);

  strbuf_adds(out, "database drivers:");
  for (size_t i = 0; i < n; i++)
    strbuf_addf(out, " %s", drivers[i].name);
  strbuf_adds(out, "\n");
}

static void version_add_io_modes(struct strbuf *out)
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
  strbuf_addf(out, "Lua: %s%s\n", LUAJIT_VERSION, version_machine_code());
  version_add_drivers(out, p);
  version_add_io_modes(out);
  strbuf_addf(out, "cluster plug-in: %s\n", BUILT_CLUSTER_PLUGIN);
}

void program_put_version(const struct program *p)
{
  struct strbuf out = { 0 };

  program_version_text(p, os_lacks, &out);
  program_put_text(&out);
}
