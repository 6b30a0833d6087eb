/*
 * resolve.c - see resolve.h.
 *
 * Looks for built-in tests, files, modules, bundled scripts, in this order.
 */
#include "lua/find/resolve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* In the folder of the bundled scripts, for legacy ones. */
static const char *const legacy_folders[] = {
  "tests/include/oltp_legacy",
  "oltp_legacy",
};

static const char *resolve_last_component(const char *name)
{
  const char *slash = strrchr(name, '/');

  return slash ? slash + 1 : name;
}

/* Without memory, texts are missing: see resolve_is_complete(). */
static char *resolve_formatted(const char *fmt, ...) PRINTF_LIKE(1, 2);

static char *resolve_formatted(const char *fmt, ...)
{
  struct strbuf b = { 0 };
  va_list ap;
  char *text;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  text = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  return text;
}

static bool resolve_exists(const struct resolve_rules *rules, const char *path)
{
  return path && rules->exists(path, rules->arg);
}

/* The path of BASE, or NULL. */
static char *find_bundled(const struct resolve_rules *rules, const char *base)
{
  char *path = resolve_formatted("%s/%s.lua", rules->datadir, base);

  if (resolve_exists(rules, path))
    return path;
  free(path);
  return NULL;
}

/* The path of BASE, or NULL. */
static char *find_legacy(const struct resolve_rules *rules, const char *base)
{
  for (size_t i = 0; i < ARRAY_SIZE(legacy_folders); i++) {
    char *path = resolve_formatted("%s/%s/%s.lua", rules->datadir,
                                   legacy_folders[i], base);

    if (resolve_exists(rules, path))
      return path;
    free(path);
  }
  return NULL;
}

static bool resolve_has_folder(const char *path, const char *folder)
{
  const size_t n = strlen(folder);

  for (const char *at = path, *end; (end = strchr(at, '/')); at = end + 1)
    if ((size_t)(end - at) == n && strncmp(at, folder, n) == 0)
      return true;
  return false;
}

/* Is it NAME.lua, or oltp_legacy/NAME[.lua]? */
static bool names_bundled(const char *name, const char *base, bool legacy)
{
  static const char folder[] = "oltp_legacy/";
  const size_t len = sizeof(folder) - 1;

  if (!legacy)
    return !strchr(name, '/');
  return strncmp(name, folder, len) == 0 &&
         strncmp(name + len, base, strlen(base)) == 0;
}

/* The bundled script of the same name replaces the file. */
static void resolve_missing_path(struct resolved *r, const char *name,
                                 const struct resolve_rules *rules)
{
  const bool legacy_first = resolve_has_folder(name, "oltp_legacy") ||
                            resolve_has_folder(name, "db");
  char *base = mem_strdup(resolve_last_component(name));
  bool legacy = legacy_first;

  if (base && text_ends_with(base, ".lua"))
    base[strlen(base) - 4] = '\0';
  if (!base || !*base) {
    free(base);
    return;
  }
  r->path = legacy ? find_legacy(rules, base) : find_bundled(rules, base);
  if (!r->path) {
    legacy = !legacy;
    r->path = legacy ? find_legacy(rules, base) : find_bundled(rules, base);
  }
  if (r->path) {
    r->script_path = mem_strdup(r->path);
    if (!names_bundled(name, base, legacy))
      r->warning = resolve_formatted(
        "'%s' does not exist, using the bundled script '%s%s'", name,
        legacy ? "oltp_legacy/" : "", base);
  }
  free(base);
}

static void resolve_path(struct resolved *r, const char *name,
                         const struct resolve_rules *rules)
{
  if (resolve_exists(rules, name)) {
    r->path = mem_strdup(name);
  } else if (!text_ends_with(name, ".lua")) {
    r->path = resolve_formatted("%s.lua", name);
    if (!resolve_exists(rules, r->path)) {
      free(r->path);
      r->path = NULL;
    }
  }
  if (r->path)
    r->script_path = mem_strdup(r->path);
  else
    resolve_missing_path(r, name, rules);

  if (r->path) {
    const char *slash = strrchr(r->path, '/');

    r->folder = slash
                  ? mem_strndup(
                      r->path, slash == r->path ? 1 : (size_t)(slash - r->path))
                  : mem_strdup(".");
  }
}

/* The first file in the search path. */
static char *find_module(const char *module, const struct resolve_rules *rules)
{
  char *file = mem_strdup(module);
  struct strbuf b = { 0 };
  char *found = NULL;

  for (char *c = file; c && *c; c++)
    if (*c == '.')
      *c = '/';

  for (const char *at = rules->package_path; file && *at && !found;) {
    const char *end = at + strcspn(at, ";");

    strbuf_clear(&b);
    for (; at < end; at++) {
      if (*at == '?')
        strbuf_adds(&b, file);
      else
        strbuf_add(&b, at, 1);
    }
    if (b.len > 0 && resolve_exists(rules, strbuf_str(&b)))
      found = mem_strdup(strbuf_str(&b));
    at = *end ? end + 1 : end;
  }
  free(file);
  strbuf_done(&b);
  return found;
}

static void resolve_module(struct resolved *r, const char *name,
                           const struct resolve_rules *rules)
{
  r->path = find_module(name, rules);
  if (!r->path)
    r->path = find_bundled(rules, name);
  if (r->path) {
    r->script_path = mem_strdup(name);
  } else {
    r->path = find_legacy(rules, name);
    if (!r->path)
      return;
    r->script_path = mem_strdup(r->path);
    r->warning = resolve_formatted(
      "no test '%s', using the bundled script 'oltp_legacy/%s'", name, name);
  }
  r->module = mem_strdup(name);
}

static char *resolve_short_name(const char *name)
{
  const char *base = resolve_last_component(name);

  return mem_strdup(*base ? base : name);
}

/* False: memory ran out. */
static bool resolve_is_complete(const struct resolved *r)
{
  if (!r->short_name)
    return false;
  return r->kind != RESOLVE_SCRIPT || r->script_path;
}

int resolve_name(struct resolved *ret, const char *name,
                 const struct resolve_rules *rules, struct err *err)
{
  struct resolved r = { .kind = RESOLVE_SCRIPT };

  if (!name || strcmp(name, "-") == 0) {
    r.kind = RESOLVE_STDIN;
    r.short_name = mem_strdup("<stdin>");
  } else {
    r.short_name = resolve_short_name(name);
    for (size_t i = 0; rules->builtins[i]; i++)
      if (strcmp(name, rules->builtins[i]) == 0)
        r.kind = RESOLVE_BUILTIN;
    if (r.kind == RESOLVE_SCRIPT && *name) {
      if (strchr(name, '/') || text_ends_with(name, ".lua"))
        resolve_path(&r, name, rules);
      else
        resolve_module(&r, name, rules);
    }
    if (r.kind == RESOLVE_SCRIPT && !r.path) {
      resolved_done(&r);
      return err_set(err, -ENOENT,
                     "Cannot find benchmark '%s': no such built-in test, file "
                     "or module",
                     name);
    }
  }
  if (!resolve_is_complete(&r)) {
    resolved_done(&r);
    return err_set(err, -ENOMEM, "not enough memory");
  }
  *ret = r;
  return 0;
}

/* Unless it is there. */
static void resolve_add_folder(struct strbuf *out, const char *path, size_t len)
{
  struct strbuf quoted = { 0 };

  strbuf_addf(&quoted, "'%.*s'", (int)len, path);
  if (!strstr(strbuf_str(out), strbuf_str(&quoted)))
    strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", strbuf_str(&quoted));
  out->failed |= quoted.failed;
  strbuf_done(&quoted);
}

void resolve_folders(struct strbuf *out, const char *name,
                     const struct resolve_rules *rules)
{
  const char *slash = strrchr(name, '/');

  if (slash)
    resolve_add_folder(out, name, slash == name ? 1 : (size_t)(slash - name));
  else if (text_ends_with(name, ".lua"))
    resolve_add_folder(out, ".", 1);
  else
    for (const char *at = rules->package_path; *at;) {
      const size_t entry = strcspn(at, ";");
      const size_t folder = strcspn(at, "?;");

      if (folder > 1 && at[folder] == '?' && at[folder - 1] == '/')
        resolve_add_folder(out, at, folder - 1);
      at += entry + (at[entry] == ';');
    }
  resolve_add_folder(out, rules->datadir, strlen(rules->datadir));
}

void resolved_done(struct resolved *r)
{
  free(r->path);
  free(r->script_path);
  free(r->module);
  free(r->folder);
  free(r->short_name);
  free(r->warning);
  *r = (struct resolved){ 0 };
}
