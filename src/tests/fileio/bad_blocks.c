/*
 * bad_blocks.c - what verify has found, and how it tells that.
 */
#include "tests/fileio/bad_blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tests/fileio/files.h"
#include "tests/fileio/layout.h"

void bad_blocks_done(struct bad_blocks *f)
{
  for (size_t i = 0; i < f->n_shown; i++)
    free(f->shown[i].content);
  free(f->shown);
  free(f->origin);
}

uint64_t bad_blocks_count(const struct bad_blocks *f)
{
  uint64_t n = 0;

  for (int v = 0; v < VERDICTS; v++)
    n += verdict_is_bad((enum verdict)v) ? f->count[v] : 0;
  return n;
}

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "cannot allocate the result");
}

static int show(struct bad_blocks *f, const struct found_block *b,
                uint64_t acked, enum verdict verdict, struct err *err)
{
  struct strbuf text = { 0 };
  char *content;

  if (f->n_shown == BAD_BLOCKS_SHOWN)
    return 0;
  if (!f->shown)
    f->shown = calloc(BAD_BLOCKS_SHOWN, sizeof(*f->shown));
  verdict_describe(b, f->folder, &text);
  content = mem_strdup(strbuf_str(&text));
  strbuf_done(&text);
  if (!f->shown || !content) {
    free(content);
    return no_memory(err);
  }
  f->shown[f->n_shown++] = (struct bad_block){
    .verdict = verdict,
    .file = b->file,
    .offset = b->offset,
    .acked = acked,
    .content = content,
  };
  return 0;
}

static int note_origin(struct bad_blocks *f, uint64_t generation,
                       struct err *err)
{
  if (f->n_origins == f->room) {
    const size_t room = f->room > 0 ? 2 * f->room : 64;
    struct ack_origin *more = realloc(f->origin, room * sizeof(*more));

    if (!more)
      return no_memory(err);
    f->origin = more;
    f->room = room;
  }
  f->origin[f->n_origins++] = (struct ack_origin){ .generation = generation };
  return 0;
}

int bad_blocks_add(struct bad_blocks *f, const struct found_block *b,
                   const struct ack_block *log, enum verdict verdict,
                   struct err *err)
{
  int rc;

  f->count[verdict]++;
  if (verdict == VERDICT_UNFINISHED && log->begun == ACK_NOBODY_KNOWS)
    f->n_unexplained++;
  if (!verdict_is_bad(verdict))
    return 0;
  rc = show(f, b, log->acked, verdict, err);
  return rc == 0 && log->acked > 0 ? note_origin(f, log->acked, err) : rc;
}

static int compare(const void *a, const void *b)
{
  const struct ack_origin *x = a, *y = b;

  return (x->generation > y->generation) - (x->generation < y->generation);
}

int bad_blocks_find_origins(struct bad_blocks *f, struct ack_reader *log,
                            struct err *err)
{
  if (f->n_origins > 0)
    qsort(f->origin, f->n_origins, sizeof(*f->origin), compare);
  return ack_find_origins(log, f->origin, f->n_origins, err);
}

static const char *how_it_ends(const struct ack_reader *log,
                               const struct ack_summary *sum)
{
  if (sum->ended)
    return "ended properly";
  return log->header.where & ACK_SENT ? "is unknown" : "was cut off";
}

void bad_blocks_tell_log(const struct ack_reader *log,
                         const struct ack_summary *sum)
{
  const struct ack_header *h = &log->header;
  const time_t start = (time_t)(h->start_ns / NS_PER_S);
  char each[32], block[32], when[32] = "?";
  struct tm utc;

  if (gmtime_r(&start, &utc))
    (void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &utc);
  log_msg(LOG_NOTICE,
          "Log of a run that began at %s and %s after %.3f s\n"
          "%" PRIu64 " files, %sB each, in blocks of %sB\n"
          "Writes of blocks: %" PRIu64 " begun, %" PRIu64 " completed, %" PRIu64
          " acknowledged; %" PRIu64 " fsyncs\n\n",
          when, how_it_ends(log, sum), (double)sum->last_ms / 1000, h->files,
          layout_size_text(h->file_bytes, each, sizeof(each)),
          layout_size_text(h->block, block, sizeof(block)), sum->begun,
          sum->written, sum->acked, sum->syncs);
}

/* Adds what should be in the block. */
static void add_expected(const struct bad_blocks *f,
                         const struct bad_block *one, struct strbuf *out)
{
  const struct ack_origin key = { .generation = one->acked };
  const struct ack_origin *from = NULL;

  if (one->acked == 0) {
    strbuf_adds(out, "; should be: nothing of this kind, because no write of "
                     "this block was acknowledged");
    return;
  }
  if (f->n_origins > 0)
    from = bsearch(&key, f->origin, f->n_origins, sizeof(key), compare);
  strbuf_addf(out, "; should be: generation %" PRIu64, one->acked);
  if (from)
    strbuf_addf(out, " of thread %" PRIu32 ", written at %.3f s", from->writer,
                (double)from->ms / 1000);
  strbuf_adds(out, ", or a later one");
}

static void tell_one(const struct bad_blocks *f, const struct bad_block *one)
{
  char name[FILES_NAME_MAX];
  struct strbuf line = { 0 };

  strbuf_addf(&line, "%s: ", verdict_words[one->verdict]);
  (void)folder_name(f->folder, one->file, name, sizeof(name));
  utf8_add_shown(&line, name, strlen(name), "");
  strbuf_addf(&line, ", offset %" PRIu64 ": %s", one->offset, one->content);
  add_expected(f, one, &line);
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

static void tell_counts(const struct bad_blocks *f, bool open)
{
  static const char *const label[VERDICTS] = {
    [VERDICT_GOOD] = "as acknowledged, or later:",
    [VERDICT_FREE] = "never acknowledged:",
    [VERDICT_UNFINISHED] = "unfinished, which is allowed:",
    [VERDICT_LOST] = "lost:",
    [VERDICT_STALE] = "stale:",
    [VERDICT_TORN] = "torn:",
    [VERDICT_MISDIRECTED] = "misdirected:",
    [VERDICT_DAMAGED] = "damaged:",
  };

  log_msg(LOG_NOTICE, "Blocks:\n");
  for (int v = 0; v < VERDICTS; v++)
    log_msg(LOG_NOTICE, "    %-29s %" PRIu64 "\n", label[v],
            f->count[v] - (v == VERDICT_UNFINISHED ? f->n_unexplained : 0));
  if (open)
    log_msg(LOG_NOTICE, "    %-29s %" PRIu64 "\n",
            "torn, by no write of the log:", f->n_unexplained);
  log_msg(LOG_NOTICE, "\n");
}

/* Tells from when the missing writes are: the end, or all the time? */
static void tell_times(const struct bad_blocks *f,
                       const struct ack_summary *sum)
{
  uint32_t first = UINT32_MAX, last = 0;

  for (size_t i = 0; i < f->n_origins; i++) {
    const uint32_t ms = f->origin[i].ms;

    first = ms < first ? ms : first;
    last = ms > last ? ms : last;
  }
  if (f->n_origins > 0)
    log_msg(LOG_NOTICE,
            "They were written %.3f to %.3f s before the end of the log.\n",
            (double)(sum->last_ms - last) / 1000,
            (double)(sum->last_ms - first) / 1000);
}

static void tell_gaps(const struct ack_summary *sum)
{
  log_msg(LOG_NOTICE,
          "The log is incomplete: %" PRIu64 " record%s missing or damaged, the "
          "first at offset %" PRIu64 ".\n",
          sum->gaps, sum->gaps == 1 ? " is" : "s are", sum->gap_at);
}

void bad_blocks_tell(const struct bad_blocks *f, const struct ack_summary *sum)
{
  const uint64_t bad = bad_blocks_count(f);

  for (size_t i = 0; i < f->n_shown; i++)
    tell_one(f, &f->shown[i]);
  if (bad > f->n_shown)
    log_msg(LOG_NOTICE, "... and %" PRIu64 " more\n", bad - f->n_shown);
  if (bad > 0)
    log_msg(LOG_NOTICE, "\n");
  tell_counts(f, sum->open);
  if (sum->gaps > 0)
    tell_gaps(sum);
  if (bad > 0) {
    log_msg(LOG_NOTICE, "%" PRIu64 " block%s not as acknowledged.\n", bad,
            bad == 1 ? " is" : "s are");
    tell_times(f, sum);
  } else if (f->n_unexplained > 0) {
    log_msg(LOG_NOTICE,
            "%" PRIu64 " block%s torn; only a write that is not in the log "
            "could explain that.\n",
            f->n_unexplained, f->n_unexplained == 1 ? " is" : "s are");
  } else if (sum->acked > 0 && sum->gaps > 0) {
    log_msg(LOG_NOTICE,
            "Nobody can tell what these records have acknowledged; all that "
            "is acknowledged in the log is there.\n");
  } else if (sum->acked > 0 && sum->open) {
    log_msg(
      LOG_NOTICE,
      "Nobody can tell what was acknowledged after %.3f s of the run; all "
      "that was until then is there.\n",
      (double)sum->last_ms / 1000);
  } else if (sum->acked > 0) {
    log_msg(LOG_NOTICE, "Everything that was acknowledged is there.\n");
  } else {
    log_msg(LOG_NOTICE, "Nothing was acknowledged, so nothing can be said.\n");
  }
}
