#include "db/classes/skeleton.h"

#include <assert.h>
#include <string.h>

/* As in the C locale. */
enum {
  PLAIN = 1,
  NAME = 2,
  DIGIT = 4,
  SPACE = 8,
  QUOTE = 16,
  KINDS = 256,
};

#define KIND_OF(c)                                      \
  ((c) >= '0' && (c) <= '9'                     ? DIGIT \
   : ((c) | 32) >= 'a' && ((c) | 32) <= 'z'     ? NAME  \
   : (c) == '_' || (c) == '$' || (c) >= 0x80    ? NAME  \
   : (c) == ' ' || ((c) >= '\t' && (c) <= '\r') ? SPACE \
   : (c) == '\'' || (c) == '"' || (c) == '`'    ? QUOTE \
                                                : PLAIN)
#define KINDS_4(c) \
  KIND_OF(c), KIND_OF((c) + 1), KIND_OF((c) + 2), KIND_OF((c) + 3)
#define KINDS_16(c) \
  KINDS_4(c), KINDS_4((c) + 4), KINDS_4((c) + 8), KINDS_4((c) + 12)
#define KINDS_64(c) \
  KINDS_16(c), KINDS_16((c) + 16), KINDS_16((c) + 32), KINDS_16((c) + 48)

static const unsigned char kinds[KINDS] = { KINDS_64(0), KINDS_64(64),
                                            KINDS_64(128), KINDS_64(192) };

static unsigned kind_of(char c)
{
  return kinds[(unsigned char)c];
}

static bool skeleton_is_alnum(char c)
{
  return kind_of(c) == DIGIT || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* With letters of 0x1F, 1e5 and the sign of 1e-5. */
static const char *skeleton_number_end(const char *at, const char *end)
{
  if (at == end || kind_of(*at) != DIGIT)
    return at;
  while (++at < end) {
    if (skeleton_is_alnum(*at) || *at == '.')
      continue;
    if ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E'))
      continue;
    break;
  }
  return at;
}

static const char *find_stop(const char *at, const char *end, char quote)
{
  const char escape = quote == '\'' ? '\\' : quote;
  uint64_t stop;

  for (; end - at >= (ptrdiff_t)sizeof(stop); at += sizeof(stop)) {
    const uint64_t word = word_load(at);

    stop = word_find(word, (unsigned char)quote) |
           word_find(word, (unsigned char)escape);
    if (stop)
      return at + word_first(stop);
  }
  while (at < end && *at != quote && *at != escape)
    at++;
  return at;
}

/* Includes doubled quotes and, in strings, bytes after a backslash. */
static inline const char *skeleton_quoted_end(const char *at, const char *end,
                                              char quote)
{
  while ((at = find_stop(at, end, quote)) < end) {
    if (*at == quote && (end - at == 1 || at[1] != quote))
      return at + 1;
    if (end - at <= 2)
      break;
    at += 2;
  }
  return end;
}

static const char *skeleton_string_end(const char *at, const char *end)
{
  return at < end && *at == '\'' ? skeleton_quoted_end(at + 1, end, '\'') : at;
}

static bool skeleton_is_lone_blank(const char *sql, size_t len, size_t at)
{
  return sql[at] == ' ' && at > 0 && sql[at - 1] != ' ' && at + 1 < len &&
         kind_of(sql[at + 1]) != SPACE;
}

/* Also copies digits of names.  Returns the number of bytes. */
static size_t copy_plain(const char *sql, size_t len, char *out)
{
  static const unsigned char after[] = {
    [PLAIN] = PLAIN | NAME,
    [NAME] = PLAIN | NAME | DIGIT,
    [DIGIT] = PLAIN | NAME | DIGIT,
    [SPACE] = PLAIN | NAME,
  };
  unsigned wanted = PLAIN | NAME;
  size_t n;

  for (n = 0; n < len; n++) {
    const unsigned kind = kind_of(sql[n]);

    if (!(kind & wanted) && !skeleton_is_lone_blank(sql, len, n))
      break;
    out[n] = sql[n];
    wanted = after[kind];
  }
  return n;
}

static const char *skeleton_cut(struct sqltext_cuts *cuts, const char *sql,
                                const char *from, const char *to)
{
  cuts->of[cuts->n].from = (size_t)(from - sql);
  cuts->of[cuts->n++].to = (size_t)(to - sql);
  return to;
}

size_t skeleton_normal(const char *sql, size_t len, char *out, size_t room,
                       struct sqltext_cuts *ret_cuts)
{
  const char *at = sql, *const end = sql + len, *to;
  size_t n = 0;

  assert(room <= SQLTEXT_BYTES);
  ret_cuts->n = 0;
  while (at < end && n < room) {
    const size_t more = (size_t)(end - at);
    const size_t left = more < room - n ? more : room - n;
    const size_t plain = copy_plain(at, left, out + n);

    at += plain;
    n += plain;
    if (plain == left)
      continue;
    switch (kind_of(*at)) {
    case SPACE:
      if (n > 0 && out[n - 1] != ' ')
        out[n++] = ' ';
      at++;
      break;
    case DIGIT:
      out[n++] = '?';
      at = skeleton_cut(ret_cuts, sql, at, skeleton_number_end(at, end));
      break;
    default:
      to = skeleton_quoted_end(at + 1, end, *at);
      if (*at == '\'') {
        out[n++] = '?';
        (void)skeleton_cut(ret_cuts, sql, at, to);
      } else { /* a name */
        for (; at < to && n < room; at++)
          out[n++] = *at;
      }
      at = to;
    }
  }
  ret_cuts->end = (size_t)(at - sql);
  while (n > 0 && out[n - 1] == ' ')
    n--;
  return n;
}

/* False: too long. */
static bool skeleton_draft_add(struct skeleton_draft *d, const char *text,
                               size_t len, enum skeleton_next next)
{
  const size_t mark = (next & (SKELETON_NUMBER | SKELETON_STRING)) != 0;

  if (len + mark > sizeof(d->text) - d->len)
    return false;
  if (len > 0)
    memcpy(d->text + d->len, text, len);
  d->len += len;
  d->piece[d->n_pieces].end = (uint16_t)d->len;
  d->piece[d->n_pieces++].next = (uint16_t)next;
  if (mark)
    d->text[d->len++] = '?';
  return true;
}

static bool skeleton_draft_end(struct skeleton_draft *d, const char *text,
                               size_t len, enum skeleton_next next)
{
  if (len == 0 && next == SKELETON_END && d->n_pieces > 0)
    d->piece[d->n_pieces - 1].next |= SKELETON_END;
  return skeleton_draft_add(d, text, len, next);
}

/* False: too long. */
static bool skeleton_draft_make(struct skeleton_draft *d, const char *sql,
                                size_t len, const struct sqltext_cuts *cuts)
{
  size_t at = 0;

  d->n_pieces = d->len = 0;
  for (size_t i = 0; i < cuts->n; i++) {
    const size_t from = cuts->of[i].from;

    if (!skeleton_draft_add(d, sql + at, from - at,
                            sql[from] == '\'' ? SKELETON_STRING
                                              : SKELETON_NUMBER))
      return false;
    at = cuts->of[i].to;
  }
  return skeleton_draft_end(d, sql + at, cuts->end - at,
                            cuts->end < len ? SKELETON_ANYTHING : SKELETON_END);
}

enum {
  NO_BYTE = 256, /* the statement ends */
  REFUSED_MAX = 4096,
  JUMPS_LOOKED_AT = 8,
  SHORTEST = 16,
};

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* ---- comparing ---- */

static inline uint64_t skeleton_diff8(const char *a, const char *b)
{
  return word_load(a) ^ word_load(b);
}

static inline uint64_t skeleton_diff16(const char *a, const char *b)
{
  return skeleton_diff8(a, b) | skeleton_diff8(a + 8, b + 8);
}

/* 0: `n` bytes are the same.  Eight bytes are readable from `text`, and from
 * `at`, or else before its end. */
static inline uint64_t skeleton_diff_of(const char *text, const char *at,
                                        size_t n, size_t left)
{
  uint64_t word;

  if (LIKELY(n >= 16)) {
    for (size_t i = 16; UNLIKELY(i + 16 < n); i += 16) {
      word = skeleton_diff16(text + i, at + i);
      if (word != 0)
        return word;
    }
    return skeleton_diff16(text, at) |
           skeleton_diff16(text + n - 16, at + n - 16);
  }
  if (n >= 8) /* here and above: compares some twice */
    return skeleton_diff8(text, at) | skeleton_diff8(text + n - 8, at + n - 8);
  if (n == 0)
    return 0;
  word = left >= 8 ? word_load(at) : word_load(at + n - 8) >> (64 - 8 * n);
  return (word_load(text) ^ word) << (64 - 8 * n);
}

static size_t skeleton_same_bytes(const char *text, const char *at, size_t n)
{
  size_t i = 0;

  while (n - i >= 8 && skeleton_diff8(text + i, at + i) == 0)
    i += 8;
  while (i < n && text[i] == at[i])
    i++;
  return i;
}

static uint32_t skeleton_jump_key(unsigned from, size_t at, unsigned byte)
{
  return (uint32_t)(from << 20 | (unsigned)at << 10 | byte << 1 | 1);
}

static const struct skeleton_jump *
skeleton_jump_place(const struct skeletons *s, uint32_t key, unsigned i)
{
  const uint32_t hash = (uint32_t)((key * MIX) >> 32);

  return &s->jump[(hash + i) % SKELETON_JUMPS];
}

static const struct skeleton_jump *find_jump(const struct skeletons *s,
                                             uint32_t key)
{
  for (unsigned i = 0; i < JUMPS_LOOKED_AT; i++) {
    const struct skeleton_jump *jump = skeleton_jump_place(s, key, i);

    if (jump->key == key)
      return jump;
    if (jump->key == 0)
      break;
  }
  return NULL;
}

/* ---- along a statement ---- */

/* A literal in the beginning makes a harmless bad hint. */
static inline unsigned skeleton_start_of(const char *sql)
{
  const uint64_t hash = word_load(sql) ^ (word_load(sql + 8) * MIX);

  return (unsigned)((hash * MIX) >> (64 - SKELETON_START_BITS));
}

/* `text` is in `piece` or at the mark after it; all before was the same. */
struct walk {
  struct skeleton *k;
  const struct skeleton_piece *piece;
  const char *text;     /* in the skeleton */
  const char *at, *end; /* in the statement */
};

static inline size_t bytes_of(const struct walk *w)
{
  return (size_t)(w->k->text + w->piece->end - w->text);
}

static inline const char *number_end(const char *at, const char *end)
{
  const char *to = skeleton_digits_end(at, end);

  return LIKELY(to != at) ? to : skeleton_number_end(at, end);
}

/* False: they differ in this piece, or end. */
static inline bool skeleton_step(struct walk *w)
{
  const size_t n = bytes_of(w), left = (size_t)(w->end - w->at);
  const char *from = w->at + n, *to;

  if (n > left || skeleton_diff_of(w->text, w->at, n, left) != 0)
    return false;
  if (w->piece->next & SKELETON_NUMBER)
    to = number_end(from, w->end);
  else if (w->piece->next & SKELETON_STRING)
    to = skeleton_string_end(from, w->end);
  else
    return false;
  if (to == from)
    return false;
  w->at = to;
  w->text += n + 1;
  w->piece++;
  return true;
}

/* All statements at a jump have the same beginning; compares the rest. */
static bool jump(struct skeletons *s, struct walk *w)
{
  const struct skeleton *const from = w->k;
  const size_t n = bytes_of(w), left = (size_t)(w->end - w->at);
  const size_t same = skeleton_same_bytes(w->text, w->at, n < left ? n : left);
  const struct skeleton_jump *found;
  unsigned byte;

  w->at += same;
  w->text += same;
  byte = w->at < w->end ? (unsigned char)*w->at : NO_BYTE;
  s->lost = skeleton_jump_key(from->number, (size_t)(w->text - from->text),
                              byte);
  found = find_jump(s, s->lost);
  if (!found)
    return false;
  w->k = s->of[found->to];
  w->text = w->k->text + (w->text - from->text);
  w->piece = w->k->piece + (w->piece - from->piece);
  return true;
}

static bool skeleton_is_found(const struct walk *w)
{
  const size_t n = bytes_of(w), left = (size_t)(w->end - w->at);

  return n <= left && skeleton_diff_of(w->text, w->at, n, left) == 0 &&
         (w->piece->next == SKELETON_ANYTHING ||
          (w->piece->next == SKELETON_END && n == left));
}

/* NULL: new. */
static struct skeleton *walk_from(struct skeletons *s, struct skeleton *k,
                                  const char *sql, size_t len)
{
  struct walk w = { k, k->piece, k->text, sql, sql + len };

  for (;;) {
    if (skeleton_step(&w))
      continue;
    if (skeleton_is_found(&w))
      return w.k;
    if (!jump(s, &w))
      return NULL;
  }
}

/* Compares a copy with room on both sides. */
static COLD struct skeleton *find_short(struct skeletons *s, const char *sql,
                                        size_t len)
{
  char copy[3 * SHORTEST] = { 0 };

  if (len > 0)
    memcpy(copy + SHORTEST, sql, len);
  return walk_from(s, s->of[0], copy + SHORTEST, len);
}

static inline int skeleton_found(struct skeletons *s, struct skeleton *k)
{
  s->last = k;
  s->guess = k->then;
  return (int)k->id;
}

static void skeleton_remember(struct skeletons *s, struct skeleton *k)
{
  if (s->last)
    s->last->then = k;
  (void)skeleton_found(s, k);
}

static NOINLINE int find_anywhere(struct skeletons *s, const char *sql,
                                  size_t len)
{
  struct skeleton *k;

  if (s->n == 0)
    return -1;
  k = len < SHORTEST ? find_short(s, sql, len)
                     : walk_from(s, s->start[skeleton_start_of(sql)], sql, len);
  if (!k)
    return -1;
  skeleton_remember(s, k);
  return (int)k->id;
}

/* The guess is right up to `at`, after the first number.  If `at` is `sql`: up
 * to the end of the first piece. */
static NOINLINE int find_rest(struct skeletons *s, struct skeleton *k,
                              const char *sql, size_t len, const char *at)
{
  struct walk w = { k, k->piece, k->text, at, sql + len };

  if (at != sql) {
    w.text += w.piece->end + 1;
    w.piece++;
  }
  while (skeleton_step(&w))
    ;
  return skeleton_is_found(&w) ? skeleton_found(s, k)
                               : find_anywhere(s, sql, len);
}

/* Most statements are the guess, often with one number at the end: few
 * registers, few dependent loads. */
int skeletons_find(struct skeletons *s, const char *sql, size_t len)
{
  const char *const end = sql + len, *at, *to;
  struct skeleton *k = s->guess;
  unsigned next;
  size_t n;

  if (UNLIKELY(!k || len < SHORTEST))
    return find_anywhere(s, sql, len);
  n = k->piece[0].end;
  next = k->piece[0].next;
  if (n > len || skeleton_diff_of(k->text, sql, n, len) != 0)
    return find_anywhere(s, sql, len);
  at = to = sql + n;
  if (LIKELY(next & SKELETON_NUMBER)) {
    to = skeleton_digits_end(at, end);
    if (LIKELY(to == end && to != at && next & SKELETON_END))
      return skeleton_found(s, k);
  } else if (at == end && next == SKELETON_END) {
    return skeleton_found(s, k);
  }
  return find_rest(s, k, sql, len, to == at ? sql : to);
}

/* NULL: no room. */
static struct skeleton *
skeleton_keep(struct skeletons *s, const struct skeleton_draft *d, unsigned id)
{
  struct skeleton *k = (struct skeleton *)(void *)(s->room + s->used);
  const size_t pieces = d->n_pieces * sizeof(d->piece[0]);
  size_t all = sizeof(*k) + pieces + d->len + 8; /* texts are read in words */
  char *text;

  all += -all % _Alignof(struct skeleton);
  if (s->n == SKELETONS || all > sizeof(s->room) - s->used)
    return NULL;
  text = (char *)(k->piece + d->n_pieces);
  memcpy(k->piece, d->piece, pieces);
  memcpy(text, d->text, d->len);
  k->then = k;
  k->text = text;
  k->id = id;
  k->len = (uint16_t)d->len;
  k->n_pieces = (uint16_t)d->n_pieces;
  k->number = (uint8_t)s->n;
  s->used += all;
  s->of[s->n++] = k;
  return k;
}

static bool skeleton_is_same(const struct skeleton *k,
                             const struct skeleton_draft *d)
{
  return k->len == d->len && k->n_pieces == d->n_pieces &&
         memcmp(k->text, d->text, d->len) == 0 &&
         memcmp(k->piece, d->piece, d->n_pieces * sizeof(d->piece[0])) == 0;
}

static struct skeleton *find_draft(const struct skeletons *s,
                                   const struct skeleton_draft *d)
{
  for (unsigned i = 0; i < s->n; i++) {
    if (skeleton_is_same(s->of[i], d))
      return s->of[i];
  }
  return NULL;
}

static bool skeleton_add_jump(struct skeletons *s, uint32_t key, unsigned to)
{
  for (unsigned i = 0; i < JUMPS_LOOKED_AT; i++) {
    struct skeleton_jump *jump =
      &s->jump[skeleton_jump_place(s, key, i) - s->jump];

    if (jump->key == 0) {
      jump->key = key;
      jump->to = (uint8_t)to;
      return true;
    }
  }
  return false;
}

static void skeleton_forget_all(struct skeletons *s)
{
  s->n = 0;
  s->refused = 0;
  s->used = 0;
  s->last = s->guess = NULL;
  memset(s->jump, 0, sizeof(s->jump));
}

/* Jumps lead from the first skeleton to all others. */
static void skeleton_set_start(struct skeletons *s, const char *sql, size_t len,
                               struct skeleton *k)
{
  for (size_t i = 0; s->n == 1 && i < ARRAY_SIZE(s->start); i++)
    s->start[i] = k;
  if (len >= SHORTEST && s->start[skeleton_start_of(sql)] == s->of[0])
    s->start[skeleton_start_of(sql)] = k;
}

void skeletons_add(struct skeletons *s, const char *sql, size_t len,
                   const struct sqltext_cuts *cuts, unsigned id)
{
  const bool is_first = s->n == 0;
  struct skeleton *k;
  struct skeleton_draft d;

  if (!skeleton_draft_make(&d, sql, len, cuts))
    return;
  k = find_draft(s, &d);
  if (!k)
    k = skeleton_keep(s, &d, id);
  if (!k || (!is_first && !skeleton_add_jump(s, s->lost, k->number))) {
    if (++s->refused == REFUSED_MAX)
      skeleton_forget_all(s);
    return;
  }
  skeleton_set_start(s, sql, len, k);
  skeleton_remember(s, k);
}
