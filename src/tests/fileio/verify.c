/*
 * verify.c - the verify command: compares the files with the log of a run, and
 * tells which blocks are not as fsync has acknowledged.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ack/link.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "tests/fileio/ack_read.h"
#include "tests/fileio/bad_blocks.h"
#include "tests/fileio/crc32.h"
#include "tests/fileio/device.h"
#include "tests/fileio/fileio.h"
#include "tests/fileio/verdict.h"

#define PIECE_BYTES (UINT64_C(1) << 20) /* per read, in whole blocks */

/* Exit statuses. */
enum {
  VERIFY_GOOD = 0,
  VERIFY_BAD = 1,
  VERIFY_CANNOT_TELL = 3,
};

struct verify {
  const struct fileio_cfg *cfg;
  struct folder folder;
  struct ack_reader log;
  struct ack_summary sum;
  struct ack_block *block; /* owned; [log.blocks] */
  struct crc32_table crc;
  uint64_t per_file; /* blocks */
  uint64_t files;    /* how many are there */
  uint64_t chunk;    /* blocks per read */
  char *buf;         /* owned */
  struct bad_blocks bad;
};

/* Opens what the log is about. */
static int open_folder(struct verify *v, struct err *err)
{
  const struct ack_header *h = &v->log.header;
  const bool device = *v->cfg->device != '\0';
  int rc;

  if (device != ((h->where & ACK_ON_DEVICE) != 0))
    return err_set(err, -EINVAL,
                   "'%s' is the log of a run with%s --file-device",
                   v->cfg->ack_log, h->where & ACK_ON_DEVICE ? "" : "out");
  rc = device_or_folder(&v->folder, v->cfg, false, err);
  v->folder.read_only = true;
  if (rc == 0 && device && v->folder.device_bytes < h->file_bytes)
    rc = err_set(err, -EINVAL,
                 "%s has %" PRIu64 " bytes, and the run has used %" PRIu64,
                 v->cfg->device, v->folder.device_bytes, h->file_bytes);
  return rc;
}

/*
 * Reads n bytes; fewer at the end of the file.  Returns a negative errno value
 * for an error of the disk.
 */
static int64_t read_fully(int fd, char *buf, uint64_t n, uint64_t offset)
{
  uint64_t got = 0;

  while (got < n) {
    const ssize_t one = pread(fd, buf + got, n - got, (off_t)(offset + got));

    if (one < 0 && errno == EINTR)
      continue;
    if (one < 0)
      return -errno;
    if (one == 0)
      break;
    got += (uint64_t)one;
  }
  return (int64_t)got;
}

/* Judges one block: `got` bytes of it are in `data`. */
static int judge(struct verify *v, uint32_t file, uint64_t index,
                 const char *data, uint64_t got, int why, struct err *err)
{
  const struct ack_header *h = &v->log.header;
  const struct ack_block *log = &v->block[file * v->per_file + index];
  struct found_block b = { .offset = index * h->block, .file = file };
  const uint64_t left = h->file_bytes - b.offset;

  b.bytes = left < h->block ? left : h->block;
  verdict_look(&b, &v->crc, h->run, data, got < b.bytes ? got : b.bytes, why);
  return bad_blocks_add(&v->bad, &b, log, verdict_judge(&b, log), err);
}

/* Judges n blocks of a file; fd < 0: there is no file. */
static int judge_blocks(struct verify *v, uint32_t file, int fd, uint64_t first,
                        uint64_t n, struct err *err)
{
  const uint64_t block = v->log.header.block;
  int64_t got = 0;
  int rc = 0;

  if (fd >= 0)
    got = read_fully(fd, v->buf, n * block, first * block);
  if (got < 0 && n > 1) { /* which of them is it? */
    for (uint64_t i = 0; i < n && rc == 0; i++)
      rc = judge_blocks(v, file, fd, first + i, 1, err);
    return rc;
  }
  for (uint64_t i = 0; i < n && rc == 0; i++) {
    const uint64_t at = i * block;
    const uint64_t there = got > 0 && (uint64_t)got > at ? (uint64_t)got - at
                                                         : 0;

    rc = judge(v, file, first + i, v->buf + at, there, got < 0 ? (int)-got : 0,
               err);
  }
  return rc;
}

static int judge_file(struct verify *v, uint32_t file, struct err *err)
{
  int fd = -1;
  int rc = folder_open_file(&v->folder, file, 0, false, &fd, NULL, err);

  if (rc < 0 && rc != -ENOENT)
    return rc;
  rc = 0;
  if (fd >= 0) {
    v->files++;
    /* What is read should come from the disk. */
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  }
  for (uint64_t i = 0; i < v->per_file && rc == 0; i += v->chunk) {
    const uint64_t left = v->per_file - i;

    rc = judge_blocks(v, file, fd, i, left < v->chunk ? left : v->chunk, err);
  }
  if (fd >= 0)
    (void)close(fd);
  return rc;
}

static int judge_all(struct verify *v, struct err *err)
{
  const struct ack_header *h = &v->log.header;
  int rc = 0;

  crc32_table_init(&v->crc);
  v->bad.folder = &v->folder;
  v->per_file = ack_blocks_per_file(h);
  v->chunk = h->block < PIECE_BYTES ? PIECE_BYTES / h->block : 1;
  v->buf = mem_pages(v->chunk * h->block);
  if (!v->buf)
    return err_set(err, -ENOMEM, "cannot allocate %" PRIu64 " bytes",
                   v->chunk * h->block);
  for (uint64_t i = 0; i < h->files && rc == 0; i++)
    rc = judge_file(v, (uint32_t)i, err);
  if (rc == 0 && v->files == 0)
    return err_set(err, -ENOENT,
                   "None of the files is there; is --file-dir right?");
  if (rc == 0)
    rc = bad_blocks_find_origins(&v->bad, &v->log, err);
  return rc;
}

static int work(struct verify *v, struct err *err)
{
  int rc;

  if (*v->cfg->ack_log == '\0' || ack_link_address(v->cfg->ack_log))
    return err_set(err, -EINVAL,
                   "verify needs --file-ack-log=FILE, the log of the run, or "
                   "the file that bench ack-listen has made of it");
  rc = ack_open(&v->log, v->cfg->ack_log, err);
  if (rc == 0)
    rc = open_folder(v, err);
  if (rc == 0)
    rc = ack_collect(&v->log, &v->block, &v->sum, err);
  if (rc == 0) {
    bad_blocks_tell_log(&v->log, &v->sum);
    rc = judge_all(v, err);
  }
  return rc;
}

int fileio_verify(const struct plan *plan, const void *cfg, struct err *err)
{
  struct verify v = { .cfg = cfg, .folder.fd = -1 };
  int status = VERIFY_CANNOT_TELL;

  (void)plan;
  if (work(&v, err) == 0) {
    bad_blocks_tell(&v.bad, &v.sum);
    if (bad_blocks_count(&v.bad) > 0)
      status = VERIFY_BAD;
    else if (v.sum.acked > 0 && !v.sum.open)
      status = VERIFY_GOOD;
  }
  bad_blocks_done(&v.bad);
  if (v.buf)
    mem_pages_free(v.buf, v.chunk * v.log.header.block);
  free(v.block);
  ack_close(&v.log);
  folder_close(&v.folder);
  return status;
}
