/*
 * model.c - the model test: a queue with c servers and exponential service. The
 * latencies at each rate are known in closed form, a control for tools that
 * measure latencies or search rates. Built-in faults: a server that stops, gets
 * slower with each run, or differs between runs.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "report/form.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/rand/rng.h"
#include "tests/tests.h"

struct model_cfg {
  uint64_t servers;
  double service_s;
  double freeze_s; /* 0: never */
  double slowdown; /* percent */
  double noise;    /* percent */
  const char *file;
};

static const struct opt model_opts[] = {
  {
    OPT_INT(struct model_cfg, servers),
    .name = "model-servers",
    .def = "1",
    .min = 1,
    .max = 10000,
    .help = "servers of the queue",
  },
  {
    OPT_TIME(struct model_cfg, service_s),
    .name = "model-service",
    .def = "1ms",
    .fmax = 3600,
    .help = "mean time of a service, which is exponential",
  },
  {
    OPT_TIME(struct model_cfg, freeze_s),
    .name = "model-freeze",
    .def = "0",
    .fmax = 86400,
    .help = "seconds after which no service ends any more; 0 = never",
  },
  {
    OPT_DOUBLE(struct model_cfg, slowdown),
    .name = "model-slowdown",
    .def = "0",
    .fmax = 1000,
    .help = "percent by which service is slower with each run",
  },
  {
    OPT_DOUBLE(struct model_cfg, noise),
    .name = "model-noise",
    .def = "0",
    .fmax = 100,
    .help = "percent by which the service of runs differs",
  },
  {
    OPT_STRING(struct model_cfg, file),
    .name = "model-file",
    .def = "",
    .help = "file that counts the runs: it grows by a byte with each",
  },
  OPT_END,
};

struct model {
  const struct model_cfg *cfg;
  double mean_ns;
  uint64_t freeze_ns;           /* UINT64_MAX: never */
  _Atomic uint32_t interrupted; /* waited for */

  pthread_mutex_t lock; /* protects the rest */
  struct rng rng;
  uint64_t *free_ns; /* owned; [servers]: end of service */
};

/* *ret: earlier runs. */
static int model_count_run(const char *path, uint64_t *ret, struct err *err)
{
  FILE *f;
  long n;

  *ret = 0;
  if (!*path)
    return 0;
  f = fopen(path, "a");
  if (!f)
    return err_sys(err, "cannot open '%s' (--model-file),", path);
  n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (n < 0 || fputc('.', f) == EOF) {
    const int rc = err_sys(err, "cannot write to '%s' (--model-file),", path);

    (void)fclose(f);
    return rc;
  }
  *ret = (uint64_t)n;
  return fclose(f) == 0
           ? 0
           : err_sys(err, "cannot write to '%s' (--model-file),", path);
}

static double model_normal(struct rng *rng)
{
  return sqrt(2 * rng_exponential(rng)) * cos(2 * M_PI * rng_double(rng));
}

static int model_open(const struct plan *plan, const void *arg, void **ret_run,
                      struct err *err)
{
  const struct model_cfg *cfg = arg;
  struct model *m = calloc(1, sizeof(*m));

  if (m)
    m->free_ns = calloc(cfg->servers, sizeof(*m->free_ns));
  if (!m || !m->free_ns) {
    free(m);
    return err_set(err, -ENOMEM, "cannot allocate the model");
  }
  m->cfg = cfg;
  rng_seed(&m->rng, plan->seed, RNG_INTERNAL, plan->part);
  (void)pthread_mutex_init(&m->lock, NULL); /* cannot fail */
  *ret_run = m;
  return 0;
}

static void model_close(void *run)
{
  struct model *m = run;

  (void)pthread_mutex_destroy(&m->lock);
  free(m->free_ns);
  free(m);
}

static int model_begin(void *run, struct err *err)
{
  struct model *m = run;
  uint64_t before;
  struct rng rng;
  const int rc = model_count_run(m->cfg->file, &before, err);

  rng_seed(&rng, before, RNG_INTERNAL, 1);
  m->mean_ns = m->cfg->service_s * (double)NS_PER_S *
               pow(1 + m->cfg->slowdown / 100, (double)before) *
               exp(m->cfg->noise / 100 * model_normal(&rng));
  m->freeze_ns = m->cfg->freeze_s > 0
                   ? clock_now_ns() +
                       (uint64_t)(m->cfg->freeze_s * (double)NS_PER_S)
                   : UINT64_MAX;
  return rc;
}

/* By the first free server, from the arrival on: a worker woken late loses no
 * time. */
static uint64_t model_serve(struct model *m, uint64_t arrival_ns)
{
  uint64_t first = 0, end_ns;

  (void)pthread_mutex_lock(&m->lock);
  for (uint64_t i = 1; i < m->cfg->servers; i++) {
    if (m->free_ns[i] < m->free_ns[first])
      first = i;
  }
  end_ns = m->free_ns[first] > arrival_ns ? m->free_ns[first] : arrival_ns;
  end_ns += (uint64_t)(m->mean_ns * rng_exponential(&m->rng));
  m->free_ns[first] = end_ns;
  (void)pthread_mutex_unlock(&m->lock);
  return end_ns;
}

static int model_event(void *thr, struct worker *w, struct err *err)
{
  struct model *m = thr;
  const uint64_t end_ns = model_serve(m, w->start_ns);

  (void)err;
  if (end_ns >= m->freeze_ns) {
    while (atomic_load(&m->interrupted) == 0)
      wait_while(&m->interrupted, 0, WAIT_FOREVER);
    return 0;
  }
  thread_sleep_until(end_ns);
  return 0;
}

static void model_interrupt(void *run, enum interrupt_step step)
{
  struct model *m = run;

  (void)step;
  atomic_store(&m->interrupted, 1);
  wait_wake_all(&m->interrupted);
}

static const struct test_ops model_ops = {
  .open = model_open,
  .begin = model_begin,
  .close = model_close,
  .event = model_event,
  .interrupt = model_interrupt,
};

const struct test test_model = {
  .name = "model",
  .summary = "Queue with known latencies",
  .opts = model_opts,
  .cfg_size = sizeof(struct model_cfg),
  .ops = &model_ops,
  .hidden = true,
};
