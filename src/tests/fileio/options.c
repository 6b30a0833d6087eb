#include "tests/fileio/options.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "ack/link.h"
#include "base/err.h"
#include "base/parse.h"

const char *const file_mode_words[] = { "seqwr", "seqrewr", "seqrd",
                                        "rndrd", "rndwr",   "rndrw",
                                        "wal",   "mixed",   NULL };

const char *const file_engine_words[] = { "sync", "async", "mmap", "io_uring",
                                          NULL };

static const char *const flag_words[] = { "sync", "dsync", "direct", NULL };
static const char *const fsync_words[] = { "fsync", "fdatasync", NULL };
static const char *const unit_words[] = { "requests", "bytes", NULL };
static const char *const dist_words[] = { "default", "uniform", "gaussian",
                                          "special", "pareto",  "zipfian",
                                          NULL };

/* ---- the sizes of requests ---- */

enum {
  ITEM_ROOM = 64
};

/* The weight of a single item is optional. */
static int blocks_parse_item(char *item, bool alone, uint64_t *ret_size,
                             double *ret_weight)
{
  char *at = strchr(item, '@');

  *ret_weight = 1;
  if (!at && !alone)
    return -EINVAL;
  if (at) {
    *at++ = '\0';
    if (parse_double(at, ret_weight) < 0 || !(*ret_weight > 0) ||
        *ret_weight > 1e9)
      return -EINVAL;
  }
  return parse_size(item, ret_size) < 0 || *ret_size == 0 ? -EINVAL : 0;
}

static void blocks_set_shares(struct blocks *b)
{
  double sum = 0, upto = 0;

  for (unsigned i = 0; i < b->n; i++)
    sum += b->percent[i];
  b->smallest = b->largest = b->size[0];
  for (unsigned i = 0; i < b->n; i++) {
    upto += b->percent[i] / sum;
    b->percent[i] *= 100 / sum;
    b->below[i] = upto < 1 ? (uint64_t)(upto * 0x1p64) : UINT64_MAX;
    if (b->size[i] < b->smallest)
      b->smallest = b->size[i];
    if (b->size[i] > b->largest)
      b->largest = b->size[i];
  }
}

int blocks_parse(const char *text, struct blocks *ret)
{
  struct blocks b = { 0 };
  char item[ITEM_ROOM];
  bool more = true;

  for (const char *p = text; more; b.n++) {
    const size_t len = strcspn(p, ",");

    more = p[len] == ',';
    if (len >= sizeof(item) || b.n == BLOCKS_MAX)
      return -EINVAL;
    memcpy(item, p, len);
    item[len] = '\0';
    if (blocks_parse_item(item, b.n == 0 && !more, &b.size[b.n],
                          &b.percent[b.n]) < 0)
      return -EINVAL;
    p += len + 1;
  }
  blocks_set_shares(&b);
  *ret = b;
  return 0;
}

static bool blocks_good(const char *text)
{
  struct blocks b;

  return blocks_parse(text, &b) == 0;
}

/* In the order of sysbench's help; bench's own options come last. */
const struct opt fileio_opts[] = {
  {
    OPT_INT(struct fileio_cfg, num),
    .name = "file-num",
    .def = "128",
    .min = 1,
    .max = 1000000000,
    .help = "number of files to create",
    .man = "The files are test_file.0, test_file.1 and so on.",
  },
  {
    OPT_STRING(struct fileio_cfg, block_size),
    .name = "file-block-size",
    .flags = OPT_SIZES,
    .def = "16384",
    .check = blocks_good,
    .expected = "a size of 1 or more, such as 64K, 2M or 1G, or sizes with "
                "weights, such as 4K@70,64K@30",
    .show_as = "=SIZE[@WEIGHT],...",
    .sysbench_as = "=N",
    .help = "block size to use in all IO operations",
    .man = "Bytes per request. The random modes take several sizes with "
           "weights as well: with 4K@70,64K@30 seven of ten requests have 4 "
           "KiB, the others 64. A request begins at a multiple of its size. "
           "With direct in --file-extra-flags it must be a "
           "multiple of what the file system needs for direct I/O.",
  },
  {
    OPT_SIZE(struct fileio_cfg, total_size),
    .name = "file-total-size",
    .def = "2G",
    .min = 1,
    .max = INT64_MAX,
    .help = "total size of files to create",
    .man = "Divided by --file-num it is the size of each file, rounded down.",
  },
  {
    OPT_WORD(struct fileio_cfg, mode),
    .name = "file-test-mode",
    .words = file_mode_words,
    .help =
      "test mode {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw, wal, mixed}",
    .man = "Needed for run: sequential write to new files, sequential rewrite, "
           "sequential read, random read, random write, random reads and "
           "writes mixed, a write-ahead log, or all that a database does at "
           "once. In the mode wal each event is "
           "the commit of a record of --file-block-size bytes: it ends when "
           "the record is on the disk. One thread at a time appends and "
           "synchronises the records of all that wait, as databases do. In the "
           "mode mixed the first thread appends records to the last file and "
           "synchronises each, the second one writes the other files block by "
           "block and synchronises each file at its end, and all other "
           "threads read blocks at random.",
  },
  {
    OPT_WORD(struct fileio_cfg, io_mode),
    .name = "file-io-mode",
    .def = "sync",
    .words = file_engine_words,
    .help = "file operations mode {sync,async,mmap,io_uring}",
    .man = "How requests are executed: pread and pwrite, native asynchronous "
           "I/O of Linux, copies from and to a memory mapping, or io_uring. "
           "Where that proves to be faster, a thread that waits for its "
           "io_uring looks for completions for up to 50 microseconds before "
           "it sleeps: by trial, and not on a single CPU.",
  },
  {
    OPT_INT(struct fileio_cfg, backlog),
    .name = "file-async-backlog",
    .aliases = "file-iodepth",
    .def = "128",
    .min = 1,
    .max = 1048576,
    .help = "number of asynchronous operations to queue per thread",
    .man = "The queue depth of the I/O modes async and io_uring: how many "
           "requests of each thread may be in flight.",
  },
  {
    OPT_LIST(struct fileio_cfg, extra_flags),
    .name = "file-extra-flags",
    .def = "",
    .words = flag_words,
    .help = "list of additional flags to use to open files "
            "{sync,dsync,direct}",
    .man = "Any combination of O_SYNC, O_DSYNC and O_DIRECT.",
  },
  {
    OPT_INT(struct fileio_cfg, fsync_freq),
    .name = "file-fsync-freq",
    .def = "100",
    .min = 0,
    .max = INT64_MAX,
    .help = "do fsync() after this number of requests "
            "(0 - don't use fsync())",
    .man = "Every N requests of all threads together, each file is "
           "synchronised once if at least one request was a write.",
  },
  {
    OPT_BOOL(struct fileio_cfg, fsync_all),
    .name = "file-fsync-all",
    .def = "off",
    .help = "do fsync() after each write operation",
    .man = "This switches --file-fsync-freq and --file-fsync-end off.",
  },
  {
    OPT_BOOL(struct fileio_cfg, fsync_end),
    .name = "file-fsync-end",
    .def = "on",
    .help = "do fsync() at the end of test",
    .man = "Each file is synchronised once, when all threads have ended their "
           "requests; the time it takes belongs to the test.",
  },
  {
    OPT_WORD(struct fileio_cfg, fsync_mode),
    .name = "file-fsync-mode",
    .def = "fsync",
    .words = fsync_words,
    .help = "which method to use for synchronization {fsync, fdatasync}",
    .man = "The I/O mode mmap uses msync() in both cases.",
  },
  {
    OPT_INT(struct fileio_cfg, merged),
    .name = "file-merged-requests",
    .flags = OPT_EXPERT,
    .def = "0",
    .min = 0,
    .max = INT64_MAX,
    .help = "merge at most this number of IO requests if possible "
            "(0 - don't merge)",
    .man = "In sequential modes N blocks make one request.",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, rw_ratio),
    .name = "file-rw-ratio",
    .def = "1.5",
    .fmin = 0.0,
    .fmax = INFINITY,
    .show_as = "=RATIO",
    .help = "reads/writes ratio for combined test",
    .man = "Reads per write in the mode rndrw; 0 means writes only.",
  },
  {
    OPT_STRING(struct fileio_cfg, dir),
    .name = "file-dir",
    .flags = OPT_PATH,
    .show_as = "=PATH",
    .help = "folder of the files (default: the current one)",
    .man = "prepare, run and cleanup use the files in this folder.",
  },
  {
    OPT_WORD(struct fileio_cfg, dist),
    .name = "file-random-dist",
    .def = "uniform",
    .words = dist_words,
    .help = "distribution of random offsets "
            "{default,uniform,gaussian,special,pareto,zipfian}",
    .man = "How the random modes choose among the blocks of all files; default "
           "stands for the distribution of --rand-type.",
  },
  {
    OPT_BOOL(struct fileio_cfg, drop_cache),
    .name = "file-drop-cache",
    .def = "off",
    .help = "drop the files from the page cache before the run",
    .man = "Each file is synchronised, and the system is asked to drop its "
           "pages, so that a run begins with reads from the device.",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, steady),
    .name = "file-steady",
    .flags = OPT_PERCENT,
    .def = "0",
    .fmin = 0,
    .fmax = 100,
    .help =
      "end the run when the throughput varies by at most P percent (0: off)",
    .man = "The last five windows of --file-steady-window seconds count: their "
           "range, and the change along the straight line through them, must "
           "be at most P percent of their mean. --time is the longest duration "
           "of the run; the report names a run that did not become steady.",
  },
  {
    OPT_TIME(struct fileio_cfg, steady_window_s),
    .name = "file-steady-window",
    .flags = OPT_EXPERT,
    .def = "10",
    .fmin = 0.01,
    .fmax = 86400,
    .help = "seconds in a window of --file-steady",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, trim),
    .name = "file-trim",
    .def = "0",
    .fmin = 0,
    .fmax = 100,
    .show_as = "=P",
    .help = "percentage of writes that discard (trim) the block instead",
    .man = "In the modes rndwr and rndrw, with the I/O modes sync and "
           "io_uring. A file gets a hole; a device gets a discard request for "
           "the block, if it supports that.",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, mixed_reads),
    .name = "file-mixed-reads",
    .def = "0",
    .fmin = 0,
    .fmax = 1e9,
    .show_as = "=RATE",
    .help = "mode mixed: reads per second of all readers (0: no limit)",
    .man = "With a rate, the latency of a request counts from the moment at "
           "which it was due.",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, mixed_commits),
    .name = "file-mixed-commits",
    .def = "0",
    .fmin = 0,
    .fmax = 1e9,
    .show_as = "=RATE",
    .help = "mode mixed: records per second of the log (0: no limit)",
  },
  {
    OPT_DOUBLE(struct fileio_cfg, mixed_checkpoint),
    .name = "file-mixed-checkpoint",
    .def = "0",
    .fmin = 0,
    .fmax = 1e9,
    .show_as = "=RATE",
    .help = "mode mixed: blocks per second of the checkpointer (0: no limit)",
  },
  {
    OPT_STRING(struct fileio_cfg, device),
    .name = "file-device",
    .flags = OPT_PATH,
    .show_as = "=PATH",
    .help = "block device to use instead of files",
    .man = "The device takes the place of the only file; nothing is created "
           "or removed. A device that is mounted or in use is refused. "
           "Commands and modes that write destroy the data on it, and need "
           "--yes-destroy.",
  },
  {
    OPT_SIZE(struct fileio_cfg, device_size),
    .name = "file-device-size",
    .def = "0",
    .min = 0,
    .max = INT64_MAX,
    .help = "how much of the device is used, from its beginning (0: all)",
    .man = "The size replaces --file-total-size, in whole blocks.",
  },
  {
    OPT_BOOL(struct fileio_cfg, yes_destroy),
    .name = "yes-destroy",
    .def = "off",
    .help = "allow writing to --file-device, which destroys its data",
  },
  {
    OPT_WORD(struct fileio_cfg, rw_unit),
    .name = "file-rw-unit",
    .def = "requests",
    .words = unit_words,
    .help = "what --file-rw-ratio counts {requests,bytes}",
    .man = "With several block sizes, the ratio is that of bytes read and "
           "written, or that of requests.",
  },
  {
    OPT_BOOL(struct fileio_cfg, verify),
    .name = "file-crash-log",
    .aliases = "file-io-verify",
    .def = "off",
    .help = "mark each block, so that \"fileio verify\" can judge the files "
            "after a crash",
    .man = "Each written block gets its place, a generation, the number of the "
           "thread and a checksum; --file-ack-log records the writes and the "
           "acknowledged fsyncs. After a crash, or a run, "
           "the command verify compares the files with that log. No two "
           "threads use one block at a time, so the order of writes to a "
           "block is that of their generations.",
  },
  {
    OPT_STRING(struct fileio_cfg, ack_log),
    .name = "file-ack-log",
    .flags = OPT_PATH,
    .check = ack_link_is_place,
    .expected = "the name of a file, or tcp:HOST:PORT of bench ack-listen",
    .show_as = "=FILE|tcp:HOST:PORT[,token-file=FILE]",
    .help = "log of the writes and of what fsync has acknowledged",
    .man = "A run with --file-crash-log writes it, and verify reads it. It "
           "should be on another disk than the files. It takes 64 bytes for "
           "each write. With tcp:HOST:PORT the log goes to bench ack-listen on "
           "another machine, by a separate thread. The records there survive a "
           "crash of this machine. Threads that write never wait for "
           "the listener. verify reads the file that the listener has made.",
  },
  {
    OPT_INT(struct fileio_cfg, batch),
    .name = "file-batch",
    .flags = OPT_EXPERT,
    .def = "1",
    .min = 1,
    .max = 1048576,
    .help = "requests submitted, or awaited, with one system call",
    .man = "The I/O modes async and io_uring submit requests when N are in "
           "line, and wait for N when the queue is full. "
           "io_uring does both in one system call, or polls for a moment "
           "in between, if that has paid off, and then waits in a second "
           "call; async has a call for each. Completions that are there "
           "already cost none. More than 1 costs fewer system calls per "
           "request, but requests wait for others, which is part of their "
           "latency. At most the depth of the queue counts.",
  },
  {
    OPT_BOOL(struct fileio_cfg, sqpoll),
    .name = "file-sqpoll",
    .flags = OPT_EXPERT,
    .def = "off",
    .help = "a thread of the kernel takes the requests of io_uring",
    .man = "Each thread of the run has one in the kernel that looks for its "
           "requests, so that submitting needs no system call. It uses a "
           "CPU of its own while there is work.",
  },
  OPT_END,
};

static int options_must_be_0(const char *name, double value, const char *when,
                             struct err *err)
{
  return value > 0 ? err_set(err, -EINVAL,
                             "Invalid value for --%s: '%g' (expected 0 %s)",
                             name, value, when)
                   : 0;
}

static int check_mixed(const struct fileio_cfg *cfg, struct err *err)
{
  static const char when[] = "without --file-test-mode=mixed";
  int rc;

  if (cfg->mode == FILE_MODE_MIXED)
    return 0;
  rc = options_must_be_0("file-mixed-reads", cfg->mixed_reads, when, err);
  if (rc == 0)
    rc = options_must_be_0("file-mixed-commits", cfg->mixed_commits, when, err);
  if (rc == 0)
    rc = options_must_be_0("file-mixed-checkpoint", cfg->mixed_checkpoint, when,
                           err);
  return rc;
}

int fileio_options_check(const struct fileio_cfg *cfg, struct err *err)
{
  int rc = check_mixed(cfg, err);

  if (rc == 0 && cfg->mode != FILE_MODE_RNDWR && cfg->mode != FILE_MODE_RNDRW)
    rc = options_must_be_0("file-trim", cfg->trim,
                           "without --file-test-mode=rndwr or rndrw", err);
  if (rc < 0)
    return rc;
  if (cfg->device_size > 0 && *cfg->device == '\0')
    return err_set(err, -EINVAL,
                   "--file-device-size has no effect without --file-device");
  if (cfg->rw_unit == FILE_RW_BYTES && cfg->mode != FILE_MODE_RNDRW)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-rw-unit: 'bytes' (expected "
                   "requests without --file-test-mode=rndrw)");
  return 0;
}

unsigned fileio_flags(const struct fileio_cfg *cfg)
{
  unsigned flags = 0;

  for (unsigned bit = 0; flag_words[bit]; bit++) {
    if (opt_list_has(&cfg->extra_flags, flag_words[bit]))
      flags |= 1u << bit;
  }
  return flags;
}

int fileio_open_flags(unsigned flags)
{
  return (flags & FILE_FLAG_SYNC ? O_SYNC : 0) |
         (flags & FILE_FLAG_DSYNC ? O_DSYNC : 0) |
         (flags & FILE_FLAG_DIRECT ? O_DIRECT : 0);
}

const char *fileio_flags_text(unsigned flags)
{
  static const char *const text[] = {
    "(none)",   "sync ",         "dsync ",         "sync dsync ",
    "directio", "sync directio", "dsync directio", "sync dsync directio",
  };

  return text[flags];
}
