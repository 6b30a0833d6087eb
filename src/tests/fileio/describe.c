/*
 * describe.c - the header lines of a run of the fileio test.
 */
#include <inttypes.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "run/plan.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/fileio.h"

static void describe_requests(const struct fileio *fio, struct strbuf *out)
{
  const struct fileio_cfg *cfg = fio->cfg;
  char size[32];

  if (cfg->merged > 0)
    strbuf_addf(
      out, "Merging requests up to %sB for sequential IO.\n",
      layout_size_text(fio->layout.block * cfg->merged, size, sizeof(size)));
  if (file_mode_random(cfg->mode)) {
    const uint64_t events = fio->plan->events == PLAN_NO_LIMIT
                              ? 0
                              : fio->plan->events;

    strbuf_addf(out, "Number of IO requests: %" PRIu64 "\n", events);
    strbuf_addf(out, "Read/Write ratio for combined random IO test: %2.2f\n",
                cfg->rw_ratio);
  }
}

static void describe_sync(const struct fileio_cfg *cfg, struct strbuf *out)
{
  if (cfg->mode == FILE_MODE_MIXED)
    return;
  if (cfg->mode == FILE_MODE_WAL) {
    strbuf_adds(out, "Each event is durable when it ends (group commit).\n");
    return;
  }
  if (cfg->fsync_all) {
    strbuf_adds(out, "Calling fsync() after each write operation.\n");
    return;
  }
  if (cfg->fsync_freq > 0)
    strbuf_addf(out,
                "Periodic FSYNC enabled, calling fsync() each %" PRIu64
                " requests.\n",
                cfg->fsync_freq);
  if (cfg->fsync_end)
    strbuf_adds(out, "Calling fsync() at the end of test, Enabled.\n");
}

void fileio_describe(void *run)
{
  static const char *const mode[] = {
    "sequential write (creation)",
    "sequential rewrite",
    "sequential read",
    "random read",
    "random write",
    "random r/w",
    "write-ahead log",
    "mixed (log, checkpointer, random read)",
  };
  const struct fileio *fio = run;
  const struct layout *l = &fio->layout;
  struct strbuf out = { 0 };
  char size[32];

  strbuf_addf(&out, "Extra file open flags: %s\n",
              fileio_flags_text(fio->flags));
  strbuf_addf(&out, "%" PRIu64 " files, %sB each\n", l->files,
              layout_size_text(l->file_bytes, size, sizeof(size)));
  strbuf_addf(&out, "%sB total file size\n",
              layout_size_text(l->file_bytes * l->files, size, sizeof(size)));
  blocks_describe(&l->blocks, &out);
  strbuf_adds(&out, "\n");
  describe_requests(fio, &out);
  describe_sync(fio->cfg, &out);
  strbuf_addf(&out, "Using %s I/O mode\n", fio->engine->title);
  if (fio->plan->cfg.validate)
    strbuf_adds(&out, "Using checksums validation.\n");
  strbuf_addf(&out, "Doing %s test\n", mode[fio->cfg->mode]);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&out));
  strbuf_done(&out);
}
