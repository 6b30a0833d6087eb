#include "tools/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

static int view_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the report");
}

static double view_throughput_of(const struct result *r)
{
  return r->events_per_s;
}

/* The run whose throughput is nearest to the median. */
static const struct result *view_typical(const struct group *g)
{
  const double median = group_median(g, view_throughput_of);
  const struct result *best = g->runs[0];

  for (size_t i = 1; i < g->n; i++) {
    if (fabs(g->runs[i]->events_per_s - median) <
        fabs(best->events_per_s - median))
      best = g->runs[i];
  }
  return best;
}

/* The file's name and `folders` folders above it. */
static const char *view_tail_of(const char *path, size_t folders)
{
  const char *at = path + strlen(path);

  while (at > path && (at[-1] != '/' || folders-- > 0))
    at--;
  return at;
}

static size_t view_without_ending(const char *name)
{
  const size_t len = strlen(name);

  return len > 5 && strcmp(name + len - 5, ".json") == 0 ? len - 5 : len;
}

static bool look_alike(const char *a, const char *b)
{
  const size_t len = view_without_ending(a);

  return len == view_without_ending(b) && memcmp(a, b, len) == 0;
}

/* The file's name without folders and ending, or with as many folders as it
 * needs to differ from others. */
static char *view_name_of(const char *const *paths, size_t n, size_t file)
{
  const char *name;
  size_t folders = 0;

  for (size_t i = 0; i < n;) {
    name = view_tail_of(paths[file], folders);
    if (strcmp(paths[i], paths[file]) == 0 ||
        !look_alike(name, view_tail_of(paths[i], folders))) {
      i++;
    } else if (name == paths[file] &&
               view_tail_of(paths[i], folders) == paths[i]) {
      return mem_strdup(name); /* only the endings differ */
    } else {
      folders++;
      i = 0;
    }
  }
  name = view_tail_of(paths[file], folders);
  return mem_strndup(name, view_without_ending(name));
}

static char *view_label_of(const struct view *v, size_t file,
                           const struct group *g)
{
  struct strbuf b = { 0 };
  char *label;

  if (v->n_files > 1 || !g->values || v->has_parts)
    strbuf_adds(&b, v->names[file]);
  if (g->values && !v->has_parts) {
    strbuf_adds(&b, b.len > 0 ? ": " : "");
    group_describe(g, &b);
  }
  label = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  return label;
}

static int view_add_runs(struct view *v, size_t file, struct err *err)
{
  const struct groups *groups = &v->groups[file];
  struct view_run *more = realloc(v->runs,
                                  (v->n_runs + groups->n) * sizeof(*more));

  if (!more)
    return view_no_memory(err);
  v->runs = more;
  for (size_t i = 0; i < groups->n; i++) {
    struct view_run *r = &v->runs[v->n_runs];

    *r = (struct view_run){ .label = view_label_of(v, file, &groups->of[i]),
                            .group = &groups->of[i],
                            .run = view_typical(&groups->of[i]) };
    if (!r->label)
      return view_no_memory(err);
    v->n_runs++;
    if (!v->has_parts && strcmp(r->run->test, v->runs[0].run->test) != 0)
      return err_set(err, -EINVAL,
                     "results of different tests: '%.200s' is of %.100s, "
                     "'%.200s' is of %.100s",
                     v->runs[0].group->path, v->runs[0].run->test,
                     r->group->path, r->run->test);
  }
  return 0;
}

/* Files with parts are shown only together. */
static int check_parts(const struct view *v, size_t file, struct err *err)
{
  const bool first = v->files[0].has_parts;

  if (v->files[file].has_parts == first)
    return result_file_check_pair(&v->files[0], &v->files[file], err);
  return err_set(err, -EINVAL,
                 "'%.200s' is of %s, and '%.200s' is not: they "
                 "cannot be shown on one page",
                 v->files[first ? 0 : file].path,
                 result_file_tool(&v->files[first ? 0 : file]),
                 v->files[first ? file : 0].path);
}

struct memory {
  const char *text;
  size_t len;
};

static int view_load(struct view *v, const char *const *paths, size_t n,
                     const struct memory *memory, struct err *err)
{
  v->files = calloc(n + 1, sizeof(*v->files));
  v->groups = calloc(n + 1, sizeof(*v->groups));
  v->names = calloc(n + 1, sizeof(*v->names));
  v->finds = calloc(n + 1, sizeof(*v->finds));
  if (!v->files || !v->groups || !v->names || !v->finds)
    return view_no_memory(err);
  v->n_files = n;
  for (size_t i = 0; i < n; i++) {
    v->names[i] = view_name_of(paths, n, i);
    if (!v->names[i])
      return view_no_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    int rc = memory ? result_load_text(&v->files[i], paths[i], memory->text,
                                       memory->len, err)
                    : result_load(&v->files[i], paths[i], err);

    if (rc == 0)
      rc = check_parts(v, i, err);
    if (rc == 0)
      rc = view_find_load(v, i, err);
    v->has_parts = v->files[0].has_parts;
    if (rc == 0)
      rc = groups_init(&v->groups[i], &v->files[i], err);
    if (rc == 0)
      rc = view_add_runs(v, i, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

static int init(struct view *ret, const char *const *paths, size_t n,
                const struct memory *memory, struct err *err)
{
  struct view v = { 0 };
  const int rc = view_load(&v, paths, n, memory, err);

  if (rc < 0)
    view_done(&v);
  else
    *ret = v;
  return rc;
}

int view_init(struct view *ret, const char *const *paths, size_t n,
              struct err *err)
{
  return init(ret, paths, n, NULL, err);
}

int view_init_text(struct view *ret, const char *path, const char *text,
                   size_t len, struct err *err)
{
  const struct memory memory = { text, len };

  return init(ret, &path, 1, &memory, err);
}

void view_done(struct view *v)
{
  if (!v)
    return;
  for (size_t i = 0; i < v->n_runs; i++)
    free(v->runs[i].label);
  free(v->runs);
  for (size_t i = 0; i < v->n_files; i++) {
    groups_done(&v->groups[i]);
    result_file_done(&v->files[i]);
    free(v->names[i]);
    free(v->finds[i]);
  }
  free(v->names);
  free(v->finds);
  free(v->groups);
  free(v->files);
  *v = (struct view){ 0 };
}

static bool view_is_same_part(const struct view_run *a,
                              const struct view_run *b)
{
  return json_equal(a->group->values, b->group->values);
}

int view_part(const struct view *v, size_t i, struct view *ret, struct err *err)
{
  struct view part = { .n_files = 0 };

  for (size_t k = 0; k < i; k++) {
    if (view_is_same_part(&v->runs[k], &v->runs[i]))
      return 0;
  }
  part.runs = calloc(v->n_runs, sizeof(*part.runs));
  if (!part.runs)
    return view_no_memory(err);
  for (size_t k = i; k < v->n_runs; k++) {
    if (view_is_same_part(&v->runs[k], &v->runs[i]))
      part.runs[part.n_runs++] = v->runs[k];
  }
  *ret = part;
  return 1;
}

void view_part_done(struct view *part)
{
  free(part->runs);
  *part = (struct view){ 0 };
}

const char *view_part_name(const struct view *part)
{
  const char *name = result_text_at(part->runs[0].group->values, "part");

  return name ? name : "?";
}
