/*
 * verdict.c - judges a block: is what was acknowledged still there?
 */
#include "tests/fileio/verdict.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "tests/fileio/files.h"

const char *const verdict_words[VERDICTS] = {
  [VERDICT_GOOD] = "as acknowledged",
  [VERDICT_FREE] = "not acknowledged",
  [VERDICT_UNFINISHED] = "unfinished",
  [VERDICT_LOST] = "lost",
  [VERDICT_STALE] = "stale",
  [VERDICT_TORN] = "torn",
  [VERDICT_MISDIRECTED] = "misdirected",
  [VERDICT_DAMAGED] = "damaged",
};

static bool same_stamp(const struct stamp *a, const struct stamp *b)
{
  return a->run == b->run && a->generation == b->generation &&
         a->offset == b->offset && a->file == b->file && a->writer == b->writer;
}

static void add(struct found_block *b, const struct piece *p)
{
  struct piece *last = b->n > 0 && b->n <= PIECES_MAX ? &b->piece[b->n - 1]
                                                      : NULL;

  b->kinds |= 1u << p->kind;
  if (p->kind == PIECE_HERE && p->stamp.generation < b->oldest)
    b->oldest = p->stamp.generation;
  if (last && last->kind == p->kind && same_stamp(&last->stamp, &p->stamp))
    last->to = p->to;
  else if (b->n++ < PIECES_MAX)
    b->piece[b->n - 1] = *p;
}

static enum piece_kind kind_of(const struct found_block *b, uint64_t run,
                               enum stamp_kind kind, const struct stamp *s)
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

void verdict_look(struct found_block *b, const struct crc32_table *crc,
                  uint64_t run, const void *data, uint64_t got, int why)
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
      const enum stamp_kind kind = stamp_look(crc, (const char *)data + at, n,
                                              &p.stamp);

      p.stamp.offset -= at;
      p.kind = kind_of(b, run, kind, &p.stamp);
      if (p.kind == PIECE_ZEROS || p.kind == PIECE_FOREIGN)
        p.stamp = (struct stamp){ 0 };
    }
    add(b, &p);
  }
}

static bool has(const struct found_block *b, enum piece_kind kind)
{
  return b->kinds & 1u << kind;
}

static enum verdict judge_whole(const struct piece *p,
                                const struct ack_block *log)
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

/*
 * A crash may interrupt a write anywhere, so a block may have pieces of any
 * writes after the acknowledged one, and of that one.
 */
enum verdict verdict_judge(const struct found_block *b,
                           const struct ack_block *log)
{
  if (has(b, PIECE_ELSEWHERE))
    return VERDICT_MISDIRECTED;
  if (log->acked == 0 || b->n == 0)
    return VERDICT_FREE;
  if (b->n == 1)
    return judge_whole(&b->piece[0], log);
  if (has(b, PIECE_MISSING) || has(b, PIECE_UNREADABLE))
    return VERDICT_LOST;
  if (has(b, PIECE_FOREIGN))
    return VERDICT_DAMAGED;
  if (has(b, PIECE_ZEROS) || has(b, PIECE_OTHER_RUN) ||
      (has(b, PIECE_HERE) && b->oldest < log->acked) ||
      (has(b, PIECE_BROKEN) && log->begun == log->acked))
    return VERDICT_TORN;
  return VERDICT_UNFINISHED;
}

static void add_content(const struct piece *p, const struct folder *folder,
                        struct strbuf *out)
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
    add_content(&b->piece[i], folder, out);
  }
  if (b->n > PIECES_MAX)
    strbuf_addf(out, " and %u more pieces", b->n - PIECES_MAX);
}
