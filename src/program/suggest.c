/*
 * suggest.c - what a wrong test, command or option probably meant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "opt/old_names.h"
#include "opt/scan.h"
#include "opt/suggest.h"
#include "program/bundled.h"
#include "program/internal.h"
#include "run/test.h"
#include "tests/test_list.h"
#include "tools/tool.h"

#define OWNER_SIZE (BUNDLED_NAME + 32)

static const char *const commands[] = { "prepare", "run", "cleanup", "help" };

/* Is it what other programs understand, or a command without a test? */
static bool is_habit(const struct program *p, const char *typed)
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

bool program_suggest_test(const struct program *p, const char *typed)
{
  struct bundled *scripts;
  struct suggest s;
  bool found;
  size_t n;

  if (is_habit(p, typed))
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

/* Describes the owner of the option in words; false: it has none. */
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

static bool is_foreign(void *arg, const struct opt_given *given)
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
  return (struct cmdline_rules){ .is_foreign = is_foreign, .program = p };
}

void program_tell_owner(const struct program *p)
{
  char owner[OWNER_SIZE];

  for (const struct cmdline_pending *o = p->cmdline.first; o; o = o->next) {
    if (o->given.where || optset_find(&p->set, o->given.name))
      continue; /* options in files are skipped if another test has them */
    if (!old_name_find(o->given.name) &&
        find_owner(p->datadir, o->given.name, owner))
      (void)program_complain("--%s is an option of %s", o->given.name, owner);
    return;
  }
}
