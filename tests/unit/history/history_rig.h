/*
 * history_rig.h - judges a history that a test has written.
 */
#ifndef TESTS_UNIT_HISTORY_RIG_H
#define TESTS_UNIT_HISTORY_RIG_H

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "verify/history/judge.h"

static inline void rig_read(struct history *h, const char *text)
{
  struct err err = { 0 };
  char *copy = mem_strdup(text);

  MUST(copy);
  if (history_parse(h, copy, strlen(text), "h.log", &err) != 0) {
    printf("# %s\n", err.text);
    MUST(!"a history that can be read");
  }
}

/* The names of what is found, with blanks between; valid until the next call.
 */
static inline const char *rig_found(const char *text)
{
  static char names[256];
  struct history h;
  struct judgement j;
  struct err err = { 0 };

  rig_read(&h, text);
  MUST(history_judge(&j, &h, &err) == 0);
  names[0] = '\0';
  for (unsigned a = 0; a < ANOMALIES; a++) {
    if (j.findings[a].n == 0)
      continue;
    if (names[0])
      strcat(names, " ");
    strcat(names, anomaly_name((enum anomaly)a));
  }
  judgement_done(&j);
  history_done(&h);
  return names;
}

/* The verdict on each level, from the weakest: + holds, - broken, ? unclear. */
static inline const char *rig_levels(const char *text)
{
  static char signs[LEVELS + 1];
  struct history h;
  struct judgement j;
  struct err err = { 0 };

  rig_read(&h, text);
  MUST(history_judge(&j, &h, &err) == 0);
  for (unsigned l = 0; l < LEVELS; l++)
    signs[l] = "+-?"[judgement_verdict(&j, &h, (enum level)l)];
  signs[LEVELS] = '\0';
  judgement_done(&j);
  history_done(&h);
  return signs;
}

#endif
