/*
 * test_class_stats.c - classes of operations: workers count them, other threads
 * read them, in periods.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "stats/class_stats.h"
#include "tests/unit/tap.h"

static unsigned id_of(struct class_set *set, const char *name)
{
  return class_id(set, name, strlen(name));
}

static void record(struct class_set *set, unsigned worker, unsigned id,
                   uint64_t ns, bool failed, uint64_t rows)
{
  const struct class_outcome outcome = { failed, rows, 10 };

  class_record(class_recorder_of(set, worker), id, ns, &outcome);
}

static void test_names(void)
{
  struct class_set *set = NULL;
  struct err err;
  char name[32];
  unsigned id = 0;

  OK(class_set_new(&set, 1, &err) == 0, "a set");
  OK(class_count(set) == 0, "is empty");
  OK(id_of(set, "SELECT 1") == 0, "the first name");
  OK(id_of(set, "SELECT 12") == 1, "a longer one is another");
  OK(class_id(set, "SELECT 12", 8) == 0, "the length counts");
  OK_STR(class_name(set, 1), "SELECT 12", "its name");
  memset(name, 'x', sizeof(name));
  memcpy(name, "SELECT 1", sizeof("SELECT 1"));
  OK(class_id(set, name, sizeof(name)) == 0, "a zero byte is its end");
  memcpy(name, "SELECT 3", sizeof("SELECT 3"));
  OK(class_id(set, name, sizeof(name)) == 2 && id_of(set, "SELECT 3") == 2,
     "also of a new one");
  for (int i = 0; i < 2 * CLASS_MAX; i++) {
    (void)snprintf(name, sizeof(name), "statement %d", i);
    id = id_of(set, name);
  }
  OK(class_count(set) == CLASS_MAX, "there is an end");
  OK(id == CLASS_MAX - 1, "the rest has one class");
  OK_STR(class_name(set, id), "(other)", "with a name of its own");
  record(set, 0, id, 5, false, 0);
  class_set_free(set);
}

static void test_periods(void)
{
  struct class_set *set = NULL;
  struct class_periods p;
  struct class_list list;
  struct err err;
  unsigned a, b;

  (void)class_set_new(&set, 2, &err);
  OK(class_periods_init(&p, set) == 0, "periods");
  a = id_of(set, "a");
  record(set, 0, a, 999999, true, 7); /* in the warm-up */
  class_periods_restart(&p);

  b = id_of(set, "b");
  record(set, 0, a, 100, false, 2);
  record(set, 1, a, 300, true, 0);
  record(set, 1, b, 5000, false, 1);
  list = class_periods_interval(&p);
  OK(list.n == 2, "both classes");
  OK_STR(list.of[0].name, "a", "by name");
  OK(list.of[0].count == 2 && list.of[0].errors == 1 && list.of[0].rows == 2 &&
       list.of[0].bytes == 20 && list.of[0].sum_ns == 400,
     "counts over the workers, without what was before");
  OK(list.of[0].min_ns == 100 && list.of[0].max_ns == 300, "limits");
  OK(list.of[0].hist->total == 2, "latencies");
  OK(list.of[1].count == 1 && list.of[1].min_ns <= 5000 &&
       list.of[1].max_ns >= 5000 && list.of[1].max_ns - list.of[1].min_ns <= 5,
     "limits are those of a bucket");

  record(set, 0, b, 7, false, 1);
  list = class_periods_interval(&p);
  OK(list.of[0].count == 0 && list.of[0].max_ns == 0 && list.of[1].count == 1 &&
       list.of[1].sum_ns == 7,
     "the next interval begins anew");
  list = class_periods_total(&p);
  OK(list.of[0].count == 2 && list.of[1].count == 2 &&
       list.of[1].sum_ns == 5007 && list.of[1].min_ns == 7,
     "the total does not");
  class_periods_done(&p);
  class_set_free(set);

  OK(class_periods_init(&p, NULL) == 0, "without classes");
  class_periods_restart(&p);
  OK(class_periods_interval(&p).n == 0 && class_periods_total(&p).n == 0,
     "there are none");
  class_periods_done(&p);
}

enum {
  WORKERS = 70, /* some share a histogram */
  EACH = 2000,
  CLASSES = 10, /* some have fewer histograms than others */
  THREADS = 4,
};

struct part {
  struct class_set *set;
  unsigned first;
};

static void *work(void *arg)
{
  const struct part *part = arg;

  for (unsigned w = part->first; w < WORKERS; w += THREADS) {
    char name[16];

    (void)snprintf(name, sizeof(name), "class %u", w % CLASSES);
    for (unsigned i = 0; i < EACH; i++)
      record(part->set, w, id_of(part->set, name), i, i % 2, 1);
  }
  return NULL;
}

/* Names, cells and shared histograms are created while other threads read. */
static void test_threads(void)
{
  struct class_totals t = { .hist = hist_sum_new() };
  uint64_t count = 0, errors = 0, in_hists = 0;
  struct class_set *set = NULL;
  struct part part[THREADS];
  pthread_t thread[THREADS];
  struct err err;

  (void)class_set_new(&set, WORKERS, &err);
  for (unsigned i = 0; i < THREADS; i++) {
    part[i] = (struct part){ set, i };
    (void)pthread_create(&thread[i], NULL, work, &part[i]);
  }
  for (unsigned n = 0; n < 50; n++) {
    for (unsigned id = 0; id < class_count(set); id++)
      class_read(set, id, &t);
  }
  for (unsigned i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  OK(class_count(set) == CLASSES, "each name once");
  for (unsigned id = 0; id < CLASSES; id++) {
    class_read(set, id, &t);
    count += t.count;
    errors += t.errors;
    in_hists += t.hist->total;
  }
  OK(count == WORKERS * EACH && errors == count / 2, "no count is lost");
  OK(in_hists == count, "nor in shared histograms");
  hist_sum_free(t.hist);
  class_set_free(set);
}

struct busy {
  struct class_set *set;
  _Atomic bool over;
};

static void *work_on(void *arg)
{
  struct busy *b = arg;

  for (uint64_t i = 0; !atomic_load(&b->over); i++)
    record(b->set, 0, 0, i % 2 ? 1000000 : 1000, false, 0);
  return NULL;
}

static bool agrees(const struct class_report *r)
{
  return r->count == r->hist->total && r->sum_ns >= r->count * r->min_ns &&
         r->sum_ns <= r->count * r->max_ns;
}

/* Whatever operation ends while an interval is read: its numbers agree. */
static void test_busy(void)
{
  struct busy busy = { 0 };
  struct class_periods p;
  pthread_t thread;
  unsigned bad = 0, n = 0;
  struct err err;

  (void)class_set_new(&busy.set, 1, &err);
  (void)id_of(busy.set, "a");
  (void)class_periods_init(&p, busy.set);
  class_periods_restart(&p);
  (void)pthread_create(&thread, NULL, work_on, &busy);
  while (n < 2000) {
    const struct class_list list = class_periods_interval(&p);

    n += list.of[0].count > 0;
    bad += !agrees(&list.of[0]);
  }
  atomic_store(&busy.over, true);
  (void)pthread_join(thread, NULL);
  OK(bad == 0, "the numbers of each interval agree");
  class_periods_done(&p);
  class_set_free(busy.set);
}

int main(void)
{
  test_names();
  test_periods();
  test_threads();
  test_busy();
  class_set_free(NULL);
  return TAP_EXIT();
}
