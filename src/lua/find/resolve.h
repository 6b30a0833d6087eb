/*
 * resolve.h - finds the test by its name on the command line.
 *
 * Pure: callers decide which files exist, so tests of the rules need no files.
 */
#ifndef BENCH_LUA_FIND_RESOLVE_H
#define BENCH_LUA_FIND_RESOLVE_H

#include <stdbool.h>

struct err;
struct strbuf;

enum resolve_kind {
  RESOLVE_STDIN, /* no name, or "-" */
  RESOLVE_BUILTIN,
  RESOLVE_SCRIPT,
};

struct resolve_rules {
  /* Does a file (not a folder) of this name exist? */
  bool (*exists)(const char *path, void *arg);
  void *arg;
  const char *package_path;    /* of the Lua states, see search_path() */
  const char *datadir;         /* of the bundled scripts */
  const char *const *builtins; /* ends with NULL */
};

/* All texts are owned; resolved_done() frees them. */
struct resolved {
  enum resolve_kind kind;
  char *path;        /* RESOLVE_SCRIPT */
  char *script_path; /* for scripts; NULL for RESOLVE_STDIN */
  char *module;      /* [opt] plain names: the argument of the body */
  char *folder;      /* [opt] also searched for modules */
  char *short_name;  /* for messages: "oltp", "<stdin>" */
  char *warning;     /* [opt] a WARNING */
};

/* -ENOENT: not found; `err` has the message.  -ENOMEM. */
int resolve_name(struct resolved *ret, const char *name,
                 const struct resolve_rules *rules, struct err *err);

/*
 * Adds the folders in which resolve_name() looks: each once, quoted, with
 * commas.
 */
void resolve_folders(struct strbuf *out, const char *name,
                     const struct resolve_rules *rules);

void resolved_done(struct resolved *r);

#endif
