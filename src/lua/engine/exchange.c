#include "lua/engine/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

void sequences_init(struct sequences *s)
{
  (void)pthread_mutex_init(&s->lock, NULL);
}

void sequences_done(struct sequences *s)
{
  (void)pthread_mutex_destroy(&s->lock);
}

/* Under the lock.  n: unknown name. */
static size_t exchange_sequences_find(const struct sequences *s,
                                      const char *name)
{
  size_t i = 0;

  while (i < s->n && strcmp(s->of[i].name, name) != 0)
    i++;
  return i;
}

int sequences_set(struct sequences *s, const char *name, double next)
{
  int rc = -ENOSPC;
  size_t i;

  (void)pthread_mutex_lock(&s->lock);
  i = exchange_sequences_find(s, name);
  if (i < SEQUENCES_MAX) {
    (void)snprintf(s->of[i].name, SEQUENCE_NAME_BYTES, "%s", name);
    s->of[i].next = next;
    if (i == s->n)
      s->n++;
    rc = 0;
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}

int sequences_take(struct sequences *s, const char *name, double n,
                   double limit, double *ret)
{
  int rc = -ENOENT;
  size_t i;

  (void)pthread_mutex_lock(&s->lock);
  i = exchange_sequences_find(s, name);
  if (i < s->n) {
    rc = -ERANGE;
    if (s->of[i].next + n - 1 <= limit) {
      *ret = s->of[i].next;
      s->of[i].next += n;
      rc = 0;
    }
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}

void series_set_init(struct series_set *set)
{
  (void)pthread_mutex_init(&set->lock, NULL);
}

void series_set_done(struct series_set *set)
{
  for (size_t i = 0; i < set->n; i++)
    free((void *)set->of[i].sum);
  (void)pthread_mutex_destroy(&set->lock);
}

/* Under the lock. */
static struct series *exchange_series_find(struct series_set *set,
                                           const char *name)
{
  struct series *s = set->of;

  while (s < set->of + set->n && strcmp(s->name, name) != 0)
    s++;
  if (s < set->of + set->n)
    return s;
  if (set->n == SERIES_MAX)
    return NULL;
  s->sum = calloc(SERIES_SECONDS, sizeof(*s->sum));
  if (!s->sum)
    return NULL;
  (void)snprintf(s->name, sizeof(s->name), "%s", name);
  s->begin_ns = &set->begin_ns;
  set->n++;
  return s;
}

struct series *series_open(struct series_set *set, const char *name)
{
  struct series *s;

  (void)pthread_mutex_lock(&set->lock);
  s = exchange_series_find(set, name);
  (void)pthread_mutex_unlock(&set->lock);
  return s;
}

static uint64_t exchange_series_get(const _Atomic uint64_t *from)
{
  return atomic_load_explicit(from, memory_order_relaxed);
}

static void exchange_note_gap(struct series *s, uint64_t from_ns,
                              uint64_t to_ns)
{
  uint64_t longest = exchange_series_get(&s->gap_ns);

  while (to_ns > from_ns && to_ns - from_ns > longest) {
    if (!atomic_compare_exchange_weak_explicit(
          &s->gap_ns, &longest, to_ns - from_ns, memory_order_relaxed,
          memory_order_relaxed))
      continue;
    atomic_store_explicit(&s->gap_at_ns, from_ns, memory_order_relaxed);
    return;
  }
}

static void exchange_add_relaxed(_Atomic double *to, double n)
{
  double sum = atomic_load_explicit(to, memory_order_relaxed);

  while (!atomic_compare_exchange_weak_explicit(
    to, &sum, sum + n, memory_order_relaxed, memory_order_relaxed))
    continue;
}

/* Threads read the clock earlier, so `now_ns` can be before that of another
 * thread. */
void series_add(struct series *s, double n, uint64_t now_ns)
{
  uint64_t begin = 0, before, second;

  if (atomic_compare_exchange_strong_explicit(s->begin_ns, &begin, now_ns,
                                              memory_order_relaxed,
                                              memory_order_relaxed))
    begin = now_ns;
  second = now_ns > begin ? (now_ns - begin) / NS_PER_S : 0;
  exchange_add_relaxed(
    &s->sum[second < SERIES_SECONDS ? second : SERIES_SECONDS - 1], n);
  before = exchange_series_get(&s->last_ns);
  while (now_ns > before && !atomic_compare_exchange_weak_explicit(
                              &s->last_ns, &before, now_ns,
                              memory_order_relaxed, memory_order_relaxed))
    continue;
  if (before > 0)
    exchange_note_gap(s, before, now_ns);
}

double series_sum(const struct series *s, size_t second)
{
  return second < SERIES_SECONDS
           ? atomic_load_explicit(&s->sum[second], memory_order_relaxed)
           : 0;
}

size_t series_seconds(const struct series *s)
{
  const uint64_t last = exchange_series_get(&s->last_ns),
                 begin = exchange_series_get(s->begin_ns);
  const uint64_t seconds = last >= begin && last > 0
                             ? (last - begin) / NS_PER_S + 1
                             : 0;

  return seconds < SERIES_SECONDS ? (size_t)seconds : SERIES_SECONDS;
}

uint64_t series_gap_ns(const struct series *s, uint64_t *ret_at_ns)
{
  const uint64_t at = exchange_series_get(&s->gap_at_ns),
                 begin = exchange_series_get(s->begin_ns);

  *ret_at_ns = at > begin ? at - begin : 0;
  return exchange_series_get(&s->gap_ns);
}

void sums_init(struct sums *s)
{
  (void)pthread_mutex_init(&s->lock, NULL);
}

void sums_done(struct sums *s)
{
  free((void *)s->cell);
  (void)pthread_mutex_destroy(&s->lock);
}

int sums_open(struct sums *s, size_t n)
{
  int rc = 0;

  (void)pthread_mutex_lock(&s->lock);
  if (!s->cell) {
    s->cell = calloc(n, sizeof(*s->cell));
    s->n = s->cell ? n : 0;
    rc = s->cell ? 0 : -ENOMEM;
  } else if (s->n != n) {
    rc = -EINVAL;
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}

void sums_add(struct sums *s, size_t i, double amount)
{
  if (i < s->n)
    exchange_add_relaxed(&s->cell[i], amount);
}

double sums_value(const struct sums *s, size_t i)
{
  return i < s->n ? atomic_load_explicit(&s->cell[i], memory_order_relaxed) : 0;
}

enum {
  JOBS_FIRST = 64,
};

void jobs_init(struct jobs *j)
{
  (void)pthread_mutex_init(&j->lock, NULL);
}

void jobs_done(struct jobs *j)
{
  free(j->of);
  j->of = NULL;
  (void)pthread_mutex_destroy(&j->lock);
}

/* The ring begins at the first place again. */
static int exchange_jobs_grow(struct jobs *j)
{
  const size_t size = j->size ? 2 * j->size : JOBS_FIRST;
  struct job *of;

  if (size > JOBS_MAX)
    return -ENOSPC;
  of = malloc(size * sizeof(*of));
  if (!of)
    return -ENOMEM;
  for (size_t i = 0; i < j->n; i++)
    of[i] = j->of[(j->first + i) % j->size];
  free(j->of);
  j->of = of;
  j->size = size;
  j->first = 0;
  return 0;
}

int jobs_put(struct jobs *j, const struct job *job)
{
  int rc = 0;

  (void)pthread_mutex_lock(&j->lock);
  if (j->n == j->size)
    rc = exchange_jobs_grow(j);
  if (rc == 0)
    j->of[(j->first + j->n++) % j->size] = *job;
  (void)pthread_mutex_unlock(&j->lock);
  return rc;
}

bool jobs_take(struct jobs *j, struct job *ret)
{
  bool any;

  (void)pthread_mutex_lock(&j->lock);
  any = j->n > 0;
  if (any) {
    *ret = j->of[j->first];
    j->first = (j->first + 1) % j->size;
    j->n--;
  }
  (void)pthread_mutex_unlock(&j->lock);
  return any;
}

size_t jobs_waiting(struct jobs *j)
{
  size_t n;

  (void)pthread_mutex_lock(&j->lock);
  n = j->n;
  (void)pthread_mutex_unlock(&j->lock);
  return n;
}

struct team_text {
  struct team_text *next;
  char *name; /* owned */
  size_t len;
  char text[];
};

void team_init(struct team *t)
{
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_cond_init(&t->news, NULL);
}

void team_done(struct team *t)
{
  while (t->texts) {
    struct team_text *first = t->texts;

    t->texts = first->next;
    free(first->name);
    free(first);
  }
  (void)pthread_cond_destroy(&t->news);
  (void)pthread_mutex_destroy(&t->lock);
}

static struct team_text *exchange_team_find(const struct team *t,
                                            const char *name)
{
  struct team_text *found = t->texts;

  while (found && strcmp(found->name, name) != 0)
    found = found->next;
  return found;
}

static struct team_text *team_text_new(const char *name, const char *text,
                                       size_t len)
{
  struct team_text *made = malloc(sizeof(*made) + len + 1);

  if (!made)
    return NULL;
  made->name = mem_strdup(name);
  made->len = len;
  memcpy(made->text, text, len);
  made->text[len] = '\0';
  if (!made->name) {
    free(made);
    return NULL;
  }
  return made;
}

int team_give(struct team *t, const char *name, const char *text, size_t len)
{
  struct team_text *made = team_text_new(name, text, len);
  int rc = 0;

  if (!made)
    return -ENOMEM;
  (void)pthread_mutex_lock(&t->lock);
  if (exchange_team_find(t, name)) {
    rc = -EEXIST;
  } else {
    made->next = t->texts;
    t->texts = made;
    (void)pthread_cond_broadcast(&t->news);
  }
  (void)pthread_mutex_unlock(&t->lock);
  if (rc < 0) {
    free(made->name);
    free(made);
  }
  return rc;
}

const char *team_await(struct team *t, const char *name, size_t *ret_len)
{
  const struct team_text *found;

  (void)pthread_mutex_lock(&t->lock);
  while (!(found = exchange_team_find(t, name)) && !t->left)
    (void)pthread_cond_wait(&t->news, &t->lock);
  (void)pthread_mutex_unlock(&t->lock);
  if (!found)
    return NULL;
  *ret_len = found->len;
  return found->text;
}

void team_leave(struct team *t)
{
  (void)pthread_mutex_lock(&t->lock);
  t->left = true;
  (void)pthread_cond_broadcast(&t->news);
  (void)pthread_mutex_unlock(&t->lock);
}
