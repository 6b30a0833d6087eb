/*
 * fuzz_history.c - a history is a file of somebody.  Whatever it has, it is
 * judged or refused with a message, and what the verdict is does not depend on
 * the level that is told.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/fuzz/fuzz.h"
#include "verify/history/judge.h"

static void judge(const struct history *h)
{
  struct judgement j;
  struct err err = { 0 };
  bool is_broken = false;

  MUST(history_judge(&j, h, &err) == 0);
  MUST(j.ok + j.failed + j.unknown == h->n_trxs);
  for (unsigned l = 0; l < LEVELS; l++) {
    struct strbuf text = { 0 };

    history_tell(&text, h, &j, (enum level)l);
    MUST(!text.failed && strstr(text.text, "\nVerdict: "));
    strbuf_done(&text);
  }
  /* What breaks read-committed breaks all. */
  is_broken = judgement_verdict(&j, h, LEVEL_READ_COMMITTED) == HISTORY_BROKEN;
  for (unsigned l = 0; is_broken && l < LEVELS; l++)
    MUST(judgement_verdict(&j, h, (enum level)l) == HISTORY_BROKEN);
  for (unsigned a = 0; a < ANOMALIES; a++)
    MUST(!j.findings[a].steps || j.findings[a].n_steps > 1);
  judgement_done(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct history h;
  struct err err = { 0 };
  char *text = malloc(size + 1);

  MUST(text);
  if (size > 0)
    memcpy(text, data, size);
  if (history_parse(&h, text, size, "h.log", &err) != 0) {
    MUST(err.text[0] != '\0');
    return 0;
  }
  judge(&h);
  history_done(&h);
  return 0;
}
