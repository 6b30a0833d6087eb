/*
 * acks.c - see acks.h.
 *
 * Sorted instead of hashed: long stretches ascend, and ten million need 240 MB.
 */
#include "verify/acks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

static int ack_set_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the numbers of the log");
}

static void ack_set_note_time(struct ack_sums *s, const struct ack_record *r)
{
  if (s->first_ns == 0 || r->intent_ns < s->first_ns)
    s->first_ns = r->intent_ns;
  if (r->done_ns > s->last_ns)
    s->last_ns = r->done_ns;
}

static void ack_set_add(struct ack_set *s, struct ack_sums *sums,
                        const struct ack_record *r)
{
  struct ack_entry *e = &s->of[s->n];

  *e = (struct ack_entry){ .id = r->id };
  switch (atomic_load_explicit(&r->state, memory_order_relaxed)) {
  case ACK_ACKED:
    e->acked = 1;
    e->newest_ns = r->done_ns;
    sums->acked++;
    break;
  case ACK_ABORTED:
    e->aborted = true;
    sums->aborted++;
    break;
  case ACK_LOST:
    return;
  default:
    e->unknown = true;
    sums->unknown++;
    break;
  }
  s->n++;
}

int ack_set_load(struct ack_set *s, struct ack_reader *r, struct ack_sums *ret,
                 struct err *err)
{
  struct ack_sums sums = { 0 };
  int n;

  while ((n = ack_reader_next(r, err)) > 0) {
    if (s->n + (size_t)n > s->room) {
      const size_t room = s->room + s->room / 4 + ACK_RECORDS;
      struct ack_entry *more = reallocarray(s->of, room, sizeof(*more));

      if (!more)
        return ack_set_no_memory(err);
      s->of = more;
      s->room = room;
    }
    for (int i = 0; i < n; i++) {
      ack_set_note_time(&sums, &r->records[i]);
      ack_set_add(s, &sums, &r->records[i]);
    }
  }
  *ret = sums;
  return n;
}

static int ack_set_by_id(const void *a, const void *b)
{
  const struct ack_entry *x = a, *y = b;

  return x->id < y->id ? -1 : x->id > y->id;
}

static uint8_t ack_set_sum(uint8_t a, uint8_t b)
{
  return a + b > UINT8_MAX ? UINT8_MAX : (uint8_t)(a + b);
}

/* Attempts with the same number become one entry. */
static void ack_set_merge(struct ack_set *s)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->n; i++) {
    struct ack_entry *last = kept > 0 ? &s->of[kept - 1] : NULL;

    if (!last || last->id != s->of[i].id) {
      s->of[kept++] = s->of[i];
      continue;
    }
    last->acked = ack_set_sum(last->acked, s->of[i].acked);
    if (s->of[i].newest_ns > last->newest_ns)
      last->newest_ns = s->of[i].newest_ns;
    last->unknown |= s->of[i].unknown;
    last->aborted |= s->of[i].aborted;
  }
  s->n = kept;
}

void ack_set_sort(struct ack_set *s)
{
  if (s->n > 0)
    qsort(s->of, s->n, sizeof(*s->of), ack_set_by_id);
  ack_set_merge(s);
}

void ack_set_done(struct ack_set *s)
{
  free(s->of);
  s->of = NULL;
}

/* After ack_set_sort(). NULL: not in the logs. */
static struct ack_entry *ack_set_find(struct ack_set *s, uint64_t id)
{
  const struct ack_entry key = { .id = id };
  struct ack_entry *e;

  if (s->hint < s->n && s->of[s->hint].id == id)
    return &s->of[s->hint++];
  if (s->n == 0)
    return NULL;
  e = bsearch(&key, s->of, s->n, sizeof(*s->of), ack_set_by_id);
  if (e)
    s->hint = (size_t)(e - s->of) + 1;
  return e;
}

void ack_set_found(struct ack_set *s, uint64_t id)
{
  struct ack_entry *e = ack_set_find(s, id);

  s->rows++;
  if (e) {
    e->found = ack_set_sum(e->found, 1);
    return;
  }
  if (s->unexpected < ACKS_EXAMPLES)
    s->unexpected_ids[s->unexpected] = id;
  s->unexpected++;
}

/* ---- several logs ---- */

struct when {
  char text[32];
};

static struct when ack_logs_when(const struct ack_header *h)
{
  const time_t at = (time_t)(h->start_real_ns / NS_PER_S);
  struct when w = { "some time" };
  struct tm tm;

  if (gmtime_r(&at, &tm))
    (void)strftime(w.text, sizeof(w.text), "%Y-%m-%d %H:%M:%S UTC", &tm);
  return w;
}

static int ack_logs_refuse(const struct ack_reader *a,
                           const struct ack_reader *b, struct err *err)
{
  if (a->header.ranks == b->header.ranks && a->header.run == b->header.run)
    return err_set(err, -EINVAL,
                   "'%.400s' and '%.400s' are both logs of process %" PRIu32
                   " of %" PRIu32
                   " (expected one log of each process of a run)",
                   a->path, b->path, a->header.rank, a->header.ranks);
  return err_set(err, -EINVAL,
                 "'%.400s' and '%.400s' are logs of two runs: the first is of "
                 "process %" PRIu32 " of %" PRIu32
                 ", which began at %s, the other of process %" PRIu32
                 " of %" PRIu32 ", %s (expected those of one run)",
                 a->path, b->path, a->header.rank, a->header.ranks,
                 ack_logs_when(&a->header).text, b->header.rank,
                 b->header.ranks, ack_logs_when(&b->header).text);
}

/* Processes of one run, or runs of one process each, which can have the same
 * query. */
static bool ack_logs_belong_together(const struct ack_header *a,
                                     const struct ack_header *b)
{
  return a->ranks == b->ranks && a->run == b->run &&
         (a->ranks == 0 || a->rank != b->rank);
}

int ack_logs_check(const struct ack_logs *logs, struct err *err)
{
  for (size_t i = 1; i < logs->n; i++) {
    for (size_t k = 0; k < i; k++) {
      const struct ack_reader *a = &logs->of[k]->reader;
      const struct ack_reader *b = &logs->of[i]->reader;

      if (!ack_logs_belong_together(&a->header, &b->header))
        return ack_logs_refuse(a, b, err);
    }
  }
  return 0;
}

size_t ack_logs_runs(const struct ack_logs *logs)
{
  return logs->of[0]->reader.header.ranks > 0 ? 1 : logs->n;
}

static bool ack_logs_has_rank(const struct ack_logs *logs, uint32_t rank)
{
  for (size_t i = 0; i < logs->n; i++) {
    if (logs->of[i]->reader.header.rank == rank)
      return true;
  }
  return false;
}

struct ack_whole ack_logs_whole(const struct ack_logs *logs)
{
  struct ack_whole all = { .before = logs->of[0]->reader.header.before };
  const uint32_t ranks = logs->of[0]->reader.header.ranks;

  for (size_t i = 0; i < logs->n; i++) {
    const struct ack_reader *r = &logs->of[i]->reader;

    all.sums.acked += logs->of[i]->sums.acked;
    all.sums.aborted += logs->of[i]->sums.aborted;
    all.sums.unknown += logs->of[i]->sums.unknown;
    all.damaged += r->damaged;
    all.flags |= r->header.flags;
    if (!all.incomplete && ack_is_incomplete(&r->header))
      all.incomplete = r;
    if (r->header.before < all.before)
      all.before = r->header.before;
  }
  if (ranks > logs->n) {
    all.absent = ranks - (uint32_t)logs->n;
    while (ack_logs_has_rank(logs, all.absent_rank))
      all.absent_rank++;
  }
  return all;
}

/* A client's log since its last failure. */
struct part {
  size_t first, last; /* losses, linked by `next`; or NONE */
  size_t fresh;       /* the first that is not a hole */
};

#define NONE SIZE_MAX

struct search {
  struct losses *l;
  struct part *parts; /* owned; per client */
  size_t *next;       /* owned; in the same part */
  size_t room;
};

static int losses_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the losses");
}

static int losses_add(struct search *f, const struct ack_record *r,
                      struct err *err)
{
  struct losses *l = f->l;
  struct part *p = &f->parts[r->client];

  if (l->n >= f->room) {
    const size_t room = l->n * 2 + 64;
    struct loss *of = reallocarray(l->of, room, sizeof(*of));
    size_t *next;

    if (!of)
      return losses_no_memory(err);
    l->of = of;
    next = reallocarray(f->next, room, sizeof(*next));
    if (!next)
      return losses_no_memory(err);
    f->next = next;
    f->room = room;
  }
  l->of[l->n] = (struct loss){
    .id = r->id,
    .client = r->client,
    .log = l->logs,
    .acked_ns = r->done_ns,
  };
  f->next[l->n] = NONE;
  if (p->first == NONE)
    p->first = l->n;
  else
    f->next[p->last] = l->n;
  if (p->fresh == NONE)
    p->fresh = l->n;
  p->last = l->n++;
  return 0;
}

/* A later commit of the part exists. */
static void losses_make_holes(struct search *f, struct part *p)
{
  for (size_t i = p->fresh; i != NONE; i = f->next[i]) {
    f->l->of[i].hole = true;
    f->l->n_holes++;
  }
  p->fresh = NONE;
}

/* At the failure. */
static void losses_end_part(struct search *f, struct part *p, uint64_t at_ns)
{
  for (size_t i = p->first; i != NONE; i = f->next[i]) {
    struct loss *loss = &f->l->of[i];

    loss->before_ns = at_ns > loss->acked_ns ? at_ns - loss->acked_ns : 0;
  }
  p->first = p->fresh = NONE;
}

static int losses_look(struct search *f, struct ack_set *s,
                       const struct ack_record *r, struct err *err)
{
  struct part *p = &f->parts[r->client];
  const struct ack_entry *e;

  switch (atomic_load_explicit(&r->state, memory_order_relaxed)) {
  case ACK_LOST:
    losses_end_part(f, p, r->intent_ns);
    return 0;
  case ACK_ACKED:
    e = ack_set_find(s, r->id);
    /* With more acknowledgements than rows, the last attempt exists. */
    if (e && ack_entry_is_lost(e) &&
        (e->found == 0 || r->done_ns != e->newest_ns))
      return losses_add(f, r, err);
    losses_make_holes(f, p);
    return 0;
  default:
    return 0;
  }
}

int losses_find(struct losses *l, struct ack_set *s, struct ack_reader *r,
                uint64_t last_ns, struct err *err)
{
  struct search f = { .l = l };
  int rc = ack_reader_rewind(r, err), n;

  f.parts = calloc(r->header.clients, sizeof(*f.parts));
  if (rc == 0 && !f.parts)
    rc = losses_no_memory(err);
  for (uint32_t i = 0; rc == 0 && i < r->header.clients; i++)
    f.parts[i].first = f.parts[i].fresh = NONE;
  while (rc == 0 && (n = ack_reader_next(r, err)) != 0) {
    rc = n < 0 ? n : 0;
    for (int i = 0; rc == 0 && i < n; i++)
      rc = losses_look(&f, s, &r->records[i], err);
  }
  for (uint32_t i = 0; rc == 0 && i < r->header.clients; i++)
    losses_end_part(&f, &f.parts[i], last_ns);
  l->logs++;
  free(f.parts);
  free(f.next);
  return rc;
}

void losses_done(struct losses *l)
{
  free(l->of);
  l->of = NULL;
}
