/*
 * bundled.c - what the files of the bundled scripts say about themselves.
 *
 * The files are read as text.  A script that can be run begins with the comment
 * "-- One event: WHAT."  Options are declared as
 *
 *   sysbench.cmdline.options = {          or: local declared = {
 *      NAME = {...
 *   }
 *   sysbench.cmdline.options.NAME =
 */
#include "program/bundled.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "lua/find/embedded.h"
#include "opt/suggest.h"

static FILE *open_script(const char *datadir, const char *name)
{
  char path[PATH_MAX + BUNDLED_NAME];
  const struct embedded_script *script;

  (void)snprintf(path, sizeof(path), "%s/%s.lua", datadir, name);
  script = embedded_find(path);
  if (script) /* the file is only read */
    return fmemopen((void *)(uintptr_t)script->text, script->len, "r");
  return fopen(path, "re");
}

/* The script files of the folder, or those inside the program. */
struct files {
  DIR *dir;
  const struct embedded_script *embedded; /* the next one; NULL: a folder */
};

static struct files files_open(const char *datadir)
{
  if (strcmp(datadir, EMBEDDED_FOLDER) == 0)
    return (struct files){ NULL, embedded_scripts };
  return (struct files){ opendir(datadir), NULL };
}

/* Opens the next file; NULL: there are no more. */
static const char *files_next(struct files *f)
{
  const struct dirent *entry;

  if (f->embedded)
    return f->embedded->path ? f->embedded++->path : NULL;
  entry = f->dir ? readdir(f->dir) : NULL;
  return entry ? entry->d_name : NULL;
}

static void files_close(struct files *f)
{
  if (f->dir)
    (void)closedir(f->dir);
}

/* "NAME.lua" */
static bool is_script(const char *file, char ret_name[BUNDLED_NAME])
{
  const char *dot = strrchr(file, '.');
  const size_t len = dot ? (size_t)(dot - file) : 0;

  if (strchr(file, '/') || !dot || strcmp(dot, ".lua") != 0 || len == 0 ||
      len >= BUNDLED_NAME)
    return false;
  memcpy(ret_name, file, len);
  ret_name[len] = '\0';
  return true;
}

/* Adds text up to the end of the sentence.  true: the end was found. */
static bool add_sentence(char summary[BUNDLED_SUMMARY], const char *text)
{
  size_t len = strlen(summary);

  if (len > 0 && len + 1 < BUNDLED_SUMMARY)
    summary[len++] = ' ';
  for (; *text && *text != '\n' && len + 1 < BUNDLED_SUMMARY; text++) {
    if (*text == '.' && (text[1] == ' ' || text[1] == '\n'))
      break;
    /* Users read options with `-` everywhere. */
    summary[len++] = '_' == *text ? '-' : *text;
  }
  summary[len] = '\0';
  return *text == '.';
}

/*
 * Returns false if there is no such comment: the file is a part of other
 * scripts.
 */
static bool read_summary(const char *datadir, struct bundled *script)
{
  static const char start[] = "-- One event: ", next[] = "-- ";
  FILE *f = open_script(datadir, script->name);
  char line[256];
  bool ended = false;

  script->summary[0] = '\0';
  while (f && !ended && fgets(line, sizeof(line), f)) {
    if (line[0] == '#')
      continue;
    if (!script->summary[0] && strncmp(line, start, strlen(start)) == 0)
      ended = add_sentence(script->summary, line + strlen(start));
    else if (script->summary[0] && strncmp(line, next, strlen(next)) == 0)
      ended = add_sentence(script->summary, line + strlen(next));
    else
      ended = true;
  }
  if (f)
    (void)fclose(f);
  return script->summary[0] != '\0';
}

static int by_name(const void *a, const void *b)
{
  const struct bundled *x = a, *y = b;

  return strcmp(x->name, y->name);
}

size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX])
{
  struct files files = files_open(datadir);
  const char *file;
  size_t n = 0;

  while (n < BUNDLED_MAX && (file = files_next(&files))) {
    if (is_script(file, list[n].name) && read_summary(datadir, &list[n]))
      n++;
  }
  files_close(&files);
  qsort(list, n, sizeof(list[0]), by_name);
  return n;
}

/* Tables of options begin like this; all scripts that use oltp_common.lua have
 * those of bench_oltp.lua. */
static bool begins_table(const char *line)
{
  static const char *const table[] = { "sysbench.cmdline.options = {",
                                       "local declared = {" };

  for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
    if (strncmp(line, table[i], strlen(table[i])) == 0)
      return true;
  }
  return false;
}

/* Does the line declare an option?  Cuts its name out. */
static char *declared_name(char *line, bool in_table)
{
  static const char lead[] = "sysbench.cmdline.options.";
  char *name = NULL, *end;

  if (in_table && strncmp(line, "   ", 3) == 0)
    name = line + 3;
  else if (strncmp(line, lead, strlen(lead)) == 0)
    name = line + strlen(lead);
  if (!name)
    return NULL;
  end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
  if (end == name || strncmp(end, " =", 2) != 0)
    return NULL;
  *end = '\0';
  return name;
}

static bool declares(const char *datadir, const char *script,
                     const char *option)
{
  FILE *f = open_script(datadir, script);
  bool found = false, in_table = false;
  char line[256];

  while (f && !found && fgets(line, sizeof(line), f)) {
    const char *name = declared_name(line, in_table);

    found = name && opt_name_equal(name, option);
    if (begins_table(line))
      in_table = true;
    else if (line[0] == '}')
      in_table = false;
  }
  if (f)
    (void)fclose(f);
  return found;
}

bool bundled_find_option(const char *datadir, const char *name,
                         char ret_script[BUNDLED_NAME])
{
  struct files files = files_open(datadir);
  const char *file;
  bool found = false;

  (void)snprintf(ret_script, BUNDLED_NAME, "oltp_common");
  found = declares(datadir, "bench_oltp", name);
  while (!found && (file = files_next(&files)))
    found = is_script(file, ret_script) && declares(datadir, ret_script, name);
  files_close(&files);
  return found;
}
