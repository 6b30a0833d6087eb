/*
 * fuzz_pattern.c - whatever the sizes and modes: every request of fileio lies
 * inside of the files, sequential modes cover each byte once, and of two
 * requests in flight none overlaps another one where that is promised.
 *
 * Input: numbers, see read_cfg().
 */
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "input.h"
#include "stats/rand/stream.h"
#include "tests/fileio/pattern.h"

enum {
  THREADS = 3,
  STEPS = 256,
  PLACES_MAX = 4096, /* beyond that, coverage is not checked */
};

static const struct rand_cfg choice = {
  .type = RAND_SPECIAL,
  .spec_iter = 12,
  .spec_pct = 1,
  .spec_res = 75,
  .pareto_h = 0.2,
  .zipfian_exp = 0.8,
};

/* The whole width of 63 bits, small numbers as likely as large ones. */
static unsigned long long read_size(struct input *in)
{
  return input_number(in, 8) >> (1 + input_byte(in) % 63);
}

/* The texts of sizes are written to `text`. */
static struct fileio_cfg read_cfg(struct input *in, char text[64])
{
  struct fileio_cfg cfg = {
    .mode = input_byte(in) % 6,
    .dist = input_byte(in) % 6,
    .num = 1 + input_number(in, 2) % 1000,
    .fsync_freq = input_byte(in),
    .merged = input_byte(in),
    .rw_ratio = (double)input_byte(in) / 16,
  };

  const unsigned long long block = read_size(in) % INT64_MAX + 1;

  cfg.total_size = read_size(in);
  if (input_byte(in) == 1)
    (void)snprintf(text, 64, "%llu@3,%llu@%u", block,
                   read_size(in) % (1 << 20) + 1, 1u + input_byte(in));
  else
    (void)snprintf(text, 64, "%llu", block);
  cfg.block_size = text;
  return cfg;
}

static bool inside(const struct layout *l, const struct request *r)
{
  if (l->blocks.n > 1 && r->op != FILE_OP_FSYNC)
    return r->file < l->files && r->length > 0 && r->length <= l->block &&
           r->offset < l->file_bytes && r->length <= l->file_bytes - r->offset;
  if (r->op == FILE_OP_FSYNC)
    return r->file < l->files && r->length == 0 && r->offset == 0;
  return r->file < l->files && r->length > 0 && r->length <= l->request &&
         r->offset < l->file_bytes && r->length <= l->file_bytes - r->offset &&
         r->offset % l->request == 0 &&
         r->place == r->file * l->per_file + r->offset / l->request &&
         r->place < l->places;
}

/* One round of a sequential mode: every place, in order, and all the bytes. */
static void check_coverage(const struct layout *l, struct fileio_cfg cfg,
                           struct rand_stream *rand)
{
  struct pattern_thread t = { 0 };
  struct pattern p = { 0 };
  struct request r;
  struct err err;
  uint64_t bytes = 0;

  if (file_mode_random(cfg.mode) || l->places > PLACES_MAX)
    return;
  cfg.fsync_freq = 0;
  MUST(pattern_init(&p, l, &cfg, false, &err) == 0);
  for (uint64_t place = 0; place < l->places; place++) {
    MUST(pattern_next(&p, &t, rand, &r) && inside(l, &r) && r.place == place);
    bytes += r.length;
  }
  MUST(bytes == l->files * l->file_bytes);
  MUST(pattern_next(&p, &t, rand, &r) && r.place == 0);
  pattern_done(&p);
}

/* Several threads, in an order that the input says; each has one request. */
static void check_requests(const struct layout *l, const struct fileio_cfg *cfg,
                           bool exclusive, struct rand_stream *rand,
                           struct input *in)
{
  struct pattern_thread t[THREADS] = { { 0 } };
  struct request r[THREADS];
  bool busy[THREADS] = { false };
  const bool apart = exclusive && file_mode_writes(cfg->mode);
  struct pattern p = { 0 };
  struct err err;

  MUST(pattern_init(&p, l, cfg, exclusive, &err) == 0);
  for (int step = 0; step < STEPS && in->left > 0; step++) {
    const unsigned i = input_byte(in) % THREADS;

    if (busy[i]) {
      pattern_release(&p, r[i].place);
      busy[i] = false;
      continue;
    }
    if (!pattern_next(&p, &t[i], rand, &r[i])) {
      MUST(apart);
      continue;
    }
    MUST(inside(l, &r[i]));
    MUST(r[i].op != FILE_OP_WRITE || file_mode_writes(cfg->mode));
    MUST(r[i].op != FILE_OP_READ || cfg->mode == FILE_MODE_SEQRD ||
         cfg->mode == FILE_MODE_RNDRD || cfg->mode == FILE_MODE_RNDRW);
    busy[i] = r[i].op != FILE_OP_FSYNC;
    for (unsigned k = 0; busy[i] && apart && k < THREADS; k++)
      MUST(k == i || !busy[k] || r[k].place != r[i].place);
  }
  pattern_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  const bool exclusive = input_byte(&in) & 1;
  char text[64];
  const struct fileio_cfg cfg = read_cfg(&in, text);
  struct rand_stream *rand = mem_aligned(1, sizeof(*rand), CACHE_LINE);
  struct err err = { "" };
  struct layout l = { .files = 42 };
  struct rand_params params;

  MUST(rand);
  rand_params_init(&params, &choice);
  rand_stream_init(rand, &params, input_byte(&in), RNG_WORKLOAD, 0, 1);
  if (layout_init(&l, &cfg, 0, cfg.mode, exclusive, &err) < 0) {
    MUST(err.text[0] != '\0' && l.files == 42);
  } else {
    check_coverage(&l, cfg, rand);
    /* The table of claims has a bit per place: not too large a one here. */
    check_requests(&l, &cfg, exclusive && l.places < 1 << 20, rand, &in);
  }
  free(rand);
  return 0;
}
