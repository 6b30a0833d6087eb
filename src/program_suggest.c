/*
 * program_suggest.c - the test that a misspelt name probably meant.
 */
#include <dirent.h>
#include <string.h>

#include "opt/suggest.h"
#include "program_internal.h"
#include "run/test.h"
#include "test_list.h"

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

void program_suggest_test(const struct program *p, const char *typed)
{
  char names[PROGRAM_SCRIPTS][PROGRAM_SCRIPT_NAME];
  struct suggest s;

  suggest_init(&s, typed);
  for (size_t i = 0; i < test_list_len; i++)
    suggest_offer(&s, test_list[i]->name);
  offer_scripts(&s, p->datadir, names);
  if (suggest_result(&s))
    (void)program_complain("did you mean %s?", suggest_result(&s));
}
