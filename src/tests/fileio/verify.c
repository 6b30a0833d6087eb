#include "tests/fileio/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "ack/link.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/files.h"
#include "tests/fileio/layout.h"

enum {
  BAD_BLOCKS_SHOWN = 1000,
};

struct bad_block {
  enum verdict verdict;
  uint32_t file;
  uint64_t offset;
  uint64_t acked; /* 0: none */
  char *content;  /* owned */
};

/* Zeroed but for `folder`. */
struct bad_blocks {
  const struct folder *folder; /* borrowed */
  uint64_t count[VERDICTS];
  uint64_t n_unexplained;  /* unfinished, without a write in the log */
  struct bad_block *shown; /* owned */
  size_t n_shown;
  struct sync_log_origin *origin; /* owned; acknowledged */
  size_t n_origins, room;
};

#define MAX_BLOCKS (UINT64_C(1) << 48)

static int verify_refuse(const struct sync_log_reader *r, const char *why,
                         struct err *err)
{
  return err_set(err, -EINVAL, "Cannot use '%s': %s", r->path, why);
}

static int verify_check_header(struct sync_log_reader *r, struct err *err)
{
  const struct sync_log_header *h = &r->header;
  const bool whole = fread(&r->header, sizeof(r->header), 1, r->file) == 1;
  uint64_t per_file;

  if (ferror(r->file))
    return err_sys(err, "Cannot read file '%s'", r->path);
  if (!whole || memcmp(h->magic, SYNC_LOG_MAGIC, sizeof(h->magic)) != 0)
    return verify_refuse(r, "it is not a log of --file-ack-log", err);
  if (h->check != sync_log_header_check(h) || h->block == 0 || h->files == 0 ||
      h->file_bytes == 0)
    return verify_refuse(r, "the beginning of the log is damaged", err);
  per_file = sync_log_blocks_per_file(h);
  if (per_file > MAX_BLOCKS / h->files)
    return verify_refuse(r, "the beginning of the log is damaged", err);
  r->blocks = per_file * h->files;
  return 0;
}

static int sync_log_reader_rewind(struct sync_log_reader *r, struct err *err)
{
  r->next = r->missing = r->damaged = r->gap = 0;
  if (fseeko(r->file, (off_t)SYNC_LOG_HEADER_BYTES, SEEK_SET) < 0)
    return err_sys(err, "Cannot read file '%s'", r->path);
  return 0;
}

int sync_log_reader_open(struct sync_log_reader *r, const char *path,
                         struct err *err)
{
  int rc;

  *r = (struct sync_log_reader){ .path = path };
  r->file = fopen(path, "re");
  if (!r->file)
    return err_sys(err, "Cannot open file '%s'", path);
  rc = verify_check_header(r, err);
  if (rc == 0)
    rc = sync_log_reader_rewind(r, err);
  if (rc < 0)
    sync_log_reader_close(r);
  return rc;
}

void sync_log_reader_close(struct sync_log_reader *r)
{
  if (r->file)
    (void)fclose(r->file);
  r->file = NULL;
}

/* About existing blocks or files? */
static bool verify_is_good(const struct sync_log_reader *r,
                           const struct sync_log_record *rec, uint64_t index)
{
  if (rec->check != sync_log_check(rec, r->header.run, index))
    return false;
  switch (rec->kind) {
  case SYNC_LOG_BEGUN:
  case SYNC_LOG_WRITTEN:
  case SYNC_LOG_DURABLE:
    return rec->block < r->blocks && rec->n > 0 &&
           rec->n <= r->blocks - rec->block;
  case SYNC_LOG_SYNCED:
  case SYNC_LOG_SYNC_FAILED:
    return rec->block < r->header.files;
  default:
    return rec->kind == SYNC_LOG_END;
  }
}

/* False: the end, or a failure. */
static bool sync_log_reader_next(struct sync_log_reader *r,
                                 struct sync_log_record *ret)
{
  uint64_t missing = 0;

  while (fread(ret, sizeof(*ret), 1, r->file) == 1) {
    r->index = r->next++;
    if (verify_is_good(r, ret, r->index)) {
      r->missing += missing;
      return true;
    }
    if (r->missing + missing + r->damaged == 0)
      r->gap = r->index;
    missing++;
    r->damaged += atomic_load_explicit(&ret->check, memory_order_relaxed) != 0;
  }
  return false;
}

static int sync_log_reader_check_end(const struct sync_log_reader *r,
                                     struct err *err)
{
  return ferror(r->file) ? err_sys(err, "Cannot read file '%s'", r->path) : 0;
}

/* Of a file: see enum sync_log_kind. */
struct sync {
  uint64_t before; /* earlier records are acknowledged */
  bool failed;
};

static int verify_collect_syncs(struct sync_log_reader *r, struct sync *sync,
                                struct sync_log_summary *sum, struct err *err)
{
  struct sync_log_record rec;

  while (sync_log_reader_next(r, &rec)) {
    sum->last_ms = rec.ms > sum->last_ms ? rec.ms : sum->last_ms;
    if (rec.kind == SYNC_LOG_SYNC_FAILED) {
      sync[rec.block].failed = true;
    } else if (rec.kind == SYNC_LOG_SYNCED && !sync[rec.block].failed) {
      sum->syncs++;
      sync[rec.block].before = max_u64(sync[rec.block].before, rec.generation);
    } else if (rec.kind == SYNC_LOG_END) {
      sum->ended = true;
    }
  }
  /* Killed processes leave zeros behind, proper ends do not. */
  sum->gaps = sum->ended || (r->header.where & SYNC_LOG_SENT) ? r->missing : 0;
  sum->gaps = max_u64(sum->gaps, r->damaged);
  sum->gap_at = SYNC_LOG_HEADER_BYTES + r->gap * sizeof(rec);
  sum->open = sum->gaps > 0 ||
              (!sum->ended && (r->header.where & SYNC_LOG_SENT));
  return sync_log_reader_check_end(r, err);
}

static void verify_raise_to(struct sync_log_block *block,
                            const struct sync_log_record *rec, bool acked)
{
  for (uint32_t i = 0; i < rec->n; i++) {
    struct sync_log_block *b = &block[rec->block + i];

    if (acked)
      b->acked = max_u64(b->acked, rec->generation + i);
    b->begun = max_u64(b->begun, rec->generation + i);
  }
}

static int verify_collect_blocks(struct sync_log_reader *r,
                                 const struct sync *sync,
                                 struct sync_log_block *block,
                                 struct sync_log_summary *sum, struct err *err)
{
  const uint64_t per_file = sync_log_blocks_per_file(&r->header);
  struct sync_log_record rec;

  while (sync_log_reader_next(r, &rec)) {
    bool acked = rec.kind == SYNC_LOG_DURABLE;

    if (rec.kind > SYNC_LOG_DURABLE)
      continue;
    if (rec.kind == SYNC_LOG_WRITTEN)
      acked = r->index < sync[rec.block / per_file].before;
    verify_raise_to(block, &rec, acked);
    if (rec.kind == SYNC_LOG_BEGUN)
      sum->begun += rec.n;
    else
      sum->written += rec.n;
    sum->acked += acked ? rec.n : 0;
  }
  for (uint64_t i = 0; sum->open && i < r->blocks; i++) {
    if (block[i].begun == block[i].acked || !(r->header.where & SYNC_LOG_SENT))
      block[i].begun = SYNC_LOG_NOBODY_KNOWS;
  }
  return sync_log_reader_check_end(r, err);
}

int sync_log_reader_collect(struct sync_log_reader *r,
                            struct sync_log_block **ret,
                            struct sync_log_summary *ret_sum, struct err *err)
{
  struct sync_log_summary sum = { 0 };
  struct sync *sync = calloc(r->header.files, sizeof(*sync));
  struct sync_log_block *block = calloc(r->blocks, sizeof(*block));
  int rc = 0;

  if (!sync || !block)
    rc = err_set(err, -ENOMEM,
                 "cannot allocate what the log says about %" PRIu64 " blocks",
                 r->blocks);
  if (rc == 0)
    rc = verify_collect_syncs(r, sync, &sum, err);
  if (rc == 0)
    rc = sync_log_reader_rewind(r, err);
  if (rc == 0)
    rc = verify_collect_blocks(r, sync, block, &sum, err);
  free(sync);
  if (rc < 0) {
    free(block);
    return rc;
  }
  *ret = block;
  *ret_sum = sum;
  return 0;
}

static size_t verify_first_from(const struct sync_log_origin *origin, size_t n,
                                uint64_t generation)
{
  size_t low = 0, high = n;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (origin[middle].generation < generation)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int sync_log_reader_find_origins(struct sync_log_reader *r,
                                 struct sync_log_origin *origin, size_t n,
                                 struct err *err)
{
  struct sync_log_record rec;
  int rc = n > 0 ? sync_log_reader_rewind(r, err) : 0;

  if (rc < 0 || n == 0)
    return rc;
  while (sync_log_reader_next(r, &rec)) {
    if (rec.kind != SYNC_LOG_WRITTEN && rec.kind != SYNC_LOG_DURABLE)
      continue;
    for (size_t i = verify_first_from(origin, n, rec.generation);
         i < n && origin[i].generation < rec.generation + rec.n; i++) {
      origin[i].writer = rec.writer;
      origin[i].ms = rec.ms;
    }
  }
  return sync_log_reader_check_end(r, err);
}

/* ---- the verdict on a block ---- */

static const char *const verdict_words[VERDICTS] = {
  [VERDICT_GOOD] = "as acknowledged",
  [VERDICT_FREE] = "not acknowledged",
  [VERDICT_UNFINISHED] = "unfinished",
  [VERDICT_LOST] = "lost",
  [VERDICT_STALE] = "stale",
  [VERDICT_TORN] = "torn",
  [VERDICT_MISDIRECTED] = "misdirected",
  [VERDICT_DAMAGED] = "damaged",
};

static bool verdict_same_stamp(const struct stamp *a, const struct stamp *b)
{
  return a->run == b->run && a->generation == b->generation &&
         a->offset == b->offset && a->file == b->file && a->writer == b->writer;
}

static void verdict_add(struct found_block *b, const struct piece *p)
{
  struct piece *last = b->n > 0 && b->n <= PIECES_MAX ? &b->piece[b->n - 1]
                                                      : NULL;

  b->kinds |= 1u << p->kind;
  if (p->kind == PIECE_HERE && p->stamp.generation < b->oldest)
    b->oldest = p->stamp.generation;
  if (last && last->kind == p->kind &&
      verdict_same_stamp(&last->stamp, &p->stamp))
    last->to = p->to;
  else if (b->n++ < PIECES_MAX)
    b->piece[b->n - 1] = *p;
}

static enum piece_kind verdict_kind_of(const struct found_block *b,
                                       uint64_t run, enum stamp_kind kind,
                                       const struct stamp *s)
{
  if (kind == STAMP_ZEROS)
    return PIECE_ZEROS;
  if (kind == STAMP_FOREIGN)
    return PIECE_FOREIGN;
  if (kind == STAMP_BROKEN)
    return PIECE_BROKEN;
  if (s->run != run)
    return PIECE_OTHER_RUN;
  return s->file == b->file && s->offset == b->offset ? PIECE_HERE
                                                      : PIECE_ELSEWHERE;
}

void verdict_look(struct found_block *b, uint64_t run, const void *data,
                  uint64_t got, int why)
{
  const uint64_t parts = stamp_parts(b->bytes);

  b->n = 0;
  b->kinds = 0;
  b->oldest = UINT64_MAX;
  for (uint64_t i = 0; i < parts; i++) {
    const uint64_t at = i * STAMP_PART, n = stamp_part_bytes(b->bytes, i);
    struct piece p = { .kind = why ? PIECE_UNREADABLE : PIECE_MISSING,
                       .from = at,
                       .to = at + n };

    if (!why && at + n <= got) {
      const enum stamp_kind kind = stamp_look((const char *)data + at, n,
                                              &p.stamp);

      p.stamp.offset -= at;
      p.kind = verdict_kind_of(b, run, kind, &p.stamp);
      if (p.kind == PIECE_ZEROS || p.kind == PIECE_FOREIGN)
        p.stamp = (struct stamp){ 0 };
    }
    verdict_add(b, &p);
  }
}

static bool verdict_has(const struct found_block *b, enum piece_kind kind)
{
  return b->kinds & 1u << kind;
}

static enum verdict verdict_judge_whole(const struct piece *p,
                                        const struct sync_log_block *log)
{
  switch (p->kind) {
  case PIECE_HERE:
    return p->stamp.generation >= log->acked ? VERDICT_GOOD : VERDICT_STALE;
  case PIECE_OTHER_RUN:
    return VERDICT_STALE;
  case PIECE_BROKEN:
    return log->begun > log->acked ? VERDICT_UNFINISHED : VERDICT_TORN;
  case PIECE_FOREIGN:
    return VERDICT_DAMAGED;
  default:
    return VERDICT_LOST;
  }
}

/* Crashes interrupt writes anywhere: pieces can be of the acknowledged write
 * and of later ones. */
enum verdict verdict_judge(const struct found_block *b,
                           const struct sync_log_block *log)
{
  if (verdict_has(b, PIECE_ELSEWHERE))
    return VERDICT_MISDIRECTED;
  if (log->acked == 0 || b->n == 0)
    return VERDICT_FREE;
  if (b->n == 1)
    return verdict_judge_whole(&b->piece[0], log);
  if (verdict_has(b, PIECE_MISSING) || verdict_has(b, PIECE_UNREADABLE))
    return VERDICT_LOST;
  if (verdict_has(b, PIECE_FOREIGN))
    return VERDICT_DAMAGED;
  if (verdict_has(b, PIECE_ZEROS) || verdict_has(b, PIECE_OTHER_RUN) ||
      (verdict_has(b, PIECE_HERE) && b->oldest < log->acked) ||
      (verdict_has(b, PIECE_BROKEN) && log->begun == log->acked))
    return VERDICT_TORN;
  return VERDICT_UNFINISHED;
}

static void verdict_add_content(const struct piece *p,
                                const struct folder *folder, struct strbuf *out)
{
  char name[FILES_NAME_MAX];

  switch (p->kind) {
  case PIECE_HERE:
    strbuf_addf(out, "generation %" PRIu64 " of thread %" PRIu32,
                p->stamp.generation, p->stamp.writer);
    break;
  case PIECE_ELSEWHERE:
    strbuf_addf(
      out,
      "generation %" PRIu64 " of thread %" PRIu32 " for %s, offset %" PRIu64,
      p->stamp.generation, p->stamp.writer,
      folder_name(folder, p->stamp.file, name, sizeof(name)), p->stamp.offset);
    break;
  case PIECE_OTHER_RUN:
    strbuf_addf(out, "data of another run (%016" PRIx64 ")", p->stamp.run);
    break;
  case PIECE_BROKEN:
    strbuf_addf(out,
                "data with a wrong checksum that begin as generation %" PRIu64
                " does",
                p->stamp.generation);
    break;
  case PIECE_ZEROS:
    strbuf_adds(out, "zeros");
    break;
  case PIECE_FOREIGN:
    strbuf_adds(out, "data that no run has written");
    break;
  case PIECE_MISSING:
    strbuf_adds(out, "missing, because the file is too short or not there");
    break;
  case PIECE_UNREADABLE:
    strbuf_adds(out, "unreadable, because the disk reports an error");
    break;
  }
}

void verdict_describe(const struct found_block *b, const struct folder *folder,
                      struct strbuf *out)
{
  for (unsigned i = 0; i < b->n && i < PIECES_MAX; i++) {
    if (b->n > 1)
      strbuf_addf(out, "%sbytes %" PRIu64 " to %" PRIu64 " ", i > 0 ? ", " : "",
                  b->piece[i].from, b->piece[i].to - 1);
    verdict_add_content(&b->piece[i], folder, out);
  }
  if (b->n > PIECES_MAX)
    strbuf_addf(out, " and %u more pieces", b->n - PIECES_MAX);
}

/* ---- the report ---- */

static void bad_blocks_done(struct bad_blocks *f)
{
  for (size_t i = 0; i < f->n_shown; i++)
    free(f->shown[i].content);
  free(f->shown);
  free(f->origin);
}

static uint64_t bad_blocks_count(const struct bad_blocks *f)
{
  uint64_t n = 0;

  for (int v = 0; v < VERDICTS; v++)
    n += verdict_is_bad((enum verdict)v) ? f->count[v] : 0;
  return n;
}

static int bad_blocks_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "cannot allocate the result");
}

static int bad_blocks_show(struct bad_blocks *f, const struct found_block *b,
                           uint64_t acked, enum verdict verdict,
                           struct err *err)
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
    return bad_blocks_no_memory(err);
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

static int bad_blocks_note_origin(struct bad_blocks *f, uint64_t generation,
                                  struct err *err)
{
  if (f->n_origins == f->room) {
    const size_t room = f->room > 0 ? 2 * f->room : 64;
    struct sync_log_origin *more = realloc(f->origin, room * sizeof(*more));

    if (!more)
      return bad_blocks_no_memory(err);
    f->origin = more;
    f->room = room;
  }
  f->origin[f->n_origins++] = (struct sync_log_origin){
    .generation = generation
  };
  return 0;
}

static int bad_blocks_add(struct bad_blocks *f, const struct found_block *b,
                          const struct sync_log_block *log,
                          enum verdict verdict, struct err *err)
{
  int rc;

  f->count[verdict]++;
  if (verdict == VERDICT_UNFINISHED && log->begun == SYNC_LOG_NOBODY_KNOWS)
    f->n_unexplained++;
  if (!verdict_is_bad(verdict))
    return 0;
  rc = bad_blocks_show(f, b, log->acked, verdict, err);
  return rc == 0 && log->acked > 0 ? bad_blocks_note_origin(f, log->acked, err)
                                   : rc;
}

static int bad_blocks_compare(const void *a, const void *b)
{
  const struct sync_log_origin *x = a, *y = b;

  return (x->generation > y->generation) - (x->generation < y->generation);
}

/* Finds the writers and times of missing writes. */
static int bad_blocks_find_origins(struct bad_blocks *f,
                                   struct sync_log_reader *log, struct err *err)
{
  if (f->n_origins > 0)
    qsort(f->origin, f->n_origins, sizeof(*f->origin), bad_blocks_compare);
  return sync_log_reader_find_origins(log, f->origin, f->n_origins, err);
}

static const char *bad_blocks_how_it_ends(const struct sync_log_reader *log,
                                          const struct sync_log_summary *sum)
{
  if (sum->ended)
    return "ended properly";
  return log->header.where & SYNC_LOG_SENT ? "is unknown" : "was cut off";
}

static void bad_blocks_tell_log(const struct sync_log_reader *log,
                                const struct sync_log_summary *sum)
{
  const struct sync_log_header *h = &log->header;
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
          when, bad_blocks_how_it_ends(log, sum), (double)sum->last_ms / 1000,
          h->files, layout_size_text(h->file_bytes, each, sizeof(each)),
          layout_size_text(h->block, block, sizeof(block)), sum->begun,
          sum->written, sum->acked, sum->syncs);
}

static void bad_blocks_add_expected(const struct bad_blocks *f,
                                    const struct bad_block *one,
                                    struct strbuf *out)
{
  const struct sync_log_origin key = { .generation = one->acked };
  const struct sync_log_origin *from = NULL;

  if (one->acked == 0) {
    strbuf_adds(out, "; should be: nothing of this kind, because no write of "
                     "this block was acknowledged");
    return;
  }
  if (f->n_origins > 0)
    from = bsearch(&key, f->origin, f->n_origins, sizeof(key),
                   bad_blocks_compare);
  strbuf_addf(out, "; should be: generation %" PRIu64, one->acked);
  if (from)
    strbuf_addf(out, " of thread %" PRIu32 ", written at %.3f s", from->writer,
                (double)from->ms / 1000);
  strbuf_adds(out, ", or a later one");
}

static void bad_blocks_tell_one(const struct bad_blocks *f,
                                const struct bad_block *one)
{
  char name[FILES_NAME_MAX];
  struct strbuf line = { 0 };

  strbuf_addf(&line, "%s: ", verdict_words[one->verdict]);
  (void)folder_name(f->folder, one->file, name, sizeof(name));
  utf8_add_shown(&line, name, strlen(name), "");
  strbuf_addf(&line, ", offset %" PRIu64 ": %s", one->offset, one->content);
  bad_blocks_add_expected(f, one, &line);
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

static void bad_blocks_tell_counts(const struct bad_blocks *f, bool open)
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

static void bad_blocks_tell_times(const struct bad_blocks *f,
                                  const struct sync_log_summary *sum)
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

static void bad_blocks_tell_gaps(const struct sync_log_summary *sum)
{
  log_msg(LOG_NOTICE,
          "The log is incomplete: %" PRIu64 " record%s missing or damaged, the "
          "first at offset %" PRIu64 ".\n",
          sum->gaps, sum->gaps == 1 ? " is" : "s are", sum->gap_at);
}

static void bad_blocks_tell(const struct bad_blocks *f,
                            const struct sync_log_summary *sum)
{
  const uint64_t bad = bad_blocks_count(f);

  for (size_t i = 0; i < f->n_shown; i++)
    bad_blocks_tell_one(f, &f->shown[i]);
  if (bad > f->n_shown)
    log_msg(LOG_NOTICE, "... and %" PRIu64 " more\n", bad - f->n_shown);
  if (bad > 0)
    log_msg(LOG_NOTICE, "\n");
  bad_blocks_tell_counts(f, sum->open);
  if (sum->gaps > 0)
    bad_blocks_tell_gaps(sum);
  if (bad > 0) {
    log_msg(LOG_NOTICE, "%" PRIu64 " block%s not as acknowledged.\n", bad,
            bad == 1 ? " is" : "s are");
    bad_blocks_tell_times(f, sum);
  } else if (f->n_unexplained > 0) {
    log_msg(LOG_NOTICE,
            "%" PRIu64 " block%s torn; only a write that is not in the log "
            "could explain that.\n",
            f->n_unexplained, f->n_unexplained == 1 ? " is" : "s are");
  } else if (sum->acked > 0 && sum->gaps > 0) {
    log_msg(LOG_NOTICE,
            "Cannot tell what the missing records acknowledge; everything that "
            "the log has as acknowledged is there.\n");
  } else if (sum->acked > 0 && sum->open) {
    log_msg(LOG_NOTICE,
            "Cannot tell what was acknowledged after %.3f s of the run; "
            "everything acknowledged until then is there.\n",
            (double)sum->last_ms / 1000);
  } else if (sum->acked > 0) {
    log_msg(LOG_NOTICE, "Everything that was acknowledged is there.\n");
  } else {
    log_msg(LOG_NOTICE, "Cannot tell: nothing was acknowledged.\n");
  }
}

/* ---- the command ---- */

#define PIECE_BYTES (UINT64_C(1) << 20) /* per read: whole blocks */

enum {
  VERIFY_GOOD = 0,
  VERIFY_BAD = 1,
  VERIFY_CANNOT_TELL = 3,
};

struct verify {
  const struct fileio_cfg *cfg;
  struct folder folder;
  struct sync_log_reader log;
  struct sync_log_summary sum;
  struct sync_log_block *block;
  uint64_t per_file;
  uint64_t files; /* that exist */
  uint64_t chunk;
  char *buf; /* owned */
  struct bad_blocks bad;
};

static int verify_open_folder(struct verify *v, struct err *err)
{
  const struct sync_log_header *h = &v->log.header;
  const bool device = *v->cfg->device != '\0';
  int rc;

  if (device != ((h->where & SYNC_LOG_ON_DEVICE) != 0))
    return err_set(err, -EINVAL,
                   "'%s' is the log of a run with%s --file-device",
                   v->cfg->ack_log, h->where & SYNC_LOG_ON_DEVICE ? "" : "out");
  rc = files_device_or_folder(&v->folder, v->cfg, false, err);
  v->folder.read_only = true;
  if (rc == 0 && device && v->folder.device_bytes < h->file_bytes)
    rc = err_set(err, -EINVAL,
                 "%s has %" PRIu64 " bytes, and the run has used %" PRIu64,
                 v->cfg->device, v->folder.device_bytes, h->file_bytes);
  return rc;
}

/* Fewer at the end of the file. < 0: an error of the disk. */
static int64_t verify_read_fully(int fd, char *buf, uint64_t n, uint64_t offset)
{
  uint64_t got = 0;

  while (got < n) {
    const ssize_t one = pread(fd, buf + got, n - got, (off_t)(offset + got));

    if (one < 0 && errno == EINTR)
      continue;
    if (one < 0)
      return -errno;
    if (one == 0)
      break;
    got += (uint64_t)one;
  }
  return (int64_t)got;
}

static int verify_judge(struct verify *v, uint32_t file, uint64_t index,
                        const char *data, uint64_t got, int why,
                        struct err *err)
{
  const struct sync_log_header *h = &v->log.header;
  const struct sync_log_block *log = &v->block[file * v->per_file + index];
  struct found_block b = { .offset = index * h->block, .file = file };
  const uint64_t left = h->file_bytes - b.offset;

  b.bytes = left < h->block ? left : h->block;
  verdict_look(&b, h->run, data, got < b.bytes ? got : b.bytes, why);
  return bad_blocks_add(&v->bad, &b, log, verdict_judge(&b, log), err);
}

/* fd < 0: no file. */
static int verify_judge_blocks(struct verify *v, uint32_t file, int fd,
                               uint64_t first, uint64_t n, struct err *err)
{
  const uint64_t block = v->log.header.block;
  int64_t got = 0;
  int rc = 0;

  if (fd >= 0)
    got = verify_read_fully(fd, v->buf, n * block, first * block);
  if (got < 0 && n > 1) {
    for (uint64_t i = 0; i < n && rc == 0; i++)
      rc = verify_judge_blocks(v, file, fd, first + i, 1, err);
    return rc;
  }
  for (uint64_t i = 0; i < n && rc == 0; i++) {
    const uint64_t at = i * block;
    const uint64_t there = got > 0 && (uint64_t)got > at ? (uint64_t)got - at
                                                         : 0;

    rc = verify_judge(v, file, first + i, v->buf + at, there,
                      got < 0 ? (int)-got : 0, err);
  }
  return rc;
}

static int verify_judge_file(struct verify *v, uint32_t file, struct err *err)
{
  int fd = -1;
  int rc = folder_open_file(&v->folder, file, 0, false, &fd, NULL, err);

  if (rc < 0 && rc != -ENOENT)
    return rc;
  rc = 0;
  if (fd >= 0) {
    v->files++;
    /* Reads should come from the disk. */
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  }
  for (uint64_t i = 0; i < v->per_file && rc == 0; i += v->chunk) {
    const uint64_t left = v->per_file - i;

    rc = verify_judge_blocks(v, file, fd, i, left < v->chunk ? left : v->chunk,
                             err);
  }
  if (fd >= 0)
    (void)close(fd);
  return rc;
}

static int verify_judge_all(struct verify *v, struct err *err)
{
  const struct sync_log_header *h = &v->log.header;
  int rc = 0;
  v->bad.folder = &v->folder;
  v->per_file = sync_log_blocks_per_file(h);
  v->chunk = h->block < PIECE_BYTES ? PIECE_BYTES / h->block : 1;
  v->buf = mem_pages(v->chunk * h->block);
  if (!v->buf)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " bytes",
                   v->chunk * h->block);
  for (uint64_t i = 0; i < h->files && rc == 0; i++)
    rc = verify_judge_file(v, (uint32_t)i, err);
  if (rc == 0 && v->files == 0)
    return err_set(err, -ENOENT,
                   "None of the files is there; is --file-dir right?");
  if (rc == 0)
    rc = bad_blocks_find_origins(&v->bad, &v->log, err);
  return rc;
}

static int verify_work(struct verify *v, struct err *err)
{
  int rc;

  if (*v->cfg->ack_log == '\0' || ack_link_address(v->cfg->ack_log))
    return err_set(err, -EINVAL,
                   "verify needs --file-ack-log=FILE, the log of the run, or "
                   "the file that bench ack-listen has made of it");
  rc = sync_log_reader_open(&v->log, v->cfg->ack_log, err);
  if (rc == 0)
    rc = verify_open_folder(v, err);
  if (rc == 0)
    rc = sync_log_reader_collect(&v->log, &v->block, &v->sum, err);
  if (rc == 0) {
    bad_blocks_tell_log(&v->log, &v->sum);
    rc = verify_judge_all(v, err);
  }
  return rc;
}

int fileio_verify(const struct plan *plan, const void *cfg, struct err *err)
{
  struct verify v = { .cfg = cfg, .folder.fd = -1 };
  int status = VERIFY_CANNOT_TELL;

  (void)plan;
  if (verify_work(&v, err) == 0) {
    bad_blocks_tell(&v.bad, &v.sum);
    if (bad_blocks_count(&v.bad) > 0)
      status = VERIFY_BAD;
    else if (v.sum.acked > 0 && !v.sum.open)
      status = VERIFY_GOOD;
  }
  bad_blocks_done(&v.bad);
  if (v.buf)
    mem_pages_free(v.buf, v.chunk * v.log.header.block);
  free(v.block);
  sync_log_reader_close(&v.log);
  folder_close(&v.folder);
  return status;
}
