/*
 * compare_search.c - the answers of two searches, side by side.
 */
#include "tools/compare_search.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "tools/find.h"
#include "tools/result.h"

/* What follows from two answers. */
enum outcome {
  HIGHER,    /* the whole interval of the new one is above that of the base */
  LOWER,     /* below */
  OVERLAP,   /* both may be the same */
  OTHER_AIM, /* they are answers to different questions */
  NO_ANSWER, /* one of them is missing */
};

static const char *const names[] = { "higher", "lower", "overlap",
                                     "other_objective", "no_answer" };

/* The lowest value that is too much; INFINITY: none is known. */
static double upper_end(const struct find *f)
{
  if (f->search.high > 0)
    return f->search.high;
  return f->search.refused > 0 ? f->search.refused : INFINITY;
}

static enum outcome outcome_of(const struct find *base,
                               const struct find *other)
{
  if (base->rules.what != other->rules.what ||
      strcmp(base->objective, other->objective) != 0)
    return OTHER_AIM;
  if (base->search.end != SEARCH_FOUND || other->search.end != SEARCH_FOUND)
    return NO_ANSWER;
  if (other->search.low >= upper_end(base))
    return HIGHER;
  return upper_end(other) <= base->search.low ? LOWER : OVERLAP;
}

static double change(const struct find *base, const struct find *other)
{
  return other->search.low / base->search.low - 1;
}

static void say(const struct find *base, const struct find *other,
                struct strbuf *out)
{
  switch (outcome_of(base, other)) {
  case HIGHER:
  case LOWER:
    strbuf_addf(out,
                "The highest confirmed %s has changed by %+.3g %%, and the "
                "intervals do not overlap.\n",
                find_noun(base), 100 * change(base, other));
    break;
  case OVERLAP:
    strbuf_adds(out, "The intervals overlap, so no difference is shown.\n");
    break;
  case OTHER_AIM:
    strbuf_adds(out, "These are answers to different questions.\n");
    break;
  case NO_ANSWER:
    strbuf_adds(out, "Without two answers there is no difference.\n");
    break;
  }
}

static void add_answer(const struct result_file *file, const struct find *f,
                       enum table_format format, struct strbuf *out)
{
  struct strbuf answer = { 0 }, line = { 0 };

  find_say(f, &answer); /* ends with a newline */
  strbuf_addf(&line, "%s: %.*s", file->path, (int)answer.len - 1,
              strbuf_str(&answer));
  strbuf_adds(out, "- ");
  table_add_text(out, strbuf_str(&line), format);
  strbuf_adds(out, "\n");
  out->failed = out->failed || answer.failed || line.failed;
  strbuf_done(&answer);
  strbuf_done(&line);
}

static void add_known(struct jobj *o, const char *name, double value)
{
  if (value > 0 && isfinite(value))
    jobj_real(o, name, value);
  else
    jobj_null(o, name);
}

static json_t *answer_json(const struct result_file *file, const struct find *f)
{
  const bool found = f->search.end == SEARCH_FOUND;
  struct jobj o = jobj_new();

  jobj_text(&o, "file", file->path);
  jobj_text(&o, "find", search_what_name(f->rules.what));
  jobj_text(&o, "objective", f->objective);
  jobj_text(&o, "end", search_end_name(f->search.end));
  add_known(&o, "low", found ? f->search.low : 0);
  add_known(&o, "high", found ? upper_end(f) : 0);
  return jobj_take(&o);
}

static int read_search(struct find *f, const struct result_file *file,
                       struct err *err)
{
  struct err why = { "" };

  if (find_read(f, result_at(file->json, "sweep.search"), &why) < 0)
    return err_set(err, -EINVAL, "'%.200s' cannot be compared: %s", file->path,
                   why.text);
  return 0;
}

int compare_search(const struct result_file *base,
                   const struct result_file *other, enum table_format format,
                   struct strbuf *out, json_t *list, struct err *err)
{
  struct find here, there;
  enum outcome outcome;
  struct jobj o;

  if (!result_at(base->json, "sweep.search") ||
      !result_at(other->json, "sweep.search"))
    return 0;
  if (read_search(&here, base, err) < 0 || read_search(&there, other, err) < 0)
    return -EINVAL;
  outcome = outcome_of(&here, &there);
  strbuf_adds(out, format == TABLE_MARKDOWN ? "### Answers\n\n" : "Answers:\n");
  add_answer(base, &here, format, out);
  add_answer(other, &there, format, out);
  strbuf_adds(out, format == TABLE_MARKDOWN ? "\n" : "");
  say(&here, &there, out);
  strbuf_adds(out, "\n");
  o = jobj_new();
  jobj_add(&o, "base", answer_json(base, &here));
  jobj_add(&o, "new", answer_json(other, &there));
  jobj_text(&o, "outcome", names[outcome]);
  if (outcome <= OVERLAP)
    jobj_real(&o, "change_ratio", change(&here, &there));
  else
    jobj_null(&o, "change_ratio");
  return jobj_array_add(list, jobj_take(&o))
           ? 0
           : err_set(err, -ENOMEM, "not enough memory for the comparison");
}
