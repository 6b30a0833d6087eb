/*
 * test_op_class.c - latencies of kinds of operations: kept apart, summed up
 * over the workers, also where workers share histograms.
 */
#include "base/err.h"
#include "stats/op_class.h"
#include "tap.h"

static void test_workers(unsigned workers)
{
  struct hist_sum *hist = hist_sum_new();
  struct op_recorders rs;
  struct op_class c;
  struct err err;

  OK(op_recorders_init(&rs, workers, 2, &err) == 0, "made");
  op_recorders_read(&rs, 0, "first", hist, &c);
  OK(c.count == 0 && c.min_ns == 0 && c.max_ns == 0, "nothing yet");
  for (unsigned w = 0; w < workers; w++) {
    op_record(&op_recorders_of(&rs, w)[0], 100 + w, 10);
    op_record(&op_recorders_of(&rs, w)[1], 5000, 0);
  }
  op_recorders_read(&rs, 0, "first", hist, &c);
  OK_STR(c.name, "first", "name");
  OK(c.count == workers && c.bytes == 10 * workers, "counts and bytes");
  OK(c.min_ns == 100 && c.max_ns == 99 + workers, "minimum and maximum");
  OK(c.sum_ns == 100 * workers + workers * (workers - 1) / 2, "sum");
  OK(c.hist == hist && hist->count[hist_index(100)] == 1, "histogram");
  op_recorders_read(&rs, 1, "second", hist, &c);
  OK(c.count == workers && c.min_ns == 5000 && c.max_ns == 5000 && c.bytes == 0,
     "the other kind");
  op_recorders_done(&rs);
  hist_sum_free(hist);
}

int main(void)
{
  test_workers(1);
  test_workers(3);
  test_workers(200);
  return TAP_EXIT();
}
