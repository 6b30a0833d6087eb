/*
 * help.c - help, lists, version.
 */
#include <limits.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "program/internal.h"
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
  struct help_lists lists = { .tests = n->tests,
                              .drivers = n->drivers,
                              .tools = n->tools,
                              .scripts = n->scripts };

  lists.n_drivers = program_list_drivers(p, n->drivers);
  for (size_t i = 0; i < test_list_len; i++) {
    if (test_list[i]->hidden)
      continue;
    n->tests[lists.n_tests].name = test_list[i]->name;
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

static int help_print_lists(struct program *p, enum program_help what)
{
  struct names *names = calloc(1, sizeof(*names));
  struct help_lists lists;
  struct strbuf out = { 0 };

  if (!names)
    return EXIT_FAILED;
  lists = help_collect(p, names);
  if (what == PROGRAM_HELP_NAMES)
    help_names(&out, &lists);
  else if (what == PROGRAM_HELP_DRIVERS)
    help_drivers(&out, &lists);
  else if (p->set.as_sysbench || p->cmdline.help_all)
    help_all(&out, p->name, &p->set, &lists);
  else
    help_screen(&out, p->name, &p->set, &lists);
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

/* ---- version ---- */

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
