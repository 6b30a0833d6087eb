/*
 * ack_listen_tool.c - `bench ack-listen`: keeps acknowledgement logs of other
 * machines.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ack/listener.h"
#include "ack/wire.h"
#include "base/clock.h"
#include "base/err.h"
#include "results/address.h"
#include "tools/tool.h"

struct ack_listen_cfg {
  const char *address, *dir, *token_file;
  uint64_t port, log_limit, dir_limit;
};

static const struct opt ack_listen_opts[] = {
  {
    OPT_STRING(struct ack_listen_cfg, address),
    .name = "address",
    .def = "127.0.0.1",
    .flags = OPT_OWN | OPT_NOT_EMPTY,
    .show_as = "=ADDR",
    .help = "the address of this machine to listen at, such as 0.0.0.0 (all) "
            "or ::1",
    .man = "An address that other machines can reach needs --token-file. There "
           "is no encryption. Names of files are never taken from the other "
           "machine.",
  },
  {
    OPT_STRING(struct ack_listen_cfg, token_file),
    .name = "token-file",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "take logs only from runs that have the same token",
    .man = "The token is the first line of the file, with at least 16 "
           "characters, and only its owner may read the file. Runs name their "
           "copy of it: --ack-log=tcp:HOST:PORT,token-file=FILE. The token "
           "itself is not sent: the run proves that it has the token.",
  },
  {
    OPT_INT(struct ack_listen_cfg, port),
    .name = "port",
    .def = "7377",
    .flags = OPT_OWN,
    .max = 65535,
    .help = "the port to listen at; 0 = the system chooses one",
  },
  {
    OPT_STRING(struct ack_listen_cfg, dir),
    .name = "dir",
    .def = ".",
    .flags = OPT_OWN | OPT_NOT_EMPTY | OPT_PATH,
    .show_as = "=FOLDER",
    .help = "the folder that gets a file for each run",
  },
  {
    OPT_SIZE(struct ack_listen_cfg, log_limit),
    .name = "log-limit",
    .def = "16G",
    .flags = OPT_OWN,
    .min = 16 << 20,
    .max = (int64_t)ACK_WIRE_FILE_BYTES,
    .help = "the largest log of a run",
    .man = "A sixteenth of the limit, or 1G, may be in the file before it is "
           "filled. Each client of a run needs 128K for that, and each run "
           "256M.",
  },
  {
    OPT_SIZE(struct ack_listen_cfg, dir_limit),
    .name = "dir-limit",
    .def = "64G",
    .flags = OPT_OWN,
    .min = 16 << 20,
    .max = (int64_t)ACK_WIRE_FILE_BYTES,
    .help = "the most that all logs in the folder may have together",
  },
  OPT_END,
};

static int find_address(const struct ack_listen_cfg *cfg, struct address *ret,
                        struct err *err)
{
  const bool v6 = strchr(cfg->address, ':') != NULL;
  char text[80];

  if (snprintf(text, sizeof(text), "%s%s%s:%u", v6 ? "[" : "", cfg->address,
               v6 ? "]" : "", (unsigned)cfg->port) < (int)sizeof(text) &&
      address_parse(text, ret) == 0)
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --address: '%.200s' (expected the number "
                 "of an address, such as 0.0.0.0 or ::1)",
                 cfg->address);
}

/* Readable at the first signal. */
static int ack_listen_open_stop(struct err *err)
{
  sigset_t set;
  int fd;

  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGINT);
  (void)sigaddset(&set, SIGTERM);
  (void)sigaddset(&set, SIGHUP);
  (void)sigprocmask(SIG_BLOCK, &set, NULL);
  fd = signalfd(-1, &set, SFD_CLOEXEC);
  return fd < 0 ? err_sys(err, "cannot wait for signals,") : fd;
}

static int ack_listen_serve(const struct ack_listen_cfg *cfg,
                            const struct address *where, struct err *err)
{
  const struct ack_listener_cfg how = {
    .where = (const struct sockaddr *)&where->addr,
    .len = where->len,
    .folder = cfg->dir,
    .token_file = cfg->token_file,
    .log_limit = cfg->log_limit,
    .dir_limit = cfg->dir_limit,
    .quiet_ns = ACK_WIRE_QUIET_S * NS_PER_S,
    .out = stdout,
  };
  struct ack_listener *l = NULL;
  const int stop = ack_listen_open_stop(err);
  int rc = stop < 0 ? stop : ack_listener_open(&l, &how, err);

  (void)signal(SIGPIPE, SIG_IGN); /* logs matter more than stdout */
  if (rc == 0) {
    (void)printf("Listening at %s port %u; logs go to '%s'\n", cfg->address,
                 ack_listener_port(l), cfg->dir);
    (void)fflush(stdout);
    rc = ack_listener_serve(l, stop, err);
    ack_listener_free(l);
  }
  if (stop >= 0)
    (void)close(stop);
  return rc;
}

static int run_ack_listen(const struct tool_args *args, struct err *err)
{
  const struct ack_listen_cfg *cfg = args->cfg;
  struct address where;

  if (args->n_files > 0) {
    (void)err_set(err, -EINVAL,
                  "ack-listen takes no file: '%.200s' (the folder is --dir)",
                  args->files[0]);
    return TOOL_BAD_INPUT;
  }
  if (find_address(cfg, &where, err) < 0)
    return TOOL_BAD_INPUT;
  if (!*cfg->token_file && !address_is_local(&where)) {
    (void)err_set(err, -EINVAL,
                  "--address=%.80s can be reached by other machines, so runs "
                  "need a token: --token-file=FILE",
                  cfg->address);
    return TOOL_BAD_INPUT;
  }
  return ack_listen_serve(cfg, &where, err) < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_ack_listen = {
  .name = "ack-listen",
  .summary = "keep the acknowledgement logs of runs on other machines",
  .usage = "[--address=ADDR --token-file=FILE] [--port=N] [--dir=FOLDER]",
  .opts = ack_listen_opts,
  .cfg_size = sizeof(struct ack_listen_cfg),
  .run = run_ack_listen,
};
