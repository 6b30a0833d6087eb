/*
 * test_simulated.c - histories of simulated databases: a serial one has no
 * anomaly until somebody changes its history, one with snapshots has write skew
 * and nothing else, one that reads what is committed loses updates.  And
 * a slow and simple search for cycles agrees with the real one.
 */
#include "tests/unit/history/history_rig.h"
#include "verify/history/graph.h"

enum {
  KEYS = 6,
  CLIENTS = 5,
  OPS_MAX = 5,
  TRXS = 300,
  LIST_MAX = 2 * TRXS,
};

static uint32_t draw(uint64_t *seed, uint32_t n)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % n;
}

enum database {
  SERIAL,    /* one transaction after the other */
  SNAPSHOTS, /* reads of a snapshot, the first one to commit a key wins */
  COMMITTED, /* each read sees what is committed, and nobody is refused */
};

/* ---- a history as data ---- */

struct op {
  unsigned key;
  int value; /* to append; 0: a read */
  int list[LIST_MAX];
  int n;
};

struct trx {
  struct op ops[OPS_MAX];
  unsigned n_ops;
  unsigned client, begin, end;
  bool ok;
};

struct sim {
  struct trx *trxs;
  unsigned n;
  int lists[KEYS][LIST_MAX];          /* what is committed */
  unsigned committed[KEYS][LIST_MAX]; /* when */
  int len[KEYS];
  int values;
  unsigned clock;
  uint64_t seed;
};

static const char *text_of(const struct sim *s, struct strbuf *to)
{
  strbuf_clear(to);
  strbuf_adds(to, "bench history 1 lists\n");
  for (unsigned t = 0; t < s->n; t++) {
    const struct trx *x = &s->trxs[t];

    strbuf_addf(to, "%u %u %u %s", x->client, x->begin, x->end,
                x->ok ? "ok" : "fail");
    for (unsigned i = 0; i < x->n_ops; i++) {
      const struct op *o = &x->ops[i];

      if (o->value < 0)
        continue; /* a dropped one */
      strbuf_addf(to, o->value ? " a:%u=%d" : " r:%u=", o->key, o->value);
      for (int e = 0; o->value == 0 && e < o->n; e++)
        strbuf_addf(to, e ? ",%d" : "%d", o->list[e]);
    }
    strbuf_adds(to, "\n");
  }
  strbuf_addf(to, "end %u\n", s->n);
  MUST(!to->failed);
  return to->text;
}

/* ---- the database ---- */

/* The list of a key as it was at a time, and what the transaction has added. */
static void do_read(struct sim *s, struct trx *x, struct op *o, unsigned when)
{
  o->n = 0;
  for (int e = 0; e < s->len[o->key]; e++) {
    if (s->committed[o->key][e] <= when)
      o->list[o->n++] = s->lists[o->key][e];
  }
  for (struct op *p = x->ops; p < o; p++) {
    if (p->value > 0 && p->key == o->key)
      o->list[o->n++] = p->value;
  }
}

static bool conflicts(const struct sim *s, const struct trx *x)
{
  for (unsigned i = 0; i < x->n_ops; i++) {
    const unsigned key = x->ops[i].key;

    if (x->ops[i].value > 0 && s->len[key] > 0 &&
        s->committed[key][s->len[key] - 1] > x->begin)
      return true;
  }
  return false;
}

static void do_commit(struct sim *s, struct trx *x, enum database db)
{
  x->end = ++s->clock;
  x->ok = !(db == SNAPSHOTS && conflicts(s, x)) && draw(&s->seed, 20) > 0;
  for (unsigned i = 0; x->ok && i < x->n_ops; i++) {
    const struct op *o = &x->ops[i];

    if (o->value == 0)
      continue;
    s->committed[o->key][s->len[o->key]] = x->end;
    s->lists[o->key][s->len[o->key]++] = o->value;
  }
}

/* One more operation of a transaction, or its end.  A key is read before the
 * first append to it. */
static bool go_on(struct sim *s, struct trx *x, enum database db)
{
  struct op *o = &x->ops[x->n_ops];

  if (x->n_ops == OPS_MAX || (x->n_ops > 1 && draw(&s->seed, 4) == 0)) {
    do_commit(s, x, db);
    return false;
  }
  o->key = draw(&s->seed, KEYS);
  o->value = 0;
  if (x->n_ops > 0 && draw(&s->seed, 2) == 0) {
    o->key = x->ops[draw(&s->seed, x->n_ops)].key;
    o->value = ++s->values;
  }
  if (o->value == 0)
    do_read(s, x, o, db == COMMITTED ? s->clock : x->begin);
  x->n_ops++;
  return true;
}

/* The transactions stand in the order of their begin. */
static void simulate(struct sim *s, enum database db, unsigned n, uint64_t seed)
{
  struct trx *running[CLIENTS] = { NULL };
  struct trx *trxs = s->trxs;

  memset(s, 0, sizeof(*s));
  s->trxs = trxs;
  s->seed = seed;
  while (s->n < n) {
    const unsigned c = db == SERIAL ? 0 : draw(&s->seed, CLIENTS);

    if (!running[c]) {
      running[c] = &trxs[s->n++];
      running[c]->n_ops = 0;
      running[c]->ok = false;
      running[c]->client = db == SERIAL ? draw(&s->seed, CLIENTS) : c;
      running[c]->begin = running[c]->end = s->clock;
    }
    if (!go_on(s, running[c], db))
      running[c] = NULL;
  }
  for (unsigned c = 0; c < CLIENTS; c++) {
    if (running[c])
      do_commit(s, running[c], db);
  }
}

/* ---- what they show ---- */

static void test_levels(struct sim *s, struct strbuf *text)
{
  unsigned clean = 0, skewed = 0, other = 0, lost = 0;

  for (uint64_t seed = 1; seed <= 30; seed++) {
    const char *found;

    simulate(s, SERIAL, TRXS, seed);
    clean += strcmp(rig_found(text_of(s, text)), "") == 0;
    simulate(s, SNAPSHOTS, TRXS, seed);
    found = rig_found(text_of(s, text));
    skewed += strcmp(found, "G2-item") == 0;
    other += strcmp(found, "G2-item") != 0 && strcmp(found, "") != 0;
    simulate(s, COMMITTED, TRXS, seed);
    lost += strstr(rig_found(text_of(s, text)), "lost-update G-single") != NULL;
  }
  OK(clean == 30, "30 serial histories have no anomaly");
  OK(other == 0, "30 with snapshots have nothing but write skew");
  OK(skewed >= 29, "and nearly all of them have it");
  OK(lost == 30, "30 of what was committed have lost updates and G-single");
}

/* ---- mutations ---- */

enum mutation {
  SWAP,    /* two elements of a read */
  MIDDLE,  /* drop an element of a read, but not the last one */
  LAST,    /* drop the last element of a read before an append */
  FORGET,  /* drop an append that somebody else has read */
  FAIL,    /* a transaction that somebody else has read has failed */
  FOREIGN, /* a read has the element that follows only later */
  MUTATIONS
};

static bool is_read_by_others(const struct sim *s, unsigned trx, int value)
{
  for (unsigned t = 0; t < s->n; t++) {
    for (unsigned i = 0; t != trx && s->trxs[t].ok && i < s->trxs[t].n_ops;
         i++) {
      const struct op *o = &s->trxs[t].ops[i];

      for (int e = 0; o->value == 0 && e < o->n; e++) {
        if (o->list[e] == value)
          return true;
      }
    }
  }
  return false;
}

static int *place_of(struct op *o, int value)
{
  for (int e = 0; e < o->n; e++) {
    if (o->list[e] == value)
      return &o->list[e];
  }
  return NULL;
}

static void drop(struct op *o, int at)
{
  memmove(&o->list[at], &o->list[at + 1],
          (size_t)(o->n - at - 1) * sizeof(o->list[0]));
  o->n--;
}

/* Is it a first read, with an append of the same key right behind it? */
static bool is_changed(const struct trx *x, unsigned i)
{
  for (unsigned k = 0; k < i; k++) {
    if (x->ops[k].key == x->ops[i].key)
      return false;
  }
  return i + 1 < x->n_ops && x->ops[i + 1].value > 0 &&
         x->ops[i + 1].key == x->ops[i].key;
}

/* Returns whether the mutation is possible there. */
static bool mutate(struct sim *s, enum mutation m)
{
  const unsigned t = draw(&s->seed, s->n);
  struct trx *x = &s->trxs[t];
  const unsigned i = draw(&s->seed, x->n_ops ? x->n_ops : 1);
  struct op *o = &x->ops[i];
  int at, other;

  if (!x->ok || i >= x->n_ops)
    return false;
  if (m == FORGET || m == FAIL) {
    if (o->value == 0 || !is_read_by_others(s, t, o->value))
      return false;
    if (m == FORGET)
      o->value = -1;
    else
      x->ok = false;
    return true;
  }
  if (o->value != 0)
    return false;
  if (m == FOREIGN) {
    if (!is_changed(x, i) || place_of(o, s->values))
      return false;
    for (unsigned k = t + 1; k < s->n; k++) {
      const struct op *own = &x->ops[i + 1], *later = s->trxs[k].ops;

      for (unsigned n = 0; s->trxs[k].ok && n < s->trxs[k].n_ops;
           n++, later++) {
        if (later->value > own->value && later->key == o->key) {
          o->list[o->n++] = later->value;
          return true;
        }
      }
    }
    return false;
  }
  if (m == LAST) {
    if (o->n == 0 || !is_changed(x, i))
      return false;
    drop(o, o->n - 1);
    return true;
  }
  if (o->n < 2)
    return false;
  at = (int)draw(&s->seed, (uint32_t)o->n - 1);
  if (m == MIDDLE) {
    drop(o, at);
    return true;
  }
  other = o->list[at];
  o->list[at] = o->list[at + 1];
  o->list[at + 1] = other;
  return true;
}

static void test_mutations(struct sim *s, struct strbuf *text)
{
  static const char *const words[MUTATIONS] = {
    "two elements of a read are swapped",
    "an element of a read is missing",
    "the last element of a read is missing",
    "an append is missing",
    "a transaction that was read has failed",
    "a read has an element of the future",
  };

  for (unsigned m = 0; m < MUTATIONS; m++) {
    unsigned found = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
      simulate(s, SERIAL, TRXS, seed);
      while (!mutate(s, (enum mutation)m))
        ;
      found += rig_levels(text_of(s, text))[LEVEL_SERIALIZABLE] == '-';
    }
    printf("# %u of 60\n", found);
    OK(found == 60, words[m]);
  }
}

/* ---- a slow and simple search ---- */

enum {
  SMALL = 14
};

/* All edges, from the versions. */
static void simple_edges(const struct history *h, const struct versions *v,
                         bool by_write[SMALL][SMALL],
                         bool by_read[SMALL][SMALL])
{
  for (uint32_t x = 0; x < v->n; x++) {
    for (uint32_t k = v->first[x]; k < v->first[x + 1]; k++) {
      const uint32_t to = v->successors[k];

      if (x < h->n_ops && h->ops[x].trx != to)
        by_write[h->ops[x].trx][to] = true;
      for (uint32_t i = 0; i < h->n_ops; i++) {
        if (v->seen[i] == x && h->ops[i].trx != to)
          by_read[h->ops[i].trx][to] = true;
      }
    }
  }
  for (uint32_t i = 0; i < h->n_ops; i++) {
    const uint32_t x = v->seen[i];

    if (x < h->n_ops && h->ops[x].trx != h->ops[i].trx)
      by_write[h->ops[x].trx][h->ops[i].trx] = true;
  }
}

static bool has_loop(bool e[SMALL][SMALL], uint32_t n)
{
  bool loop = false;

  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++)
        e[i][j] = e[i][j] || (e[i][k] && e[k][j]);
  for (uint32_t i = 0; i < n; i++)
    loop = loop || e[i][i];
  return loop;
}

/* Bits: a cycle of writes and what was read; one with reads of the past that do
 * not follow each other; any. */
static unsigned simple_cycles(const char *text)
{
  bool w[SMALL][SMALL] = { { false } }, r[SMALL][SMALL] = { { false } };
  bool apart[SMALL][SMALL] = { { false } }, all[SMALL][SMALL];
  struct finding findings[ANOMALIES] = { 0 };
  struct history h;
  struct versions v;
  uint32_t n;
  unsigned found;

  rig_read(&h, text);
  MUST(versions_init(&v, &h, findings) == 0);
  n = h.n_trxs;
  simple_edges(&h, &v, w, r);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      all[i][j] = w[i][j] || r[i][j];
      apart[i][j] = apart[i][j] || w[i][j];
      for (uint32_t k = 0; k < n; k++)
        apart[i][k] = apart[i][k] || (w[i][j] && r[j][k]);
    }
  }
  found = has_loop(w, n) | has_loop(apart, n) << 1 | has_loop(all, n) << 2;
  versions_done(&v);
  history_done(&h);
  return found;
}

static unsigned real_cycles(const char *text)
{
  static const unsigned bits[ANOMALIES] = {
    [ANOMALY_G0] = 7,       [ANOMALY_G1C] = 7,
    [ANOMALY_G_SINGLE] = 6, [ANOMALY_G_NONADJACENT] = 6,
    [ANOMALY_G2_ITEM] = 4,
  };
  struct history h;
  struct judgement j;
  struct err err = { 0 };
  unsigned found = 0;

  rig_read(&h, text);
  MUST(history_judge(&j, &h, &err) == 0);
  for (unsigned a = 0; a < ANOMALIES; a++)
    found |= j.findings[a].n ? bits[a] : 0;
  judgement_done(&j);
  history_done(&h);
  return found;
}

/* A small history without rules: reads have seen any version of a list. */
static const char *chaos(struct strbuf *to, uint64_t *seed, uint32_t keys)
{
  const uint32_t n = 4 + draw(seed, SMALL - 4);
  uint32_t values[3] = { 0 }, visible[3];

  strbuf_clear(to);
  strbuf_adds(to, "bench history 1 lists\n");
  for (uint32_t k = 0; k < keys; k++)
    visible[k] = draw(seed, 4);
  for (uint32_t t = 0; t < n; t++) {
    strbuf_addf(to, "%u 1 9 ok", t);
    for (uint32_t i = 0, ops = 1 + draw(seed, 3); i < ops; i++) {
      const uint32_t k = draw(seed, keys);
      const uint32_t len = draw(seed, visible[k] + 1);

      if (draw(seed, 2)) {
        strbuf_addf(to, " a:%u=%u", k, ++values[k]);
        continue;
      }
      strbuf_addf(to, " r:%u=", k);
      for (uint32_t e = 1; e <= len; e++)
        strbuf_addf(to, e > 1 ? ",%u" : "%u", e);
    }
    strbuf_adds(to, "\n");
  }
  strbuf_addf(to, "end %u\n", n);
  return strbuf_str(to);
}

static void test_simple(struct strbuf *text)
{
  unsigned same = 0, of[8] = { 0 };
  uint64_t seed = 7;

  for (unsigned i = 0; i < 4000; i++) {
    const char *history = chaos(text, &seed, 1 + i % 3);
    const unsigned want = simple_cycles(history), got = real_cycles(history);

    of[want]++;
    same += got == want;
    if (got != want)
      printf("# got %u, want %u:\n# %s\n", got, want, history);
  }
  OK(same == 4000, "4000 small histories have the cycles of a simple search");
  OK(of[0] > 100 && of[4] > 100 && of[6] > 100 && of[7] > 100, "of all kinds");
}

int main(void)
{
  static struct trx trxs[TRXS];
  static struct sim sim = { .trxs = trxs };
  struct strbuf text = { 0 };

  test_levels(&sim, &text);
  test_mutations(&sim, &text);
  test_simple(&text);
  strbuf_done(&text);
  return TAP_EXIT();
}
