/*
 * help.c - prints the help and the lists of what there is.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "lua/find/search.h"
#include "program/bundled.h"
#include "program/internal.h"
#include "run/runner.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

#define TESTS_MAX 16

/* Storage for the lists. */
struct names {
  struct help_item drivers[DRIVERS_MAX], tests[TESTS_MAX];
  struct help_item tools[PROGRAM_TOOLS], scripts[BUNDLED_MAX];
  struct bundled bundled[BUNDLED_MAX];
};

static struct help_lists collect(const struct program *p, struct names *n)
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

/* Prints the lists of names in one of three forms. */
static int print_lists(struct program *p, enum program_help what)
{
  struct names *names = calloc(1, sizeof(*names));
  struct help_lists lists;
  struct strbuf out = { 0 };

  if (!names)
    return EXIT_FAILED;
  lists = collect(p, names);
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
    return print_lists(p, what);
  if (strcmp(name, tool_doctor.name) == 0)
    return program_doctor_machine(p); /* with a name: its usage */
  if (program_is_tool(name))
    return program_tool(p); /* the action makes it print its help */
  p->cmdline.command = "help";
  return program_test(p);
}
