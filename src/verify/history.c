/*
 * history.c - the kind of histories.
 */
#include <errno.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "verify/history/export.h"
#include "verify/history/judge.h"
#include "verify/verify.h"

_Static_assert((int)VERIFY_LEVELS == (int)LEVELS, "the words of --expect");

static int export(const struct history *h, const char *path,
                  enum export_form form, struct err *err)
{
  FILE *f;
  int rc;

  if (!path[0])
    return 0;
  f = fopen(path, "we");
  if (!f)
    return err_sys(err, "cannot write to '%.400s',", path);
  rc = history_export(h, form, f);
  if (fclose(f) != 0 && rc == 0)
    rc = -errno;
  errno = -rc;
  return rc ? err_sys(err, "cannot write to '%.400s',", path) : 0;
}

static int tell(const struct verify_input *in, const struct history *h,
                struct err *err)
{
  static const int statuses[] = { [HISTORY_FITS] = VERIFY_OK,
                                  [HISTORY_BROKEN] = VERIFY_BAD,
                                  [HISTORY_UNCLEAR] = VERIFY_UNKNOWN };
  const enum level level = (enum level)in->cfg->expect;
  struct strbuf text = { 0 };
  struct judgement j;
  int status = VERIFY_UNKNOWN;

  if (history_judge(&j, h, err) == 0) {
    history_tell(&text, h, &j, level);
    if (text.failed)
      (void)err_set(err, -ENOMEM, "not enough memory for the report");
    else
      (void)fputs(text.text, in->out);
    if (!text.failed)
      status = statuses[judgement_verdict(&j, h, level)];
  }
  strbuf_done(&text);
  judgement_done(&j);
  return status;
}

static int judge(const struct verify_input *in, struct err *err)
{
  struct history h;
  int rc = history_read(&h, in->paths[0], err), status;

  if (rc)
    return rc == -ENOMEM ? VERIFY_UNKNOWN : VERIFY_BAD_INPUT;
  rc = export(&h, in->cfg->export_edn, EXPORT_EDN, err);
  rc = rc ? rc : export(&h, in->cfg->export_json, EXPORT_JSON, err);
  status = rc ? VERIFY_BAD_INPUT : tell(in, &h, err);
  history_done(&h);
  return status;
}

const struct verify_kind verify_lists = {
  .magic = HISTORY_MAGIC "lists",
  .title = "a history of lists",
  .options = { "expect", "export-edn", "export-json" },
  .judge = judge,
};

const struct verify_kind verify_registers = {
  .magic = HISTORY_MAGIC "registers",
  .title = "a history of registers",
  .options = { "expect", "export-edn", "export-json" },
  .judge = judge,
};
