/*
 * options.c - the options of the sqlite driver.
 */
#include "drivers/sqlite/options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const sqlite_journal_modes[] = {
  "wal", "delete", "truncate", "persist", "memory", "off", NULL,
};

/* Their places are the numbers that SQLite uses. */
const char *const sqlite_synchronous_words[] = {
  "off", "normal", "full", "extra", NULL,
};

/* Copies the `len` bytes of a URI without percent-encoding, cut to the room. */
static void decode(const char *text, size_t len, char *to, size_t size)
{
  size_t n = 0;

  for (size_t i = 0; i < len && n + 1 < size; i++) {
    char two[3] = "";
    char *end;

    to[n] = text[i];
    if (text[i] == '%' && i + 2 < len) {
      memcpy(two, text + i + 1, 2);
      to[n] = (char)strtoul(two, &end, 16);
      if (end != two + 2 || to[n] == '\0')
        to[n] = text[i];
      else
        i += 2;
    }
    n++;
  }
  to[n] = '\0';
}

/*
 * Does the path or a parameter of a URI of SQLite mean memory, or a file that
 * no other connection can open?
 */
static bool is_memory_uri(const char *uri)
{
  const char *at = uri + strcspn(uri, "?#");
  char word[64];

  decode(uri, (size_t)(at - uri), word, sizeof(word));
  if (*word == '\0' || strcmp(word, ":memory:") == 0)
    return true;
  while (*at == '?' || *at == '&') {
    const size_t len = strcspn(++at, "&#");

    decode(at, len, word, sizeof(word));
    if (strcmp(word, "mode=memory") == 0 || strcmp(word, "vfs=memdb") == 0)
      return true;
    at += len;
  }
  return false;
}

static bool is_file(const char *text)
{
  if (strncmp(text, "file:", 5) == 0)
    return !is_memory_uri(text + 5);
  return *text && strcmp(text, ":memory:") != 0;
}

const struct opt sqlite_options[] = {
  {
    OPT_STRING(struct sqlite_cfg, db),
    .name = "sqlite-db",
    .flags = OPT_PATH,
    .def = "bench.sqlite",
    .check = is_file,
    .expected = "a file name: a database in memory cannot be shared "
                "by threads and commands",
    .help = "database file, created if missing",
  },
  {
    OPT_WORD(struct sqlite_cfg, journal_mode),
    .name = "sqlite-journal-mode",
    .def = "wal",
    .words = sqlite_journal_modes,
    .help = "journal mode {wal,delete,truncate,persist,memory,off}",
    .man = "With wal, readers run beside one writer.",
  },
  {
    OPT_WORD(struct sqlite_cfg, synchronous),
    .name = "sqlite-synchronous",
    .def = "normal",
    .words = sqlite_synchronous_words,
    .help = "when data is forced to the disk {off,normal,full,extra}",
  },
  {
    OPT_INT(struct sqlite_cfg, cache_size),
    .name = "sqlite-cache-size",
    .def = "0",
    .min = INT32_MIN,
    .max = INT32_MAX,
    .help = "page cache: pages if positive, KiB if negative, 0 = default",
  },
  {
    OPT_SIZE(struct sqlite_cfg, mmap_size),
    .name = "sqlite-mmap-size",
    .def = "0",
    .help = "bytes of the file that are mapped into memory",
  },
  {
    OPT_INT(struct sqlite_cfg, busy_timeout_ms),
    .name = "sqlite-busy-timeout",
    .def = "5000",
    .min = 0,
    .max = 3600000,
    .help = "milliseconds to wait for a lock",
  },
  OPT_END,
};
