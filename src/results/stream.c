/*
 * stream.c - a JSON object per interval and line.
 */
#include "results/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"

static int stream_on_interval(void *ctx, const struct report_setup *setup,
                              const struct report *r, struct err *err)
{
  struct stream *s = ctx;
  json_t *value = json_interval(r, setup, s->shared, false);
  char *text = value ? jobj_line(value) : NULL;
  struct strbuf line = { 0 };
  int rc;

  if (text) {
    strbuf_adds(&line, text);
    strbuf_adds(&line, "\n");
  }
  if (!text || line.failed)
    rc = results_no_memory(err);
  else
    rc = outfile_put(&s->file, line.text, line.len, err);
  strbuf_done(&line);
  free(text);
  json_decref(value);
  return rc;
}

static int stream_on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct stream *)ctx)->file, err);
}

const struct reporter stream_reporter = {
  .name = "stream",
  .interval = stream_on_interval,
  .end = stream_on_end,
};
