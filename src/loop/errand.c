/*
 * errand.c - inboxes of loops.
 */
#include "loop/errand.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/wait.h"
#include "loop/inside.h"

struct loop_mates {
  unsigned n;
  _Atomic(struct loop *) loops[]; /* NULL: it has not joined */
};

/* ---- mates ---- */

struct loop_mates *loop_mates_new(unsigned n)
{
  struct loop_mates *m = calloc(1, sizeof(*m) + n * sizeof(m->loops[0]));

  if (m)
    m->n = n;
  return m;
}

void loop_mates_free(struct loop_mates *m)
{
  free(m);
}

int loop_join(struct loop *l, struct loop_mates *m, unsigned number,
              struct err *err)
{
  struct errands *e = &l->errands;

  if (m->n < 2 || !l->engine->run)
    return 0;
  e->out = calloc(m->n, sizeof(*e->out));
  if (!e->out)
    return err_set(err, -ENOMEM, "not enough memory for clients");
  e->mates = m;
  e->number = number;
  atomic_store(&m->loops[number], l);
  return 0;
}

unsigned errands_count_loops(const struct errands *e)
{
  return e->mates->n;
}

void errands_free(struct errands *e)
{
  free(e->out);
}

/* ---- lists ---- */

static void list_add(struct errand_list *list, struct errand *e)
{
  e->next = list->first; /* the latest one first, as in an inbox */
  if (!list->first)
    list->last = e;
  list->first = e;
}

static struct errand *turn_round(struct errand *e)
{
  struct errand *turned = NULL;

  while (e) {
    struct errand *next = e->next;

    e->next = turned;
    turned = e;
    e = next;
  }
  return turned;
}

/* ---- inboxes ---- */

/* False: it is closed. */
static bool put_into(struct errands *to, const struct errand_list *list)
{
  struct errand *head = atomic_load(&to->inbox);

  do {
    if (head == &to->shut)
      return false;
    list->last->next = head;
  } while (!atomic_compare_exchange_weak(&to->inbox, &head, list->first));
  return true;
}

static bool is_held_up(const struct loop *mate, uint64_t now_ns)
{
  const uint64_t looked_ns = atomic_load_explicit(&mate->counts.looked_ns,
                                                  memory_order_relaxed);

  return looked_ns != 0 && looked_ns + ERRAND_HELD_UP_NS < now_ns;
}

static bool send_out(struct loop *mate, const struct errand_list *list)
{
  struct errands *to = &mate->errands;

  if (!put_into(to, list))
    return false;
  if (atomic_load(&to->asleep) && atomic_exchange(&to->asleep, false))
    loop_wake(mate);
  return true;
}

static void begin(struct loop *l, struct errand *e)
{
  l->errands.here++;
  l->engine->run(l, e);
}

static void begin_all(struct loop *l, struct errand *latest)
{
  struct errand *next;

  for (struct errand *e = turn_round(latest); e; e = next) {
    next = e->next;
    begin(l, e);
  }
}

static void post_to(struct loop *l, unsigned number)
{
  struct errands_out *out = &l->errands.out[number];
  struct loop *mate = atomic_load_explicit(&l->errands.mates->loops[number],
                                           memory_order_acquire);

  if (out->run.first) /* by a task of the mate, so it has not ended */
    (void)send_out(mate, &out->run);
  if (out->asked.first &&
      !(mate && !is_held_up(mate, l->now_ns) && send_out(mate, &out->asked))) {
    out->asked.last->next = NULL;
    begin_all(l, out->asked.first);
  }
  *out = (struct errands_out){ 0 };
}

void errands_post(struct loop *l)
{
  struct errands *es = &l->errands;

  if (!es->any_out)
    return;
  es->any_out = false;
  for (unsigned i = 0; i < es->mates->n; i++)
    post_to(l, i);
}

void errand_give(struct loop *l, unsigned number, struct errand *e)
{
  e->from = l;
  l->errands.away++;
  list_add(&l->errands.out[number].asked, e);
  l->errands.any_out = true;
}

/* It has come back. */
static void arrive(struct loop *l, struct errand *e)
{
  l->errands.away--;
  loop_errand_done(l, e);
}

void errand_ended(struct loop *l, struct errand *e)
{
  l->errands.here--;
  if (e->from == l) {
    arrive(l, e);
    return;
  }
  list_add(&l->errands.out[e->from->errands.number].run, e);
  l->errands.any_out = true;
}

void errands_take(struct loop *l)
{
  struct errands *es = &l->errands;
  struct errand *e = atomic_load_explicit(&es->inbox, memory_order_relaxed);

  if (!e || e == &es->shut)
    return;
  e = turn_round(atomic_exchange(&es->inbox, NULL));
  for (struct errand *next; e; e = next) {
    next = e->next;
    if (e->from == l) {
      e->by_mate = true;
      loop_bump(&l->counts.errands, 1);
      arrive(l, e);
    } else {
      begin(l, e);
    }
  }
}

bool errands_let_sleep(struct loop *l)
{
  struct errands *es = &l->errands;
  const struct errand *first;

  if (!es->mates)
    return true;
  atomic_store(&es->asleep, true);
  first = atomic_load(&es->inbox);
  if (!first || first == &es->shut)
    return true;
  atomic_store(&es->asleep, false);
  return false;
}

void errands_awake(struct loop *l)
{
  if (l->errands.mates)
    atomic_store_explicit(&l->errands.asleep, false, memory_order_relaxed);
}

void errands_close(struct loop *l)
{
  struct errands *es = &l->errands;
  struct errand *none = NULL;

  if (!es->mates)
    return;
  while (!atomic_compare_exchange_strong(&es->inbox, &none, &es->shut)) {
    errands_take(l);
    none = NULL;
  }
  while (es->here > 0) {
    errands_post(l);
    l->since_ns = 0; /* it sleeps */
    l->engine->look(l, WAIT_FOREVER);
  }
  errands_post(l);
}
