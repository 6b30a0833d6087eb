/*
 * test_cpu_run.c - the cpu test with kernels: what is chosen, whose turn it is,
 * and that a wrong result ends the run.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/cpu/cpu.h"
#include "tests/tests.h"
#include "tests/unit/tap.h"

static const struct test_ops *ops;

/* The caller closes the run. */
static void *open_run(const char *const *names, size_t n, int isa,
                      struct kernels_chosen **ret)
{
  struct cpu_cfg cfg = { .kernels = { n, names }, .isa = isa };
  struct report_setup setup = { 0 };
  struct err err = { "" };
  void *run;

  MUST(ops->open(NULL, &cfg, &run, &err) == 0);
  ops->setup(run, &setup);
  *ret = (struct kernels_chosen *)(uintptr_t)setup.of_test;
  return run;
}

static void test_choice(void)
{
  static const char *const some[] = { "sha256", "int", "sha256" };
  static const char *const all[] = { "div", "all" };
  struct kernels_chosen *chosen;
  void *run = open_run(some, 3, CPU_ISA_AUTO, &chosen);

  OK(chosen->n == 2 && strcmp(chosen->kernel[0]->name, "int") == 0 &&
       strcmp(chosen->kernel[1]->name, "sha256") == 0,
     "each kernel that was named, once, in the order of the table");
  ops->close(run);
  run = open_run(all, 2, CPU_ISA_BASELINE, &chosen);
  OK(chosen->n == CPU_KERNELS, "all of them");
  for (unsigned i = 0; i < chosen->n; i++)
    MUST(chosen->path[i] == &chosen->kernel[i]->portable);
  OK_STR(chosen->column[CPU_KERNELS - 1], "lua_operations_per_s",
         "a column has the name of its kernel");
  ops->close(run);
}

static void test_words(void)
{
  const struct opt *row = cpu_opts;
  size_t n = 0;

  while (strcmp(row->name, "cpu-kernel") != 0)
    row++;
  while (row->words[n] && n < CPU_KERNELS &&
         strcmp(row->words[n], cpu_kernels[n]->name) == 0)
    n++;
  OK(n == CPU_KERNELS && strcmp(row->words[n], "all") == 0 &&
       !row->words[n + 1],
     "the option has a word for each kernel");
}

static uint64_t always_7(void *mem)
{
  (*(uint64_t *)mem)++;
  return 7;
}

static int nothing(void *mem, struct err *err)
{
  (void)mem, (void)err;
  return 0;
}

static void test_wrong_result(void)
{
  static const char *const names[] = { "int", "ilp" };
  static const struct cpu_path path = { .name = "made up", .run = always_7 };
  static const struct cpu_kernel good = { .name = "good",
                                          .operations = 1,
                                          .result = 7,
                                          .bytes = 64,
                                          .prepare = nothing };
  static const struct cpu_kernel bad = {
    .name = "bad", .operations = 1, .result = 8, .bytes = 64, .prepare = nothing
  };
  struct worker w = { .event_class = 0 };
  struct kernels_chosen *chosen;
  struct err err = { "" };
  void *run = open_run(names, 2, CPU_ISA_AUTO, &chosen), *thr;

  chosen->kernel[0] = &good;
  chosen->kernel[1] = &bad;
  chosen->path[0] = chosen->path[1] = &path;
  MUST(ops->thread_open(run, &w, &thr, &err) == 0);
  OK(ops->event(thr, &w, &err) == 0, "a right result is an event");
  OK(ops->event(thr, &w, &err) < 0, "the next event is of the next kernel");
  OK_STR(err.text,
         "the kernel bad (made up) computed 0x7 instead of 0x8: the processor, "
         "its memory or the compiler of this program is faulty; compare with "
         "--isa=baseline",
         "a wrong result is an error");
  ops->thread_close(thr);
  ops->close(run);
}

/* 2 threads, 3 rounds of int in 3 ms. */
static void test_report(void)
{
  static const char *const names[] = { "int", "ilp" };
  const struct class_report class = { .name = "int",
                                      .count = 3,
                                      .sum_ns = 3000000 };
  const struct report r = { .threads = 2, .classes = { 1, &class } };
  struct report_setup setup = { 0 };
  struct kernels_chosen *chosen;
  struct strbuf b = { 0 };
  void *run = open_run(names, 2, CPU_ISA_AUTO, &chosen);

  ops->setup(run, &setup);
  cpu_kernels_form.results(&b, &setup, &r);
  OK_STR(strbuf_str(&b),
         "CPU kernels:\n"
         "    kernel       operations/s   ns/operation  operation      code\n"
         "    int             524288000          3.815  step           "
         "portable\n"
         "    ilp                     -              -  step           "
         "portable\n",
         "the table of kernels");
  strbuf_done(&b);
  OK_STR(cpu_kernels_form.column(&setup, 1), "ilp_operations_per_s", "columns");
  OK(!cpu_kernels_form.column(&setup, 2), "no more than there are kernels");
  OK(cpu_kernels_form.value(&setup, &r, 0) == 524288000.0 &&
       cpu_kernels_form.value(&setup, &r, 1) !=
         cpu_kernels_form.value(&setup, &r, 1),
     "values, and none of what did not run");
  ops->close(run);
}

static void test_variants(void)
{
  static const char *const names[] = { "int" };
  const struct cpu_cfg kernels = { .max_prime = CPU_MAX_PRIME,
                                   .kernels = { 1, names },
                                   .isa = -1 };
  const struct cpu_cfg primes = { .isa = -1 };
  const struct cpu_cfg odd = { .isa = CPU_ISA_BASELINE };
  const struct test *test = &test_cpu;
  struct err err = { "" };

  OK(test_cpu.variant(&primes, &test, &err) == 0 && test == &test_cpu,
     "without kernels, the test of the prime numbers");
  OK(test_cpu.variant(&odd, &test, &err) < 0 && test == &test_cpu,
     "which has no instructions to choose from");
  OK(test_cpu.variant(&kernels, &test, &err) == 0 && test == &cpu_kernels_test,
     "with kernels, another test");
}

int main(void)
{
  ops = cpu_kernels_test.ops;
  test_choice();
  test_words();
  test_wrong_result();
  test_report();
  test_variants();
  return TAP_EXIT();
}
