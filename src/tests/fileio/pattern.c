#include "tests/fileio/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "stats/rand/stream.h"

static int pattern_claims_init(struct claims *c, uint64_t places,
                               struct err *err)
{
  uint64_t bits = 64;

  while (bits < places && bits < CLAIMS_MAX)
    bits *= 2;
  c->word = calloc(bits / 64, sizeof(*c->word));
  if (!c->word)
    return err_set(err, -ENOMEM,
                   "cannot allocate %llu bytes to identify requests",
                   (unsigned long long)(bits / 8));
  c->mask = bits - 1;
  return 0;
}

static void pattern_claims_done(struct claims *c)
{
  free(c->word);
  c->word = NULL;
}

enum {
  MAX_DRAWS = 64
};

#define GATE_DIRTY UINT64_C(1)
#define GATE_STEP UINT64_C(2)

int pattern_init(struct pattern *p, const struct layout *layout,
                 const struct fileio_cfg *cfg, bool exclusive, struct err *err)
{
  const bool log = cfg->mode == FILE_MODE_WAL;
  const bool writes = file_mode_writes(cfg->mode) &&
                      !file_mode_database(cfg->mode);

  memset(p, 0, sizeof(*p));
  p->layout = *layout;
  p->mode = (enum file_mode)cfg->mode;
  p->dist = (enum file_dist)cfg->dist;
  p->rw_ratio = cfg->rw_ratio;
  p->rw_bytes = cfg->rw_unit == FILE_RW_BYTES;
  if (file_mode_random(cfg->mode) && writes)
    p->trim = cfg->trim < 100 ? (uint64_t)(cfg->trim / 100 * 0x1p64)
                              : UINT64_MAX;
  p->write = log ? FILE_OP_COMMIT : FILE_OP_WRITE;
  /* If the gate could overflow, fsyncs are off. */
  if (writes && !cfg->fsync_all && cfg->fsync_freq < UINT64_C(1) << 60)
    p->fsync_freq = cfg->fsync_freq;
  if (exclusive && writes)
    return pattern_claims_init(&p->claims, layout->places, err);
  return 0;
}

void pattern_done(struct pattern *p)
{
  if (p)
    pattern_claims_done(&p->claims);
}

/* False: the request passes. True: *ret_file is next in a series of fsyncs. */
static bool pattern_gate_fsync(struct pattern *p, bool write,
                               uint32_t *ret_file)
{
  uint64_t now = atomic_load_explicit(&p->gate, memory_order_relaxed);
  uint64_t at, next;
  bool series;

  do {
    at = now / GATE_STEP;
    if (at == p->fsync_freq && !(now & GATE_DIRTY))
      at = 0;
    series = at >= p->fsync_freq;
    if (!series)
      next = (at + 1) * GATE_STEP | (now & GATE_DIRTY) | (uint64_t)write;
    else if (at + 1 == p->fsync_freq + p->layout.files)
      next = 0;
    else
      next = (at + 1) * GATE_STEP | GATE_DIRTY;
  } while (!atomic_compare_exchange_weak_explicit(
    &p->gate, &now, next, memory_order_relaxed, memory_order_relaxed));

  if (series)
    *ret_file = (uint32_t)(at - p->fsync_freq);
  return series;
}

static bool pattern_choose_write(const struct pattern *p,
                                 const struct pattern_thread *t)
{
  if (p->mode == FILE_MODE_RNDRW)
    return (double)(t->reads + 1) / (double)(t->writes + 1) >= p->rw_ratio;
  return file_mode_writes(p->mode);
}

static void pattern_set_place(const struct pattern *p, struct request *r,
                              uint64_t file, uint64_t index)
{
  r->file = (uint32_t)file;
  r->offset = index * p->layout.request;
  r->length = (uint32_t)layout_length(&p->layout, r->offset);
  r->place = file * p->layout.per_file + index;
}

static uint64_t pattern_draw_uneven(const struct pattern *p,
                                    struct rand_stream *s)
{
  const int64_t last = (int64_t)p->layout.places - 1;
  int64_t place;

  switch (p->dist) {
  case FILE_DIST_GAUSSIAN:
    place = dist_gaussian(s->params, &s->rng, 0, last);
    break;
  case FILE_DIST_SPECIAL:
    place = dist_special(s->params, &s->rng, 0, last);
    break;
  case FILE_DIST_PARETO:
    place = dist_pareto(s->params, &s->rng, 0, last);
    break;
  case FILE_DIST_ZIPFIAN:
    place = dist_zipfian(s->params, &s->rng, &s->zipf, 0, last);
    break;
  default:
    place = rand_draw(s, 0, last);
    break;
  }
  return (uint64_t)place;
}

/* Without a division: the high bits of a draw choose the file, the rest the
 * block. */
static void pattern_draw_place(const struct pattern *p, struct rand_stream *s,
                               struct request *r)
{
  uint64_t file, index, rest;

  if (LIKELY(p->dist == FILE_DIST_UNIFORM)) {
    file = rng_mulhi(rng_next(&s->rng), p->layout.files, &rest);
    index = rng_mulhi(rest, p->layout.per_file, &rest);
  } else {
    const uint64_t place = pattern_draw_uneven(p, s);

    file = place / p->layout.per_file;
    index = place % p->layout.per_file;
  }
  pattern_set_place(p, r, file, index);
}

static void pattern_resize(const struct pattern *p, struct rand_stream *s,
                           struct request *r)
{
  const uint64_t size = blocks_draw(&p->layout.blocks, rng_next(&s->rng));
  const uint64_t n = p->layout.file_bytes / size;
  uint64_t index = r->offset / size;

  if (n > 0 && index >= n)
    index = n - 1; /* the rest is too short */
  r->offset = n > 0 ? index * size : 0;
  r->length = (uint32_t)(n > 0 ? size : p->layout.file_bytes);
}

static bool pattern_next_random(struct pattern *p, struct pattern_thread *t,
                                struct rand_stream *rand, struct request *r)
{
  unsigned tries = 0;
  uint64_t amount;

  do {
    if (tries++ == MAX_DRAWS)
      return false;
    pattern_draw_place(p, rand, r);
    if (UNLIKELY(p->layout.blocks.n > 1))
      pattern_resize(p, rand, r);
  } while (!claims_take(&p->claims, r->place));
  amount = p->rw_bytes ? r->length : 1;
  if (t->write)
    t->writes += amount;
  else
    t->reads += amount;
  return true;
}

static bool pattern_next_sequential(struct pattern *p, struct pattern_thread *t,
                                    struct request *r)
{
  if (!t->waiting)
    t->place = atomic_fetch_add_explicit(&p->sequence, 1,
                                         memory_order_relaxed) %
               p->layout.places;
  if (!claims_take(&p->claims, t->place))
    return false;
  pattern_set_place(p, r, t->place / p->layout.per_file,
                    t->place % p->layout.per_file);
  return true;
}

bool pattern_next(struct pattern *p, struct pattern_thread *t,
                  struct rand_stream *rand, struct request *ret)
{
  bool found;

  if (!t->waiting) {
    t->write = pattern_choose_write(p, t);
    if (p->fsync_freq > 0 && pattern_gate_fsync(p, t->write, &ret->file)) {
      ret->op = FILE_OP_FSYNC;
      ret->offset = ret->length = 0;
      return true;
    }
  }
  ret->op = t->write ? p->write : FILE_OP_READ;
  found = file_mode_random(p->mode) ? pattern_next_random(p, t, rand, ret)
                                    : pattern_next_sequential(p, t, ret);
  t->waiting = !found;
  if (UNLIKELY(p->trim > 0) && t->write && rng_next(&rand->rng) < p->trim)
    ret->op = FILE_OP_TRIM;
  return found;
}
