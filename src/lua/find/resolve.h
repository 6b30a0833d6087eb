/*
 * resolve.h - from the test name of the command line to what is to be run.
 *
 * Pure: which files exist is asked through a function, so that the rules can
 * be tested without files.
 */
#ifndef BENCH_LUA_FIND_RESOLVE_H
#define BENCH_LUA_FIND_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct strbuf;

enum resolve_kind {
  RESOLVE_STDIN,   /* no name, or "-" */
  RESOLVE_BUILTIN, /* one of the built-in tests */
  RESOLVE_SCRIPT,
};

struct resolve_rules {
  /* Is there a file (not a folder) of this name? */
  bool (*exists)(const char *path, void *arg);
  void *arg;
  const char *package_path;    /* of the Lua states, see search_path() */
  const char *datadir;         /* the folder of the bundled scripts */
  const char *const *builtins; /* names of built-in tests; ends with NULL */
};

/* All texts are owned; resolved_done() frees them. */
struct resolved {
  enum resolve_kind kind;
  char *path;        /* RESOLVE_SCRIPT: the file to read */
  char *script_path; /* as scripts see it; NULL for RESOLVE_STDIN */
  char *module;      /* [opt] plain names: the argument of the script's body */
  char *folder;      /* [opt] where its modules are looked for, too */
  char *short_name;  /* for messages: "oltp", "<stdin>" */
  char *warning;     /* [opt] to be shown as a WARNING */
};

/* -ENOENT: not found, with the message to show. -ENOMEM. */
int resolve_name(struct resolved *ret, const char *name,
                 const struct resolve_rules *rules, struct err *err);

/* Add the folders in which resolve_name() looks for `name`: each once, quoted,
 * with commas between them. */
void resolve_folders(struct strbuf *out, const char *name,
                     const struct resolve_rules *rules);

void resolved_done(struct resolved *r);

#endif
