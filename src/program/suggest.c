/*
 * suggest.c - what a wrong test, command or option probably meant.
 */
#include <dirent.h>
#include <string.h>

#include "base/compiler.h"
#include "opt/scan.h"
#include "opt/suggest.h"
#include "program/internal.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

/* The bundled scripts' names, without their ending. */
static void offer_scripts(struct suggest *s, const char *folder,
                          char names[PROGRAM_SCRIPTS][PROGRAM_SCRIPT_NAME])
{
  DIR *dir = opendir(folder);
  const struct dirent *entry;
  size_t n = 0;

  while (dir && n < PROGRAM_SCRIPTS && (entry = readdir(dir))) {
    const char *dot = strrchr(entry->d_name, '.');
    const size_t len = dot ? (size_t)(dot - entry->d_name) : 0;

    if (!dot || strcmp(dot, ".lua") != 0 || len >= PROGRAM_SCRIPT_NAME)
      continue;
    memcpy(names[n], entry->d_name, len);
    names[n][len] = '\0';
    suggest_offer(s, names[n++]);
  }
  if (dir)
    (void)closedir(dir);
}

static const char *const commands[] = { "prepare", "run", "cleanup", "help" };

/* What other programs understand, and a command without a test. */
static bool is_habit(const struct program *p, const char *typed)
{
  static const struct {
    const char *typed, *meant;
  } habits[] = {
    { "-h", "--help" },          { "-?", "--help" },
    { "-help", "--help" },       { "-v", "--version" },
    { "-V", "--version" },       { "version", "--version" },
    { "-version", "--version" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(habits); i++) {
    if (strcmp(typed, habits[i].typed) != 0)
      continue;
    (void)program_complain("did you mean %s?", habits[i].meant);
    return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
    if (strcmp(typed, commands[i]) != 0)
      continue;
    (void)program_complain("'%s' is a command: the test comes first, as in "
                           "'%s cpu %s'",
                           typed, p->name, typed);
    return true;
  }
  return false;
}

void program_suggest_test(const struct program *p, const char *typed)
{
  char names[PROGRAM_SCRIPTS][PROGRAM_SCRIPT_NAME];
  struct suggest s;

  if (is_habit(p, typed))
    return;
  suggest_init(&s, typed);
  for (size_t i = 0; i < test_list_len; i++)
    suggest_offer(&s, test_list[i]->name);
  for (const struct tool *const *t = tool_list; *t; t++)
    suggest_offer(&s, (*t)->name);
  offer_scripts(&s, p->datadir, names);
  if (suggest_result(&s))
    (void)program_complain("did you mean %s?", suggest_result(&s));
}

int program_unknown_command(const char *typed)
{
  struct suggest s;

  suggest_init(&s, typed);
  for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
    suggest_offer(&s, commands[i]);
  return suggest_result(&s)
           ? program_complain("Unknown command: %s\ndid you mean %s?", typed,
                              suggest_result(&s))
           : program_complain("Unknown command: %s", typed);
}

void program_tell_owner(const struct program *p)
{
  const struct cmdline_pending *o = p->cmdline.first;

  while (o && optset_find(&p->set, o->given.name))
    o = o->next;
  for (size_t i = 0; o && i < test_list_len; i++) {
    if (opt_rows_have(test_list[i]->opts, o->given.name))
      (void)program_complain("--%s is an option of the %s test", o->given.name,
                             test_list[i]->name);
  }
}
