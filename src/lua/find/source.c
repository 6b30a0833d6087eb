#include "lua/find/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/find/embedded.h"
#include "lua/find/resolve.h"

enum {
  MAX_BYTES = 64 << 20, /* above any script; a device has no end */
};

/*
 * Adds a whole stream.  `out` notes a failed allocation.  0 or a negative errno
 * value; -EFBIG: the end is too far away.
 */
static int source_read_stream(FILE *f, struct strbuf *out)
{
  char buf[8192];
  size_t n;

  while (!out->failed && (n = fread(buf, 1, sizeof(buf), f)) > 0) {
    strbuf_add(out, buf, n);
    if (out->len > MAX_BYTES)
      return -EFBIG;
  }
  return ferror(f) ? -errno : 0;
}

int source_read_file(const char *path, struct strbuf *out)
{
  const struct embedded_script *script = embedded_find(path);
  FILE *f;
  int rc;

  if (script) {
    strbuf_add(out, script->text, script->len);
    return 0;
  }
  f = fopen(path, "re");
  if (!f)
    return -errno;
  rc = source_read_stream(f, out);
  (void)fclose(f); /* nothing was written */
  return rc;
}

bool source_exists(const char *path)
{
  struct stat st;

  return embedded_find(path) || (stat(path, &st) == 0 && !S_ISDIR(st.st_mode));
}

/* A first line with `#` is for the system. */
static void source_drop_first_line(struct strbuf *text)
{
  char *end;

  if (text->len == 0 || text->text[0] != '#')
    return;
  end = memchr(text->text, '\n', text->len);
  if (!end)
    end = text->text + text->len;
  text->len -= (size_t)(end - text->text);
  memmove(text->text, end, text->len + 1);
}

int source_read(const struct resolved *what, struct strbuf *out,
                struct err *err)
{
  const bool is_stdin = what->kind == RESOLVE_STDIN;
  int rc;

  if (is_stdin && isatty(STDIN_FILENO))
    log_msg(LOG_NOTICE, "Reading the script from the standard input:\n\n");
  rc = is_stdin ? source_read_stream(stdin, out)
                : source_read_file(what->path, out);
  if (rc < 0)
    return err_set(err, rc, "cannot read '%s': %s",
                   is_stdin ? "stdin" : what->path, strerror(-rc));
  source_drop_first_line(out);
  return out->failed ? err_set(err, -ENOMEM, "not enough memory") : 0;
}
