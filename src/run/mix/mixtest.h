/*
 * mixtest.h - several tests as one: a worker chooses a member for each event,
 * or has only one.  Members have turn().
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

/* Borrowed. */
struct mixtest_cfg {
  const struct mix_list *list;
  int order;                   /* enum mix_order */
  const struct mix_part *part; /* [list->n] */
  const struct run_members *members;
};

extern const struct test_ops mixtest_ops;

#endif
