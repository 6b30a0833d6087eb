#include "db/classes/statement.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/env.h"
#include "stats/class_stats.h"

void labels_init(struct labels *l)
{
  (void)pthread_mutex_init(&l->lock, NULL);
  l->n = 0;
  (void)snprintf(l->of[LABELS_MAX].text, LABEL_BYTES, "(other)");
}

void labels_done(struct labels *l)
{
  (void)pthread_mutex_destroy(&l->lock);
}

struct label *labels_get(struct labels *l, const char *text)
{
  struct label *found = &l->of[LABELS_MAX];
  size_t i = 0;

  (void)pthread_mutex_lock(&l->lock);
  while (i < l->n && strcmp(l->of[i].text, text) != 0)
    i++;
  if (i < LABELS_MAX) {
    found = &l->of[i];
    if (i == l->n) {
      (void)snprintf(found->text, LABEL_BYTES, "%s", text);
      l->n++;
    }
  }
  (void)pthread_mutex_unlock(&l->lock);
  return found;
}

enum {
  NAMES_MAX = 32,  /* per statement; others stay */
  ALIAS_WORDS = 2, /* AS x */
  DEPTH_MAX = 63,
};

enum token {
  TOKEN_END,
  TOKEN_WORD,
  TOKEN_QUOTED,
  TOKEN_DOT,
  TOKEN_COMMA,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_OTHER,
};

struct piece {
  size_t from, to;
};

enum place {
  ELSEWHERE,
  BEFORE_TABLE,
  AFTER_TABLE,
};

struct name {
  struct piece text;
  size_t digits;
  bool is_table;
};

struct reader {
  const char *sql;
  size_t at, end;
  struct piece now, before;
  enum place place;
  bool is_list, may_call; /* after these keywords: a,b; f(x) */
  unsigned alias;         /* words after a table's name */
  unsigned depth;         /* of parentheses */
  uint64_t queries;       /* bit n: depth n is in a query */
  size_t n;
  struct name name[NAMES_MAX];
};

/* ---- tokens ---- */

static bool statement_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool statement_is_letter(char c)
{
  return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' ||
         (unsigned char)c >= 0x80;
}

static bool statement_is_blank(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t statement_after_quote(const struct reader *r, size_t at,
                                    char quote)
{
  while (at < r->end && r->sql[at] != quote)
    at += quote == '\'' && r->sql[at] == '\\' ? 2 : 1;
  return at < r->end ? at + 1 : r->end;
}

static size_t statement_after_comment(const struct reader *r, size_t at)
{
  while (at + 1 < r->end && (r->sql[at] != '*' || r->sql[at + 1] != '/'))
    at++;
  return at + 1 < r->end ? at + 2 : r->end;
}

static void statement_skip_blanks(struct reader *r)
{
  while (r->at < r->end) {
    if (statement_is_blank(r->sql[r->at]))
      r->at++;
    else if (r->end - r->at > 1 && memcmp(&r->sql[r->at], "/*", 2) == 0)
      r->at = statement_after_comment(r, r->at + 2);
    else
      break;
  }
}

static size_t statement_after_word(const struct reader *r, size_t at)
{
  while (at < r->end &&
         (statement_is_letter(r->sql[at]) || statement_is_digit(r->sql[at])))
    at++;
  return at;
}

static enum token statement_mark_of(char c)
{
  switch (c) {
  case '.':
    return TOKEN_DOT;
  case ',':
    return TOKEN_COMMA;
  case '(':
    return TOKEN_OPEN;
  case ')':
    return TOKEN_CLOSE;
  default:
    return TOKEN_OTHER;
  }
}

static enum token statement_next(struct reader *r)
{
  char c;

  statement_skip_blanks(r);
  if (r->at >= r->end)
    return TOKEN_END;
  c = r->sql[r->at];
  if (statement_is_letter(c)) {
    r->now = (struct piece){ r->at, statement_after_word(r, r->at) };
    r->at = r->now.to;
    return TOKEN_WORD;
  }
  if (c == '"' || c == '`') {
    const size_t to = statement_after_quote(r, r->at + 1, c);

    r->now = (struct piece){ r->at + 1, to > r->at + 1 ? to - 1 : to };
    r->at = to;
    return TOKEN_QUOTED;
  }
  if (c == '\'')
    r->at = statement_after_quote(r, r->at + 1, c);
  else
    r->at = statement_is_digit(c) ? statement_after_word(r, r->at) : r->at + 1;
  return statement_mark_of(c);
}

static bool statement_is_next(struct reader *r, char c)
{
  statement_skip_blanks(r);
  return r->at < r->end && r->sql[r->at] == c;
}

static bool statement_is_word(const struct reader *r, struct piece p,
                              const char *word)
{
  const size_t len = strlen(word);

  return p.to - p.from == len && strncasecmp(&r->sql[p.from], word, len) == 0;
}

static bool statement_is_one_of(const struct reader *r, struct piece p,
                                const char *const *words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (statement_is_word(r, p, words[i]))
      return true;
  }
  return false;
}

/* FROM names no tables in EXTRACT(YEAR FROM x), IS DISTINCT FROM x. */
static bool statement_is_from(const struct reader *r)
{
  return statement_is_word(r, r->now, "from") &&
         !statement_is_word(r, r->before, "distinct") &&
         r->depth <= DEPTH_MAX && (r->queries >> r->depth & 1);
}

/* Not FOR UPDATE, ON DUPLICATE KEY UPDATE, DO UPDATE. */
static bool statement_is_update(const struct reader *r)
{
  static const char *const clauses[] = { "for", "key", "do", "on" };

  return statement_is_word(r, r->now, "update") &&
         !statement_is_one_of(r, r->before, clauses, ARRAY_SIZE(clauses));
}

static bool statement_leads_to_table(struct reader *r)
{
  const bool from = statement_is_from(r),
             join = statement_is_word(r, r->now, "join");
  const bool into = statement_is_word(r, r->now, "into"),
             update = statement_is_update(r);
  const bool table = statement_is_word(r, r->now, "table") ||
                     statement_is_word(r, r->now, "tables");

  if (!from && !join && !into && !update && !table)
    return false;
  r->place = BEFORE_TABLE;
  r->is_list = from || update || table;
  r->may_call = from || join;
  return true;
}

static void statement_note(struct reader *r, bool is_table)
{
  size_t digits = r->now.to;

  while (digits > r->now.from && statement_is_digit(r->sql[digits - 1]))
    digits--;
  if (digits == r->now.to || digits == r->now.from || r->n == NAMES_MAX)
    return;
  r->name[r->n++] = (struct name){ r->now, digits, is_table };
}

static void table_named(struct reader *r)
{
  if (statement_is_next(r, '.'))
    return;
  if (!r->may_call || !statement_is_next(r, '('))
    statement_note(r, true);
  r->place = AFTER_TABLE;
  r->alias = 0;
}

static void name_read(struct reader *r)
{
  if (r->place == BEFORE_TABLE) {
    table_named(r);
    return;
  }
  if (statement_is_next(r, '.'))
    statement_note(r, false);
  if (r->place == AFTER_TABLE && ++r->alias > ALIAS_WORDS)
    r->place = ELSEWHERE;
}

static void word_read(struct reader *r)
{
  static const char *const between[] = { "only",   "if",      "not",
                                         "exists", "ignore",  "low_priority",
                                         "quick",  "lateral", "delayed" };

  if (statement_is_word(r, r->now, "select") ||
      statement_is_word(r, r->now, "delete")) {
    if (r->depth <= DEPTH_MAX)
      r->queries |= UINT64_C(1) << r->depth;
    r->place = ELSEWHERE;
  } else if (!statement_leads_to_table(r) &&
             !(r->place == BEFORE_TABLE &&
               statement_is_one_of(r, r->now, between, ARRAY_SIZE(between)))) {
    name_read(r);
  }
}

static void statement_opened(struct reader *r)
{
  r->depth++;
  if (r->depth <= DEPTH_MAX)
    r->queries &= ~(UINT64_C(1) << r->depth);
  if (r->place != BEFORE_TABLE) /* FROM (a JOIN b) */
    r->place = ELSEWHERE;
}

static void statement_mark_read(struct reader *r, enum token token)
{
  switch (token) {
  case TOKEN_DOT:
    break;
  case TOKEN_COMMA:
    r->place = r->place == AFTER_TABLE && r->is_list ? BEFORE_TABLE : ELSEWHERE;
    break;
  case TOKEN_OPEN:
    statement_opened(r);
    break;
  case TOKEN_CLOSE:
    r->depth -= r->depth > 0;
    r->place = ELSEWHERE;
    break;
  default:
    r->place = ELSEWHERE;
  }
}

static void statement_read_all(struct reader *r)
{
  enum token token;

  while ((token = statement_next(r)) != TOKEN_END) {
    if (token == TOKEN_WORD)
      word_read(r);
    else if (token == TOKEN_QUOTED)
      name_read(r);
    else
      statement_mark_read(r, token);
    if (token == TOKEN_WORD)
      r->before = r->now;
    else
      r->before = (struct piece){ 0, 0 };
  }
}

/* ---- the whole ---- */

/* Before a dot. */
static bool statement_is_tables_name(const struct reader *r,
                                     const struct name *name)
{
  const size_t len = name->text.to - name->text.from;

  for (size_t i = 0; i < r->n; i++) {
    const struct piece *t = &r->name[i].text;

    if (r->name[i].is_table && t->to - t->from == len &&
        memcmp(&r->sql[t->from], &r->sql[name->text.from], len) == 0)
      return true;
  }
  return false;
}

size_t statement_merge_tables(char *sql, size_t len)
{
  struct reader r = { .sql = sql, .end = len, .queries = 1 };
  bool merged[NAMES_MAX];
  size_t to = 0, from = 0;

  statement_read_all(&r);
  for (size_t i = 0; i < r.n; i++)
    merged[i] = r.name[i].is_table || statement_is_tables_name(&r, &r.name[i]);
  for (size_t i = 0; i < r.n; i++) {
    if (!merged[i])
      continue;
    memmove(&sql[to], &sql[from], r.name[i].digits - from);
    to += r.name[i].digits - from;
    sql[to++] = '#';
    from = r.name[i].text.to;
  }
  if (from == 0)
    return len;
  memmove(&sql[to], &sql[from], len - from);
  to += len - from;
  return to < TABLENAME_BYTES ? to : TABLENAME_BYTES;
}

const struct label statement_prepared = { "" };

/* ---- classes ---- */

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* Eight bytes at a time; never 0. */
static uint64_t hash_of(const char *text, size_t len)
{
  uint64_t h = len * MIX, word;

  for (; len >= sizeof(word); len -= sizeof(word), text += sizeof(word)) {
    memcpy(&word, text, sizeof(word));
    h = (h ^ word) * MIX;
    h ^= h >> 29;
  }
  word = 0;
  memcpy(&word, text, len);
  h = (h ^ word) * MIX;
  h ^= h >> 32;
  return h ? h : 1;
}

/* In a mix "MEMBER: NAME". */
static COLD unsigned id_of_name(const struct statements *s, const char *name,
                                size_t len)
{
  struct strbuf full = { 0 };
  unsigned id;

  if (!s->texts->member)
    return class_id(s->recorder->set, name, len);
  strbuf_addf(&full, "%s: ", s->texts->member);
  strbuf_add(&full, name, strnlen(name, len));
  id = class_id(s->recorder->set, strbuf_str(&full), full.len);
  strbuf_done(&full);
  return id;
}

static unsigned id_of_text(struct statements *s, const char *text, size_t len)
{
  uint64_t hash;

  if (len == SQLTEXT_BYTES || len == TABLENAME_BYTES)
    len = utf8_whole(text, len);
  hash = hash_of(text, len);
  for (size_t i = 0; i < 8; i++) {
    struct statement_slot *slot =
      &s->texts->slot[(hash + i) & (STATEMENT_SLOTS - 1)];

    if (slot->hash == hash)
      return slot->id;
    if (slot->hash == 0) {
      slot->id = id_of_name(s, text, len);
      slot->hash = hash;
      return slot->id;
    }
  }
  return id_of_name(s, text, len);
}

static unsigned id_of_new(struct statements *s, char *text, size_t len)
{
  return id_of_text(
    s, text, s->texts->by_table ? len : statement_merge_tables(text, len));
}

static COLD unsigned statement_learn_direct(struct statements *s,
                                            const char *sql, size_t len)
{
  char normal[SQLTEXT_BYTES];
  struct sqltext_cuts cuts;
  const size_t n = skeleton_normal(sql, len, normal, sizeof(normal), &cuts);
  const unsigned id = id_of_new(s, normal, n);

  skeletons_add(&s->texts->direct, sql, len, &cuts, id);
  return id;
}

static COLD unsigned statement_learn_prepared(struct statements *s,
                                              const char *sql, size_t len)
{
  const struct sqltext_cuts cuts = {
    .end = len < SQLTEXT_BYTES ? len : SQLTEXT_BYTES,
  };
  char text[SQLTEXT_BYTES];
  unsigned id;

  memcpy(text, sql, cuts.end);
  id = id_of_new(s, text, cuts.end);
  skeletons_add(&s->texts->prepared, sql, len, &cuts, id);
  return id;
}

static unsigned id_of_label(struct statements *s, const struct label *label)
{
  struct statement_texts *t = s->texts;
  unsigned *known = &t->of_label[label - t->labels->of];

  if (*known == 0)
    *known = id_of_name(s, label->text, strlen(label->text)) + 1;
  return *known - 1;
}

static inline unsigned id_of_sql(struct statements *s, const char *sql,
                                 size_t len, bool prepared)
{
  struct skeletons *seen = prepared ? &s->texts->prepared : &s->texts->direct;
  const int id = skeletons_find(seen, sql, len);

  if (LIKELY(id >= 0))
    return (unsigned)id;
  return prepared ? statement_learn_prepared(s, sql, len)
                  : statement_learn_direct(s, sql, len);
}

int statements_init(struct statements *s, struct class_recorder *recorder,
                    const struct labels *labels, const char *member,
                    const bool *counting, struct db_env *env)
{
  struct statement_texts *t = class_recorder_memo(recorder, labels, sizeof(*t));

  if (!t)
    return -ENOMEM;
  t->labels = labels;
  t->member = member;
  t->by_table = env->process->set.statement_classes ==
                STATEMENT_CLASSES_BY_TABLE;
  *s = (struct statements){ recorder, counting, t };
  env->on_statement = statement_ended;
  env->on_statement_ctx = s;
  env->timed = true;
  return 0;
}

void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     uint64_t took_ns, const struct stmt_sample *sample)
{
  const bool prepared = label == (const void *)&statement_prepared;
  struct statements *s = arg;
  const struct class_outcome outcome = {
    .failed = sample->failed,
    .rows = sample->nrows,
  };
  unsigned id;

  if (!*s->counting)
    return;
  if (label && !prepared)
    id = id_of_label(s, label);
  else
    id = id_of_sql(s, sql, len, prepared);
  class_record(s->recorder, id, took_ns, &outcome);
}
