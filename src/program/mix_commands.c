/*
 * mix_commands.c - the commands of a mix: those of its members, in order.
 */
#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/resolve.h"
#include "program/internal.h"
#include "program/mix.h"
#include "run/runner.h"

/* ---- which there are ---- */

enum test_command mix_find_command(const struct job *job)
{
  const struct mix_source *mix = job->own;
  enum test_command best = TEST_UNKNOWN;

  if (strcmp(job->command, "run") == 0)
    return TEST_RUN;
  if (strcmp(job->command, "help") == 0)
    return TEST_OPTIONS;
  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *member = &mix->of[i].job;
    const enum test_command own = member->source->find_command(member);

    if (own == TEST_CALL)
      return TEST_CALL;
    if (own == TEST_LACKS)
      best = TEST_LACKS;
  }
  return best;
}

static bool has_word(const char *words, const char *word, size_t len)
{
  while (*words) {
    const size_t n = strcspn(words, " ");

    if (n == len && memcmp(words, word, len) == 0)
      return true;
    words += n + strspn(words + n, " ");
  }
  return false;
}

void mix_list_commands(const struct job *job, struct strbuf *out)
{
  const struct mix_source *mix = job->own;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct job *member = &mix->of[i].job;
    struct strbuf words = { 0 };
    const char *word;

    member->source->list_commands(member, &words);
    for (word = strbuf_str(&words); *word;) {
      const size_t len = strcspn(word, " ");

      if (!has_word(strbuf_str(out), word, len))
        strbuf_addf(out, "%s%.*s", out->len > 0 ? " " : "", (int)len, word);
      word += len + strspn(word + len, " ");
    }
    strbuf_done(&words);
  }
}

/* ---- members that use the same tables ---- */

/* Options of bundled scripts that decide what their tables are. */
static const char *const of_tables[] = {
  "tables",
  "table-size",
  "auto-inc",
  "secondary",
  "create-secondary",
  "create-table-options",
  "mysql-storage-engine",
  "pgsql-variant",
  "oltp-tables-count",
  "oltp-table-size",
  "warehouses",
  "scale",
};

static const char *value_of(const struct mix_job *m, const char *name)
{
  const struct opt_entry *e = optset_find(&m->options, name);

  return e ? opt_get_string(e) : "";
}

/* The first option of tables in which the two differ; NULL: there is none. */
static const char *difference(const struct mix_job *a, const struct mix_job *b)
{
  for (size_t i = 0; i < ARRAY_SIZE(of_tables); i++) {
    if (strcmp(value_of(a, of_tables[i]), value_of(b, of_tables[i])) != 0)
      return of_tables[i];
  }
  return NULL;
}

/* Is it the same script, with the same options? */
static bool is_same(const struct mix_job *a, const struct mix_job *b)
{
  if (strcmp(a->job.what->path, b->job.what->path) != 0 ||
      a->options.n != b->options.n)
    return false;
  for (size_t i = 0; i < a->options.n; i++) {
    if (strcmp(opt_get_string(a->options.entries[i]),
               opt_get_string(b->options.entries[i])) != 0)
      return false;
  }
  return true;
}

/* Do the two use the same tables by what the program knows of them? */
static bool share_tables(const struct mix_job *a, const struct mix_job *b)
{
  const char *of_a = a->job.source->tables ? a->job.source->tables(&a->job)
                                           : NULL;
  const char *of_b = b->job.source->tables ? b->job.source->tables(&b->job)
                                           : NULL;

  return (of_a && of_b && strcmp(of_a, of_b) == 0) || is_same(a, b);
}

/*
 * The member before this one that has done the same already; NULL: there is
 * none.  -EINVAL: it has made the same tables in another way.
 */
static int find_twin(struct mix_source *mix, unsigned member,
                     const char *command, const struct mix_job **ret,
                     struct err *err)
{
  const struct mix_job *m = &mix->of[member];
  const char *option;

  *ret = NULL;
  for (unsigned i = 0; i < member && !*ret; i++) {
    const struct mix_job *other = &mix->of[i];

    if (other->job.source->find_command(&other->job) != TEST_CALL ||
        !share_tables(m, other))
      continue;
    option = difference(m, other);
    if (!option)
      *ret = other;
    else if (strcmp(command, "prepare") == 0)
      return err_set(err, -EINVAL,
                     "--mix: %s and %s use the same tables, but --%s is '%s' "
                     "for the one and '%s' for the other: prepare one of them "
                     "without the mix",
                     other->job.member, m->job.member, option,
                     value_of(other, option), value_of(m, option));
  }
  return 0;
}

/* ---- executing one ---- */

/* Returns the exit status. */
static int call_member(struct mix_job *m)
{
  struct err err = { "" };
  const int rc = m->job.source->call(&m->job, &err);

  if (rc >= 0)
    return rc;
  return err.text[0] != '\0' ? program_fail(&err) : EXIT_FAILED;
}

/* Finds all reasons not to begin. */
static int check_all(struct mix_source *mix, const char *command,
                     struct err *err)
{
  const struct mix_job *twin;
  int rc = 0;

  for (unsigned i = 0; i < mix->n && rc == 0; i++)
    rc = find_twin(mix, i, command, &twin, err);
  return rc;
}

int mix_begin_call(struct job *job, struct err *err)
{
  struct mix_source *mix = job->own;
  int rc = check_all(mix, job->command, err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    struct job *member = &mix->of[i].job;
    const struct mix_job *twin;

    rc = find_twin(mix, i, job->command, &twin, err);
    if (rc == 0 && !twin && member->source->begin_call &&
        member->source->find_command(member) == TEST_CALL)
      rc = member->source->begin_call(member, err);
  }
  return rc;
}

int mix_call(struct job *job, struct err *err)
{
  struct mix_source *mix = job->own;
  const bool is_prepare = strcmp(job->command, "prepare") == 0;
  const int rc = check_all(mix, job->command, err);
  int status = EXIT_OK;

  if (rc < 0)
    return rc;
  for (unsigned i = 0; i < mix->n; i++) {
    struct mix_job *m = &mix->of[i];
    const struct mix_job *twin;
    int own = EXIT_OK;

    (void)find_twin(mix, i, job->command, &twin, err);
    if (m->job.source->find_command(&m->job) != TEST_CALL)
      log_msg(LOG_NOTICE, "%s: skipped, it has no command '%s'\n",
              m->job.member, job->command);
    else if (twin)
      log_msg(LOG_NOTICE, "%s: skipped, its tables are those of %s\n",
              m->job.member, twin->job.member);
    else {
      log_msg(LOG_NOTICE, "%s: %s\n", m->job.member, job->command);
      own = call_member(m);
    }
    if (own != EXIT_OK)
      status = own;
    if (own != EXIT_OK && (is_prepare || own > EXIT_SIGNAL))
      break;
  }
  return status;
}
