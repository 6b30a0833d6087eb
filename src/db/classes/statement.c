/*
 * statement.c - from a statement to its class.
 */
#include "db/classes/statement.h"

#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/classes/tablename.h"
#include "db/env.h"
#include "stats/class_stats.h"

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

/* The class of this name; in a mix "MEMBER: NAME". */
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

/* The class of a text.  If the slots around its own are taken, the set is
 * searched every time. */
static unsigned id_of_text(struct statements *s, const char *text, size_t len)
{
  uint64_t hash;

  if (len == SQLTEXT_BYTES || len == TABLENAME_BYTES) /* the rest is missing */
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

/* The class of a text that was not seen before, and may be changed. */
static unsigned id_of_new(struct statements *s, char *text, size_t len)
{
  return id_of_text(s, text,
                    s->texts->by_table ? len : tablename_merge(text, len));
}

static COLD unsigned learn_direct(struct statements *s, const char *sql,
                                  size_t len)
{
  char normal[SQLTEXT_BYTES];
  struct sqltext_cuts cuts;
  const size_t n = sqltext_normal(sql, len, normal, sizeof(normal), &cuts);
  const unsigned id = id_of_new(s, normal, n);

  skeletons_add(&s->texts->direct, sql, len, &cuts, id);
  return id;
}

/* The class of a prepared statement is the beginning of its text, without the
 * numbers of tables. */
static COLD unsigned learn_prepared(struct statements *s, const char *sql,
                                    size_t len)
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

/* Most statements were seen before, with these literals or others. */
static inline unsigned id_of_sql(struct statements *s, const char *sql,
                                 size_t len, bool prepared)
{
  struct skeletons *seen = prepared ? &s->texts->prepared : &s->texts->direct;
  const int id = skeletons_find(seen, sql, len);

  if (LIKELY(id >= 0))
    return (unsigned)id;
  return prepared ? learn_prepared(s, sql, len) : learn_direct(s, sql, len);
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
