/*
 * options.c - the options of the cpu test.
 */
#include "tests/cpu/options.h"

/* The names of all kernels, as in kernel_list.c, and a word for all of them. */
static const char *const kernel_words[] = {
  "int", "ilp",  "branch", "div",    "fp",  "lookup", "btree", "sort",
  "lz",  "json", "crc32c", "sha256", "aes", "lua",    "all",   NULL,
};

static const char *const isa_words[] = { "auto", "baseline", NULL };

const struct opt cpu_opts[] = {
  {
    OPT_INT(struct cpu_cfg, max_prime),
    .name = "cpu-max-prime",
    .def = "10000",
    .min = 1,
    .max = INT64_MAX,
    .help = "upper bound (exclusive) of the numbers tested for being prime",
    .man = "Every event tests each number from 3 up to, but not including, "
           "this limit. Doubling the limit makes an event almost three times "
           "as long.",
  },
  {
    OPT_LIST(struct cpu_cfg, kernels),
    .name = "cpu-kernel",
    .flags = OPT_OWN | OPT_NO_GAPS | OPT_NOT_EMPTY,
    .words = kernel_words,
    .show_as = "=LIST",
    .help = "measure kernels, all or some, instead of prime numbers",
    .man = "The kernels are int, ilp, branch, div, fp, lookup, btree, sort, "
           "lz, json, crc32c, sha256, aes and lua; all stands for all of them. "
           "A kernel is a small piece of work of one kind. Each event is a "
           "round of one kernel, whose result is compared with the right one. "
           "Threads go from kernel to kernel every few milliseconds. The "
           "report has operations per second and nanoseconds per operation of "
           "each kernel, and no score of all of them. "
           "--sweep=cpu-kernel:int,ilp measures each in a run of its own. "
           "--cpu-max-prime is not allowed then.",
  },
  {
    OPT_WORD(struct cpu_cfg, isa),
    .name = "isa",
    .flags = OPT_OWN,
    .words = isa_words,
    .help = "instructions that kernels use {auto,baseline}",
    .man = "With auto, which is the default, fp, crc32c, sha256 and aes use "
           "the instructions for them that the processor has, and lua the "
           "compiler of LuaJIT. With baseline, they use portable code alone, "
           "so that processors can be compared without these. The report "
           "shows which code was used.",
  },
  {
    OPT_BOOL(struct cpu_cfg, scaling),
    .name = "cpu-scaling",
    .flags = OPT_OWN,
    .def = "off",
    .help = "compare one thread, one per core and one per hardware thread",
    .man = "The three take turns in samples of at most 100 ms, each thread on "
           "a processor of its own. The work is that of --cpu-kernel, or prime "
           "numbers. The report has the operations per second of each, what "
           "all cores do as a multiple of one thread, and what second hardware "
           "threads add to that. Only processors on which the process may run "
           "count. It takes --threads=1, and starts the other threads itself.",
  },
  OPT_END,
};
