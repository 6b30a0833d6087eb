#include "ack/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>

#include "base/err.h"

enum {
  MOST_CLIENTS = 1 << 22, /* more than a run can have */
};

static int check_header(struct ack_reader *r, struct err *err)
{
  struct ack_header *h = &r->header;

  if (memcmp(h->magic, ACK_MAGIC "\n", sizeof(ACK_MAGIC)) != 0)
    return err_set(err, -EINVAL, "'%.400s' is not an acknowledgement log",
                   r->path);
  if (h->order != ACK_ORDER || h->chunk_bytes != ACK_CHUNK ||
      h->record_bytes != sizeof(struct ack_record))
    return err_set(err, -EINVAL,
                   "'%.400s' was written by a machine with another byte order",
                   r->path);
  if (h->clients == 0 || h->clients > MOST_CLIENTS ||
      (h->ranks > 0 ? h->rank >= h->ranks : h->rank > 0))
    return err_set(err, -EINVAL, "the header of '%.400s' is damaged", r->path);
  h->query[sizeof(h->query) - 1] = '\0';
  h->test[sizeof(h->test) - 1] = '\0';
  return 0;
}

int ack_reader_open(struct ack_reader *r, const char *path, struct err *err)
{
  int rc;

  memset(r, 0, sizeof(*r));
  r->path = path;
  r->records = (struct ack_record *)(void *)r->raw + 1;
  r->file = fopen(path, "re");
  if (!r->file)
    return err_sys(err, "cannot read '%.400s',", path);
  if (flock(fileno(r->file), LOCK_SH | LOCK_NB) < 0)
    rc = err_set(err, -EBUSY, "the run that writes '%.400s' has not ended",
                 path);
  else if (fread(&r->header, sizeof(r->header), 1, r->file) != 1)
    rc = ferror(r->file) ? err_sys(err, "cannot read '%.400s',", path)
                         : err_set(err, -EINVAL, "'%.400s' is truncated", path);
  else
    rc = check_header(r, err);
  if (rc == 0)
    rc = ack_reader_rewind(r, err);
  if (rc < 0)
    ack_reader_done(r);
  return rc;
}

void ack_reader_done(struct ack_reader *r)
{
  if (r->file)
    (void)fclose(r->file);
  r->file = NULL;
}

int ack_reader_rewind(struct ack_reader *r, struct err *err)
{
  r->damaged = 0;
  r->chunks = 0;
  return fseeko(r->file, ACK_CHUNK, SEEK_SET) < 0
           ? err_sys(err, "cannot read '%.400s',", r->path)
           : 0;
}

static bool reader_is_right(const struct ack_record *r, uint32_t client)
{
  switch (atomic_load_explicit(&r->state, memory_order_relaxed)) {
  case ACK_INTENT:
  case ACK_ACKED:
  case ACK_ABORTED:
  case ACK_UNKNOWN:
  case ACK_LOST:
    return r->client == client && r->check == ack_check(r);
  default:
    return false;
  }
}

static bool reader_is_zero(const void *bytes, size_t n)
{
  const unsigned char *at = bytes;

  return at[0] == 0 && memcmp(at, at + 1, n - 1) == 0;
}

/* A log without an end: a kill interrupted the last record of the client,
 * before its COMMIT was sent. */
static bool reader_is_begun(const struct ack_reader *r, int i)
{
  const char *rest = (const char *)&r->records[i + 1];

  return atomic_load(&r->header.end_ns) == 0 &&
         atomic_load_explicit(&r->records[i].state, memory_order_relaxed) ==
           0 &&
         (rest == r->raw + ACK_CHUNK ||
          reader_is_zero(rest, (size_t)(r->raw + ACK_CHUNK - rest)));
}

/* A log without an end: a kill interrupted the beginning of the chunk. */
static bool reader_is_taken(const struct ack_reader *r,
                            const struct ack_chunk *chunk)
{
  return atomic_load(&r->header.end_ns) == 0 && chunk->magic == 0 &&
         reader_is_zero(r->raw + sizeof(*chunk), ACK_CHUNK - sizeof(*chunk));
}

static int reader_sort_out(struct ack_reader *r, uint32_t client)
{
  int kept = 0;

  for (int i = 0; i < ACK_RECORDS; i++) {
    if (reader_is_right(&r->records[i], client))
      memmove(&r->records[kept++], &r->records[i], sizeof(r->records[0]));
    else if (!reader_is_zero(&r->records[i], sizeof(r->records[i])) &&
             !reader_is_begun(r, i))
      r->damaged++;
  }
  return kept;
}

int ack_reader_next(struct ack_reader *r, struct err *err)
{
  const struct ack_chunk *chunk = (const void *)r->raw;
  int n = 0;

  while (n == 0) {
    const size_t got = fread(r->raw, 1, ACK_CHUNK, r->file);

    if (got == 0 && ferror(r->file))
      return err_sys(err, "cannot read '%.400s',", r->path);
    if (got == 0) {
      r->damaged += r->header.chunks > r->chunks;
      break;
    }
    r->chunks++;
    r->damaged += got < ACK_CHUNK;
    memset(r->raw + got, 0, ACK_CHUNK - got);
    if (chunk->magic == ACK_CHUNK_MAGIC && chunk->client < r->header.clients)
      n = reader_sort_out(r, chunk->client);
    else if (!reader_is_zero(r->raw, ACK_CHUNK) && !reader_is_taken(r, chunk))
      r->damaged++;
  }
  return n;
}
