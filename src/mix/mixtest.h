/*
 * mixtest.h - several tests as one: for each event, a worker chooses one of
 * them, or has only one.
 *
 * A member has a test of its own, with what it allocates for the run, for
 * threads of clients and for workers.  It must have turn() (run/test.h).
 */
#ifndef BENCH_MIX_MIXTEST_H
#define BENCH_MIX_MIXTEST_H

struct mix_list;
struct run_members;
struct test;
struct test_ops;

struct mix_part {
  const struct test *test;
  void *cfg;
};

/* What the functions of the test get as `cfg`; all is borrowed. */
struct mixtest_cfg {
  const struct mix_list *list;
  int order;                   /* enum mix_order */
  const struct mix_part *part; /* [list->n] */
  const struct run_members *members;
};

extern const struct test_ops mixtest_ops;

#endif
