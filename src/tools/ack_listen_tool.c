/*
 * ack_listen_tool.c - `bench ack-listen`: keeps the acknowledgement logs of
 * runs on other machines.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ack/listener.h"
#include "base/err.h"
#include "results/address.h"
#include "tools/tool.h"

struct ack_listen_cfg {
  const char *address, *dir;
  uint64_t port;
};

static const struct opt ack_listen_opts[] = {
  {
    OPT_STRING(struct ack_listen_cfg, address),
    .name = "address",
    .def = "0.0.0.0",
    .flags = OPT_OWN | OPT_NOT_EMPTY,
    .show_as = "=ADDR",
    .help = "the address of this machine to listen at, such as 127.0.0.1 or "
            "::1",
    .man = "Whoever can connect can write logs to --dir: there is neither a "
           "password nor encryption. Names of files are never taken from the "
           "other machine.",
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

/* Readable when the tool has to end. */
static int open_stop(struct err *err)
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

static int serve(const struct ack_listen_cfg *cfg, const struct address *where,
                 struct err *err)
{
  struct ack_listener *l = NULL;
  const int stop = open_stop(err);
  int rc = stop < 0
             ? stop
             : ack_listener_open(&l, (const struct sockaddr *)&where->addr,
                                 where->len, cfg->dir, stdout, err);

  (void)signal(SIGPIPE, SIG_IGN); /* logs matter more than who reads here */
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
  return serve(cfg, &where, err) < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_ack_listen = {
  .name = "ack-listen",
  .summary = "keep the acknowledgement logs of runs on other machines",
  .usage = "[--address=ADDR] [--port=N] [--dir=FOLDER]",
  .opts = ack_listen_opts,
  .cfg_size = sizeof(struct ack_listen_cfg),
  .run = run_ack_listen,
};
