#include "tests/memory/loops.h"

#include <errno.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "tests/memory/options.h"
#include "tests/place.h"

enum {
  CACHES_TIMES = 4,
  VERIFY_BYTES = 4 << 20, /* checked before the run */
};

static bool loops_is_wanted(const struct loops *l, const struct opt_list *list,
                            enum stream s)
{
  return l->streams->run[s] &&
         (list->n == 0 || opt_list_has(list, stream_words[s]));
}

static int loops_choose_loops(struct loops *l, const struct memory_cfg *cfg,
                              struct err *err)
{
  for (int s = 0; s < STREAMS; s++) {
    if (loops_is_wanted(l, &cfg->kernels, s))
      l->of[l->n++] = (enum stream)s;
  }
  if (l->n > 0)
    return 0;
  return err_set(err, -ENOTSUP,
                 "this machine has no stores past the caches that bench knows: "
                 "leave the -nt loops out of --memory-kernel");
}

int loops_choose(struct loops *l, const struct memory_cfg *cfg,
                 const struct place_cpus *cpus, unsigned threads,
                 struct err *err)
{
  char size[FMT_SIZE_SIZE];
  uint64_t all;
  int rc;

  l->streams = cfg->baseline ? streams_baseline() : streams_best();
  rc = loops_choose_loops(l, cfg, err);
  if (rc == 0)
    rc = pages_choose(cfg, place_last_caches("", cpus), CACHES_TIMES, &all,
                      err);
  if (rc < 0)
    return rc;
  l->words = stream_words_in(all / threads);
  if (l->words > 0)
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s for %u thread%s (each "
                 "needs at least 3 KiB)",
                 fmt_size(size, all), threads, threads == 1 ? "" : "s");
}

static int loops_verify(const struct loops_block *b, struct err *err)
{
  const struct loops *l = b->loops;
  struct stream_block part = b->block;

  part.n = stream_words_in(min_u64(VERIFY_BYTES, l->words * sizeof(double)));
  part.value = 17;
  for (unsigned i = 0; i < l->n; i++) {
    if (!stream_verify(l->streams, l->of[i], &part))
      return err_set(err, -EIO, "the loop %s (%s) has computed a wrong value",
                     stream_words[l->of[i]], l->streams->name);
  }
  return 0;
}

int loops_block_open(struct loops_block *b, const struct loops *loops,
                     bool huge, struct err *err)
{
  int rc = pages_map(&b->pages, loops->words * sizeof(double), huge, -1, err);

  if (rc < 0)
    return rc;
  b->loops = loops;
  pages_touch(&b->pages);
  b->block = (struct stream_block){ .words = (double *)(void *)b->pages.at,
                                    .n = loops->words,
                                    .value = 1 };
  rc = loops_verify(b, err);
  if (rc < 0) {
    loops_block_close(b);
    return rc;
  }
  loops->streams->run[STREAM_WRITE](&b->block);
  b->content = (struct stream_content){ 1, 1 };
  return 0;
}

void loops_block_close(struct loops_block *b)
{
  pages_unmap(&b->pages);
}

bool loops_run(struct loops_block *b, enum stream s, double value,
               unsigned passes)
{
  uint64_t sum = 0;

  b->block.value = value;
  for (unsigned i = 0; i < passes; i++)
    sum += b->loops->streams->run[s](&b->block);
  b->content = stream_content_after(b->content, s, value);
  return s != STREAM_READ ||
         sum == stream_content_sum(b->content, b->block.n) * passes;
}

bool loops_block_is_right(const struct loops_block *b)
{
  return stream_content_is(b->content, &b->block);
}
