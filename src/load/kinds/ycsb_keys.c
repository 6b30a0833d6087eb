/*
 * ycsb_keys.c - which rows the ycsb script reads, changes and inserts.
 *
 * Clients with an insert in progress form a list in the order of their rows.
 * Rows before that of the oldest one are acknowledged.
 */
#include "load/kinds/ycsb_keys.h"

#include <errno.h>
#include <stdlib.h>

#include "load/kind.h"

/* ---- workloads ---- */

static const struct ycsb_workload workloads[] = {
  { 'a', { [YCSB_READ] = 50, [YCSB_UPDATE] = 50 }, YCSB_ZIPFIAN },
  { 'b', { [YCSB_READ] = 95, [YCSB_UPDATE] = 5 }, YCSB_ZIPFIAN },
  { 'c', { [YCSB_READ] = 100 }, YCSB_ZIPFIAN },
  { 'd', { [YCSB_READ] = 95, [YCSB_INSERT] = 5 }, YCSB_LATEST },
  { 'e', { [YCSB_SCAN] = 95, [YCSB_INSERT] = 5 }, YCSB_ZIPFIAN },
  { 'f', { [YCSB_READ] = 50, [YCSB_RMW] = 50 }, YCSB_ZIPFIAN },
};

const struct ycsb_workload *ycsb_workload(char name)
{
  for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
    if (workloads[i].name == name)
      return &workloads[i];
  }
  return NULL;
}

enum ycsb_op ycsb_draw_op(const struct ycsb_workload *w, struct rng *rng)
{
  unsigned left = (unsigned)rng_below(rng, 100);
  unsigned op = 0;

  while (left >= w->percent[op])
    left -= w->percent[op++];
  return (enum ycsb_op)op;
}

/* ---- rows ---- */

/* The purpose of the permutation of popular rows. */
enum {
  FOR_POPULAR = 100
};

void ycsb_keys_init(struct ycsb_keys *k, const struct kind_args *args,
                    enum ycsb_choice choice, double exponent)
{
  *k = (struct ycsb_keys){ .choice = choice, .stopped_at = UINT64_MAX };
  ycsb_init(&k->model, args);
  rand_zipf_init(&k->zipf, exponent);
  zipf_java_init(&k->java);
  scramble_init(&k->popular, rng_key(k->model.seed, RNG_ROWS, FOR_POPULAR),
                k->model.records);
  ycsb_keys_own(k, k->model.records + 1, 1);
  (void)pthread_mutex_init(&k->lock, NULL);
}

void ycsb_keys_done(struct ycsb_keys *k)
{
  (void)pthread_mutex_destroy(&k->lock);
  free(k->past);
  k->past = NULL;
}

/* The rows with an index below those of the next extent. */
static uint64_t rows_so_far(const struct ycsb_keys *k)
{
  const struct ycsb_extent *last;

  if (k->n_past == 0)
    return k->model.records;
  last = &k->past[k->n_past - 1];
  return last->below + last->count;
}

int ycsb_keys_add(struct ycsb_keys *k, uint64_t first, uint64_t stride,
                  uint64_t count)
{
  if (count == 0)
    return 0;
  if (k->n_past == k->room_past) {
    const size_t room = k->room_past ? 2 * k->room_past : 16;
    struct ycsb_extent *more = reallocarray(k->past, room, sizeof(*more));

    if (!more)
      return -ENOMEM;
    k->past = more;
    k->room_past = room;
  }
  k->past[k->n_past] = (struct ycsb_extent){
    .first = first, .stride = stride, .count = count, .below = rows_so_far(k)
  };
  k->n_past++;
  return 0;
}

void ycsb_keys_own(struct ycsb_keys *k, uint64_t first, uint64_t stride)
{
  k->own = (struct ycsb_extent){ .first = first,
                                 .stride = stride,
                                 .below = rows_so_far(k) };
}

uint64_t ycsb_keys_readable(const struct ycsb_keys *k)
{
  /* Pairs with the release in publish(): the row was acknowledged before. */
  return k->own.below +
         atomic_load_explicit(&k->readable, memory_order_acquire);
}

/* The last extent that begins below this index; it is after the loaded rows. */
static const struct ycsb_extent *extent_of(const struct ycsb_keys *k,
                                           uint64_t index)
{
  size_t low = 0, high = k->n_past;

  if (index > k->own.below)
    return &k->own;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;

    if (k->past[middle].below < index)
      low = middle;
    else
      high = middle;
  }
  return &k->past[low];
}

uint64_t ycsb_keys_at(const struct ycsb_keys *k, uint64_t index)
{
  const struct ycsb_extent *e;

  if (index <= k->model.records)
    return index;
  e = extent_of(k, index);
  return e->first + (index - e->below - 1) * e->stride;
}

/* The most popular ranks are loaded rows, spread by a permutation; the rows
 * inserted later have the other ranks in order.  So growth changes no rank. */
static uint64_t index_of_rank(const struct ycsb_keys *k, uint64_t rank)
{
  return rank <= k->model.records ? scramble(&k->popular, rank - 1) + 1 : rank;
}

/* The generator knows one item more than there are rows, as that of YCSB. */
static uint64_t draw_java(const struct ycsb_keys *k, struct rng *rng)
{
  uint64_t item;

  do {
    item = zipf_java_item(&k->java, rng_double(rng), k->model.records + 1);
  } while (item == k->model.records);
  return item + 1;
}

uint64_t ycsb_keys_draw(const struct ycsb_keys *k, struct ycsb_client *c,
                        struct rng *rng)
{
  const uint64_t readable = ycsb_keys_readable(k);
  uint64_t rank;

  if (k->choice == YCSB_JAVA)
    return draw_java(k, rng);
  if (k->choice == YCSB_UNIFORM)
    return ycsb_keys_at(k, 1 + rng_below(rng, readable));
  rank = (uint64_t)dist_zipfian(&k->zipf, rng, &c->zipf, 1, (int64_t)readable);
  if (k->choice == YCSB_LATEST)
    return ycsb_keys_at(k, readable + 1 - rank);
  return ycsb_keys_at(k, index_of_rank(k, rank));
}

/* ---- inserts; with the lock ---- */

static void append(struct ycsb_keys *k, struct ycsb_client *c)
{
  c->before = k->newest;
  c->after = NULL;
  if (k->newest)
    k->newest->after = c;
  else
    k->oldest = c;
  k->newest = c;
}

static void take_out(struct ycsb_keys *k, struct ycsb_client *c)
{
  if (c->before)
    c->before->after = c->after;
  else
    k->oldest = c->after;
  if (c->after)
    c->after->before = c->before;
  else
    k->newest = c->before;
}

static void publish(struct ycsb_keys *k)
{
  uint64_t readable = k->oldest ? k->oldest->inserting - 1 : k->begun;

  if (readable > k->stopped_at)
    readable = k->stopped_at;
  /* Pairs with ycsb_keys_readable(). */
  atomic_store_explicit(&k->readable, readable, memory_order_release);
}

uint64_t ycsb_keys_insert(struct ycsb_keys *k, struct ycsb_client *c)
{
  uint64_t index;

  (void)pthread_mutex_lock(&k->lock);
  index = k->begun++;
  c->inserting = index + 1;
  append(k, c);
  (void)pthread_mutex_unlock(&k->lock);
  return k->own.first + index * k->own.stride;
}

void ycsb_keys_inserted(struct ycsb_keys *k, struct ycsb_client *c)
{
  (void)pthread_mutex_lock(&k->lock);
  if (c->inserting > 0) {
    take_out(k, c);
    c->inserting = 0;
    k->acknowledged++;
    publish(k);
  }
  (void)pthread_mutex_unlock(&k->lock);
}

void ycsb_keys_leave(struct ycsb_keys *k, struct ycsb_client *c)
{
  (void)pthread_mutex_lock(&k->lock);
  if (c->inserting > 0) {
    take_out(k, c);
    if (c->inserting - 1 < k->stopped_at)
      k->stopped_at = c->inserting - 1;
    c->inserting = 0;
  }
  (void)pthread_mutex_unlock(&k->lock);
}
