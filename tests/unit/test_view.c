/*
 * test_view.c - what reports show of documents that were made by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tap.h"
#include "tools/view.h"
#include "tools/view_charts.h"

enum {
  FILES_MAX = 3
};

/* Files with results, and the view of them. */
struct rig {
  char folder[32];
  char path[FILES_MAX][64];
  const char *paths[FILES_MAX];
  struct err err;
  struct view v;
};

/* NULL ends the texts.  The files are gone once they are read. */
static int show(struct rig *r, const char *const *texts)
{
  size_t n = 0;
  int rc;

  *r = (struct rig){ .folder = "/tmp/bench-view-XXXXXX" };
  if (!mkdtemp(r->folder))
    return -1;
  for (; texts[n]; n++) {
    FILE *f;

    (void)snprintf(r->path[n], sizeof(r->path[n]), "%s/%zu.json", r->folder, n);
    r->paths[n] = r->path[n];
    f = fopen(r->path[n], "w");
    if (!f || fputs(texts[n], f) < 0 || fclose(f) != 0)
      return -1;
  }
  rc = view_init(&r->v, r->paths, n, &r->err);
  if (rc < 0)
    printf("# %s\n", r->err.text);
  while (n-- > 0)
    (void)unlink(r->path[n]);
  (void)rmdir(r->folder);
  return rc;
}

/* Steps with the values that are told, all about as fast. */
static void sweep(struct strbuf *out, const char *const *values)
{
  strbuf_adds(out, "{\"schema\": \"bench-sweep/1\", \"steps\": [");
  for (size_t i = 0; values[i]; i++)
    strbuf_addf(out,
                "%s{\"values\": {%s}, \"exit_status\": 0, \"result\": {"
                "\"run\": {\"test\": \"cpu\"}, \"totals\": {\"events\": 10, "
                "\"events_per_s\": %zu}}}",
                i > 0 ? "," : "", values[i], 100 - i);
  strbuf_adds(out, "]}");
}

static void test_uneven_sweeps(void)
{
  static const char *const of[][4] = {
    { "\"threads\": \"1\", \"x\": \"2\"", "\"threads\": \"2\"", NULL },
    { "\"threads\": \"2\"", "\"x\": \"2\", \"threads\": \"1\"", NULL },
    { "\"threads\": \"1\", \"x\": 7", "\"y\": \"8\"", NULL },
    { "\"x\": \"2\", \"threads\": \"1\"", "\"threads\": \"2\", \"x\": \"1\"",
      "\"x\": \"1\", \"threads\": \"3\"", NULL },
  };

  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    struct strbuf text = { 0 }, out = { 0 };
    struct rig r;

    sweep(&text, of[i]);
    OK(show(&r, (const char *const[]){ strbuf_str(&text), NULL }) == 0,
       "a sweep whose steps do not have the same values, or not in one order");
    charts_sweep(&r.v, &out);
    OK(strstr(strbuf_str(&out), "Throughput by value"), "is drawn");
    OK(strstr(strbuf_str(&out), "knee"), "with its knee");
    if (i == 3)
      OK(strstr(strbuf_str(&out), "best and knee") == NULL,
         "which is looked for by names");
    strbuf_done(&out);
    view_done(&r.v);
    strbuf_done(&text);
  }
}

int main(void)
{
  test_uneven_sweeps();
  return TAP_EXIT();
}
