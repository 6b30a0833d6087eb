#include "tests/memory/options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "run/plan.h"
#include "tests/memory/streams.h"

const char memory_default_total[] = "100G";
const char *const memory_scope_words[] = { "global", "local", NULL };
const char *const memory_oper_words[] = { "read", "write", "none", NULL };
static const char *const mode_words[] = { "seq", "rnd", NULL };
static const char *const memory_test_words[] = {
  "bandwidth", "latency", "loaded", "pairs", "numa", "scaling", NULL
};
static const char *const pages_words[] = { "auto", "small", "huge", NULL };
static const char *const isa_words[] = { "auto", "baseline", NULL };

/* `best`: the old name of `auto`. */
static int parse_isa(const char *text, void *ret, struct err *why)
{
  bool *baseline = ret;

  (void)why;
  *baseline = strcmp(text, "baseline") == 0;
  return *baseline || strcmp(text, "auto") == 0 || strcmp(text, "best") == 0
           ? 0
           : -EINVAL;
}

static bool options_is_power_of_two(const char *text)
{
  uint64_t bytes;

  return parse_size(text, &bytes) == 0 && bytes >= 8 &&
         bytes <= UINT64_C(1) << 62 && (bytes & (bytes - 1)) == 0;
}

const struct opt memory_opts[] = {
  {
    OPT_SIZE(struct memory_cfg, block_bytes),
    .name = "memory-block-size",
    .def = "1K",
    .min = 8,
    .max = INT64_C(1) << 62,
    .check = options_is_power_of_two,
    .expected = "a power of two from 8 to 4611686018427387904, such as 1K or "
                "2M",
    .help = "size of the memory block accessed by an event",
    .man = "Every event reads or writes each 8-byte word of the block. Small "
           "blocks measure the caches of the CPU.",
  },
  {
    OPT_SIZE(struct memory_cfg, total_bytes),
    .name = "memory-total-size",
    .def = memory_default_total,
    .min = 0,
    .max = INT64_MAX,
    .help = "total size of data to transfer, 0 for no limit",
    .man = "The test ends when all threads together have gone over this number "
           "of bytes after the warm-up, or at the time limit.",
  },
  {
    OPT_WORD(struct memory_cfg, scope),
    .name = "memory-scope",
    .def = "global",
    .words = memory_scope_words,
    .help = "memory access scope {global,local}",
    .man = "One block that all threads access (global), or one for each "
           "thread (local).",
  },
  {
    OPT_BOOL(struct memory_cfg, huge),
    .name = "memory-hugetlb",
    .def = "off",
    .help = "allocate memory from the pool of huge pages",
    .man = "The pool must be large enough, see vm.nr_hugepages.",
  },
  {
    OPT_WORD(struct memory_cfg, oper),
    .name = "memory-oper",
    .def = "write",
    .words = memory_oper_words,
    .help = "type of memory operations {read, write, none}",
    .man = "With none, the block is not accessed: only the cost of the loop is "
           "left.",
  },
  {
    OPT_WORD(struct memory_cfg, mode),
    .name = "memory-access-mode",
    .def = "seq",
    .words = mode_words,
    .help = "memory access mode {seq,rnd}",
    .man = "Words in ascending order (seq), or as many words at random "
           "places (rnd).",
  },
  {
    OPT_WORD(struct memory_cfg, test),
    .flags = OPT_OWN,
    .name = "memory-test",
    .words = memory_test_words,
    .help = "measure a property of the memory instead {bandwidth, latency, "
            "loaded, pairs, numa, scaling}",
    .man = "bandwidth: bytes per second of loops that read, write, copy, and "
           "scale and add. latency: the time of a dependent access by the "
           "size of the memory that it goes over, and the caches that show in "
           "it. loaded: latency while the other threads use bandwidth. pairs: "
           "the time in which a cache line goes from one CPU to "
           "another. numa: latency and bandwidth from each node to the memory "
           "of each. scaling: bandwidth with one thread, one per core, and one "
           "per hardware thread. Unset, the test is the classic one.",
  },
  {
    OPT_SIZE(struct memory_cfg, size_bytes),
    .flags = OPT_OWN,
    .name = "memory-size",
    .def = "0",
    .max = INT64_C(1) << 50,
    .help = "with --memory-test: memory of all threads together, 0 for several "
            "times the last cache",
    .man = "By default four times the last caches together (eight times with "
           "loaded), and at most 40 % of the memory that is available. It is "
           "refused if that much is not available.",
  },
  {
    OPT_WORD(struct memory_cfg, pages),
    .flags = OPT_OWN,
    .name = "memory-pages",
    .def = "auto",
    .words = pages_words,
    .help = "with --memory-test: pages of the memory {auto, small, huge}",
    .man = "auto: latency measures with both, the other tests use huge pages. "
           "The report has the pages that the system really gave.",
  },
  {
    OPT_LIST(struct memory_cfg, kernels),
    .flags = OPT_OWN | OPT_EXPERT,
    .name = "memory-kernel",
    .def = "",
    .words = stream_words,
    .help = "with --memory-test=bandwidth or scaling: the loops to run, all if "
            "empty",
    .man = "read, write, copy, scale-add, and with stores past the caches "
           "write-nt, copy-nt, scale-add-nt.",
  },
  {
    OPT_PARSED(struct memory_cfg, baseline, parse_isa),
    .flags = OPT_OWN | OPT_EXPERT,
    .name = "isa",
    .aliases = "memory-isa",
    .def = "auto",
    .words = isa_words,
    .expected = "one of: auto, baseline",
    .show_as = "=auto|baseline",
    .help = "with --memory-test: instructions of the loops {auto,baseline}",
    .man = "baseline: the portable loops, without instructions that only some "
           "CPUs have. The report has the ones used.",
  },
  OPT_END,
};

static const char *classic_option(const struct memory_cfg *cfg)
{
  uint64_t total;

  if (cfg->block_bytes != 1024)
    return "memory-block-size";
  if (parse_size(memory_default_total, &total) < 0 || cfg->total_bytes != total)
    return "memory-total-size";
  if (cfg->scope != SCOPE_GLOBAL)
    return "memory-scope";
  if (cfg->huge)
    return "memory-hugetlb";
  if (cfg->oper != MEMORY_WRITE)
    return "memory-oper";
  return cfg->mode != MEMORY_SEQ ? "memory-access-mode" : NULL;
}

static const char *options_new_option(const struct memory_cfg *cfg)
{
  if (cfg->size_bytes > 0)
    return "memory-size";
  if (cfg->pages != PAGES_AUTO)
    return "memory-pages";
  if (cfg->kernels.n > 0)
    return "memory-kernel";
  return cfg->baseline ? "isa" : NULL;
}

int memory_options_check(const struct memory_cfg *cfg, struct err *err)
{
  const char *name;

  if (cfg->test < 0) {
    name = options_new_option(cfg);
    return name ? err_set(err, -EINVAL,
                          "--%s is for the tests that --memory-test chooses: "
                          "give that, too",
                          name)
                : 0;
  }
  name = classic_option(cfg);
  if (name)
    return err_set(err, -EINVAL,
                   "--%s is for the test without --memory-test: leave one of "
                   "them out",
                   name);
  if (cfg->kernels.n > 0 && cfg->test != MEMORY_BANDWIDTH &&
      cfg->test != MEMORY_SCALING)
    return err_set(err, -EINVAL,
                   "--memory-kernel is for --memory-test=bandwidth or scaling, "
                   "not for %s",
                   memory_test_words[cfg->test]);
  return 0;
}

static int memory_check_plan(const struct plan *plan,
                             const struct memory_cfg *cfg, struct err *err)
{
  const char *word = memory_test_words[cfg->test];

  if (plan_rated_by(plan))
    return err_set(err, -EINVAL,
                   "--%s makes no sense with --memory-test=%s: it measures "
                   "as fast as it can",
                   plan_rated_by(plan), word);
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "--memory-test=%s is for a run of one process",
                   word);
  if (cfg->test == MEMORY_BANDWIDTH)
    return 0;
  if (cfg->test != MEMORY_LOADED && plan->threads > 1)
    return err_set(err, -EINVAL,
                   "--memory-test=%s takes --threads=1, and starts more "
                   "threads itself if it needs them",
                   word);
  if (cfg->test == MEMORY_LOADED && plan->threads < 2)
    return err_set(err, -EINVAL,
                   "--memory-test=%s needs at least --threads=2: one thread "
                   "measures, the others load the memory",
                   word);
  return 0;
}

void *memory_new(const struct plan *plan, const struct memory_cfg *cfg,
                 size_t bytes, int *ret_rc, struct err *err)
{
  void *run;

  *ret_rc = memory_check_plan(plan, cfg, err);
  if (*ret_rc < 0)
    return NULL;
  run = mem_aligned(1, bytes, CACHE_LINE);
  if (!run)
    *ret_rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  return run;
}
