/*
 * test_fileio_pattern.c - every request lies inside the files, sequential modes
 * cover each block once, ratios and fsync series are what they should be, with
 * one thread and with several.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/rand/stream.h"
#include "tests/fileio/pattern.h"
#include "tests/unit/rand_usual.h"
#include "tests/unit/tap.h"

static const struct fileio_cfg base_cfg = {
  .num = 3,
  .block_size = "4096",
  .total_size = 3 * 40960,
  .mode = FILE_MODE_RNDRW,
  .rw_ratio = 1.5,
  .dist = FILE_DIST_UNIFORM,
};

static struct rand_stream *stream_new(uint64_t index)
{
  static struct rand_params params; /* the same for all */
  struct rand_stream *s = mem_aligned(1, sizeof(*s), CACHE_LINE);

  if (index == 0)
    params = rand_usual(RAND_SPECIAL);
  rand_stream_init(s, &params, 42, RNG_WORKLOAD, index, 16);
  return s;
}

static void pattern_start(struct pattern *p, const struct fileio_cfg *cfg,
                          bool exclusive)
{
  struct layout l;
  struct err err;

  if (layout_init(&l, cfg, 0, cfg->mode, exclusive, &err) < 0 ||
      pattern_init(p, &l, cfg, exclusive, &err) < 0) {
    printf("Bail out! %s\n", err.text);
    exit(1);
  }
}

static bool inside(const struct fileio_cfg *cfg, const struct request *r)
{
  const uint64_t bytes = cfg->total_size / cfg->num;
  struct blocks b;

  MUST(blocks_parse(cfg->block_size, &b) == 0);
  if (r->op == FILE_OP_FSYNC)
    return r->file < cfg->num && r->length == 0;
  return r->file < cfg->num && r->length > 0 && r->offset < bytes &&
         r->length <= bytes - r->offset && r->offset % b.largest == 0;
}

static const struct {
  uint64_t num;
  const char *block;
  uint64_t total, merged;
} sizes[] = {
  { 3, "4096", 3 * 40960, 0 }, { 1, "4096", 4096, 0 },  { 1, "16384", 100, 0 },
  { 3, "16384", 409600, 0 },   { 3, "4K", 100000, 0 },  { 3, "4K", 100000, 3 },
  { 7, "1", 1000, 0 },         { 5, "1000", 12345, 4 }, { 2, "1M", 3 << 20, 0 },
  { 128, "512", 65537, 2 },    { 3, "16", 3, 0 },
};

static void test_sizes(void)
{
  static const char *const bad[] = { "",      "0",         "x",          "4K@",
                                     "4K,8K", "4K@0,8K@1", "4K@-1,8K@1", ",",
                                     "4K@1,", "4K@1;8K@1", "4K@nan,8K@1" };
  struct blocks b = { .n = 77 };
  unsigned n = 0, refused = 0;
  uint64_t small = 0;

  for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
    refused += blocks_parse(bad[i], &b) == -EINVAL && b.n == 77;
  OK(refused == ARRAY_SIZE(bad), "what is no size or no list is refused");
  OK(blocks_parse("16K", &b) == 0 && b.n == 1 && b.size[0] == 16384 &&
       blocks_draw(&b, 0) == 16384 && blocks_draw(&b, UINT64_MAX) == 16384,
     "one size");
  OK(blocks_parse("4K@70,64K@20,1M@10", &b) == 0 && b.n == 3 &&
       b.smallest == 4096 && b.largest == 1 << 20,
     "several");
  for (uint64_t i = 0; i < 1000; i++, n++)
    small += blocks_draw(&b, i * (UINT64_MAX / 1000)) == 4096;
  OK(small == 701 || small == 700, "as often as their weights say");
  OK(blocks_draw(&b, UINT64_MAX) == 1 << 20, "the last one has no limit");
}

/* Random requests of two sizes: shares, places and the ratio of bytes. */
static void test_mixed_sizes(int unit)
{
  const struct fileio_cfg cfg = { .num = 3,
                                  .block_size = "4K@75,60K@25",
                                  .total_size = 3 * 1000000,
                                  .mode = FILE_MODE_RNDRW,
                                  .rw_ratio = 3,
                                  .rw_unit = unit,
                                  .dist = FILE_DIST_UNIFORM };
  enum {
    N = 40000
  };
  struct rand_stream *s = stream_new(0);
  struct pattern_thread t = { 0 };
  uint64_t wrong = 0, small = 0, last = 0;
  double n[2] = { 0 }, bytes[2] = { 0 };
  struct pattern p;

  pattern_start(&p, &cfg, false);
  for (unsigned i = 0; i < N; i++) {
    struct request r;

    wrong += !pattern_next(&p, &t, s, &r);
    wrong += r.length != 4096 && r.length != 61440;
    wrong += r.file > 2 || r.offset % r.length != 0 ||
             r.offset + r.length > 1000000;
    small += r.length == 4096;
    last += r.offset == 15 * 61440 && r.length == 61440;
    n[r.op == FILE_OP_WRITE]++;
    bytes[r.op == FILE_OP_WRITE] += r.length;
  }
  OK(wrong == 0, "whole requests of the two sizes, inside the files");
  OK(fabs((double)small / N - 0.75) < 0.02, "in the share of their weights");
  OK(last > 0, "up to the end of a file");
  OK(fabs((unit == FILE_RW_BYTES ? bytes[0] / bytes[1] : n[0] / n[1]) - 3) <
       0.05,
     "reads and writes have the ratio");
  pattern_done(&p);
  free(s);
}

/* Two passes of a sequential mode: each byte of each file exactly twice. */
static void test_sequential(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
    for (int mode = FILE_MODE_SEQWR; mode <= FILE_MODE_SEQRD; mode++) {
      const struct fileio_cfg cfg = { .num = sizes[i].num,
                                      .block_size = sizes[i].block,
                                      .total_size = sizes[i].total,
                                      .merged = sizes[i].merged,
                                      .mode = mode };
      struct rand_stream *s = stream_new(0);
      struct pattern_thread t = { 0 };
      uint64_t file = 0, pos = 0, wrong = 0;
      const uint64_t bytes = cfg.total_size / cfg.num;
      struct pattern p;

      pattern_start(&p, &cfg, false);
      for (uint64_t n = 0; n < 2 * p.layout.places; n++) {
        struct request r;

        wrong += !pattern_next(&p, &t, s, &r) || !inside(&cfg, &r);
        wrong += r.file != file || r.offset != pos;
        wrong += r.op !=
                 (mode == FILE_MODE_SEQRD ? FILE_OP_READ : FILE_OP_WRITE);
        pos += r.length;
        if (pos == bytes) {
          pos = 0;
          file = (file + 1) % cfg.num;
        }
      }
      OK(wrong == 0 && file == 0 && pos == 0, "two whole passes, in order");
      pattern_done(&p);
      free(s);
    }
  }
}

static void test_random_inside(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
    for (int dist = FILE_DIST_DEFAULT; dist <= FILE_DIST_ZIPFIAN; dist++) {
      const struct fileio_cfg cfg = { .num = sizes[i].num,
                                      .block_size = sizes[i].block,
                                      .total_size = sizes[i].total,
                                      .merged = sizes[i].merged,
                                      .mode = FILE_MODE_RNDRW,
                                      .rw_ratio = 1.5,
                                      .dist = dist,
                                      .fsync_freq = 7 };
      struct rand_stream *s = stream_new(0);
      struct pattern_thread t = { 0 };
      uint64_t wrong = 0;
      struct pattern p;

      pattern_start(&p, &cfg, false);
      for (unsigned n = 0; n < 3000; n++) {
        struct request r;

        wrong += !pattern_next(&p, &t, s, &r) || !inside(&cfg, &r);
        wrong += r.op != FILE_OP_FSYNC && r.length > p.layout.block;
      }
      OK(wrong == 0, "random requests are blocks inside the files");
      pattern_done(&p);
      free(s);
    }
  }
}

/*
 * All blocks are equally likely: chi-square over 30 blocks, far beyond its
 * 99.99 % point.
 */
static void test_uniform(void)
{
  struct rand_stream *s = stream_new(0);
  struct pattern_thread t = { 0 };
  unsigned seen[30] = { 0 };
  double chi = 0.0;
  struct fileio_cfg cfg = base_cfg;
  struct pattern p;

  cfg.mode = FILE_MODE_RNDRD;
  pattern_start(&p, &cfg, false);
  for (unsigned n = 0; n < 30000; n++) {
    struct request r;

    (void)pattern_next(&p, &t, s, &r);
    seen[r.place]++;
  }
  for (unsigned i = 0; i < ARRAY_SIZE(seen); i++)
    chi += ((double)seen[i] - 1000.0) * ((double)seen[i] - 1000.0) / 1000.0;
  OK(chi < 70.0, "uniform places");
  pattern_done(&p);
  free(s);
}

static void test_ratio(void)
{
  static const struct {
    double ratio;
    const char *ops;
  } expected[] = {
    { 1.5, "RWRWRRWRWRRW" },
    { 3.0, "RRWRRRWRRRWR" },
    { 0.0, "WWWWWWWWWWWW" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
    struct rand_stream *s = stream_new(0);
    struct pattern_thread t = { 0 };
    struct fileio_cfg cfg = base_cfg;
    char ops[13] = "";
    unsigned reads = 0;
    struct pattern p;

    cfg.rw_ratio = expected[i].ratio;
    pattern_start(&p, &cfg, false);
    for (unsigned n = 0; n < 1000; n++) {
      struct request r;

      (void)pattern_next(&p, &t, s, &r);
      if (n < 12)
        ops[n] = r.op == FILE_OP_READ ? 'R' : 'W';
      reads += r.op == FILE_OP_READ;
    }
    OK_STR(ops, expected[i].ops, "order of reads and writes");
    if (i == 0)
      OK(reads == 600, "600 reads in 1000 requests at a ratio of 1.5");
    pattern_done(&p);
    free(s);
  }
}

/* The fsync rule as a slow reference would apply it. */
static void test_fsync_rule(int mode, uint64_t freq)
{
  struct rand_stream *s = stream_new(0);
  struct pattern_thread t = { 0 };
  struct fileio_cfg cfg = base_cfg;
  uint64_t count = 0, file = 0, wrong = 0;
  bool dirty = false;
  struct pattern p;

  cfg.mode = mode;
  cfg.fsync_freq = freq;
  pattern_start(&p, &cfg, false);
  for (unsigned n = 0; n < 2000; n++) {
    struct request r;

    (void)pattern_next(&p, &t, s, &r);
    if (freq > 0 && dirty && count % freq == 0) {
      wrong += r.op != FILE_OP_FSYNC || r.file != file;
      if (++file == cfg.num) {
        file = 0;
        dirty = false;
      }
    } else {
      wrong += r.op == FILE_OP_FSYNC;
      count++;
      dirty |= r.op == FILE_OP_WRITE;
    }
  }
  OK(wrong == 0, "fsync after each freq requests, if anything was written");
  pattern_done(&p);
  free(s);
}

enum {
  THREADS = 4,
  EACH = 20000,
};

struct tester {
  struct pattern *p;
  const struct fileio_cfg *cfg;
  pthread_t thread;
  unsigned index;
  uint64_t wrong, ordinary, fsyncs, busy;
  uint64_t synced[8];       /* fsyncs of each file */
  _Atomic unsigned *holder; /* for each place; NULL: not checked */
};

static void *ask_many(void *arg)
{
  struct tester *t = arg;
  struct rand_stream *s = mem_aligned(1, sizeof(*s), CACHE_LINE);
  struct pattern_thread pt = { 0 };
  struct rand_params params;

  params = rand_usual(RAND_SPECIAL);
  rand_stream_init(s, &params, 42, RNG_WORKLOAD, t->index, THREADS);
  for (unsigned n = 0; n < EACH; n++) {
    struct request r;

    while (!pattern_next(t->p, &pt, s, &r))
      t->busy++;
    t->wrong += !inside(t->cfg, &r);
    if (r.op == FILE_OP_FSYNC) {
      t->fsyncs++;
      t->synced[r.file]++;
      continue;
    }
    t->ordinary++;
    if (t->holder) {
      t->wrong += atomic_exchange(&t->holder[r.place], 1) != 0;
      atomic_store(&t->holder[r.place], 0);
    }
    pattern_release(t->p, r.place);
  }
  free(s);
  return NULL;
}

static void test_threads(int mode, uint64_t freq, bool exclusive)
{
  struct fileio_cfg cfg = base_cfg;
  struct tester t[THREADS] = { 0 };
  uint64_t wrong = 0, ordinary = 0, fsyncs = 0, synced[8] = { 0 };
  _Atomic unsigned holder[30] = { 0 };
  struct pattern p;

  cfg.mode = mode;
  cfg.fsync_freq = freq;
  pattern_start(&p, &cfg, exclusive);
  for (unsigned i = 0; i < THREADS; i++) {
    t[i].p = &p;
    t[i].cfg = &cfg;
    t[i].index = i;
    t[i].holder = exclusive ? holder : NULL;
    (void)pthread_create(&t[i].thread, NULL, ask_many, &t[i]);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    (void)pthread_join(t[i].thread, NULL);
    wrong += t[i].wrong;
    ordinary += t[i].ordinary;
    fsyncs += t[i].fsyncs;
    for (unsigned f = 0; f < cfg.num; f++)
      synced[f] += t[i].synced[f];
  }
  OK(wrong == 0, "several threads: inside the files, and nobody overlaps");
  OK(ordinary + fsyncs == THREADS * EACH, "every request is one or the other");
  if (freq > 0 && mode != FILE_MODE_RNDRW) {
    const uint64_t cycle = freq + cfg.num;
    const uint64_t rest = THREADS * EACH % cycle;
    const uint64_t want = THREADS * EACH / cycle * cfg.num +
                          (rest > freq ? rest - freq : 0);

    OK(fsyncs == want, "several threads: exact number of fsyncs");
    OK(synced[0] - synced[cfg.num - 1] <= 1,
       "each file as often as the others");
  }
  pattern_done(&p);
}

/*
 * With everything in flight there is no place; with one released there is one.
 */
static void test_exhausted(void)
{
  struct rand_stream *s = stream_new(0);
  struct pattern_thread t = { 0 };
  struct fileio_cfg cfg = base_cfg;
  unsigned got = 0;
  struct request r, last = { 0 };
  struct pattern p;

  cfg.mode = FILE_MODE_SEQREWR;
  pattern_start(&p, &cfg, true);
  while (pattern_next(&p, &t, s, &r)) {
    last = r;
    got++;
  }
  OK(got == 30, "every place once, then none is free");
  OK(!pattern_next(&p, &t, s, &r), "still none");
  pattern_release(&p, last.place);
  OK(!pattern_next(&p, &t, s, &r), "a thread waits for the place it is at");
  pattern_release(&p, 0);
  OK(pattern_next(&p, &t, s, &r) && r.place == 0,
     "and gets it when it is free");
  pattern_done(&p);
  free(s);
}

int main(void)
{
  test_sizes();
  test_mixed_sizes(FILE_RW_REQUESTS);
  test_mixed_sizes(FILE_RW_BYTES);
  test_sequential();
  test_random_inside();
  test_uniform();
  test_ratio();
  for (int mode = FILE_MODE_SEQWR; mode <= FILE_MODE_RNDRW; mode++) {
    test_fsync_rule(mode, 0);
    test_fsync_rule(mode, 1);
    test_fsync_rule(mode, 5);
    test_fsync_rule(mode, 100);
  }
  for (int mode = FILE_MODE_SEQWR; mode <= FILE_MODE_RNDRW; mode++) {
    if (!file_mode_writes(mode))
      continue;
    test_threads(mode, 1, false);
    test_threads(mode, 100, false);
    test_threads(mode, 3, true);
  }
  test_exhausted();
  return TAP_EXIT();
}
