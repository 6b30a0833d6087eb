#include "db/opening.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "db/call.h"
#include "db/find_primary.h"
#include "db/message.h"
#include "db/options.h"
#include "db/role.h"
#include "db/transport.h"
#include "loop/loop.h"

#define FIRST_ALONE_NS NS_PER_S

/* The client lacks a resource.  Libraries report a text, or a number as in
 * "Can't connect to server on 'x' (24)". */
static bool opening_is_shortage(const char *reason)
{
  static const int codes[] = { ENOMEM, EMFILE, ENFILE, ENOBUFS };
  char number[16], why[128];

  for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
    const int len = snprintf(number, sizeof(number), "(%d", codes[i]);
    const char *at = strstr(reason, number);

    if ((at && (at[len] == ')' || at[len] == ' ')) ||
        strstr(reason, err_text(codes[i], why, sizeof(why))))
      return true;
  }
  return strstr(reason, "out of memory") ||
         strstr(reason, "Memory allocation failure");
}

static bool opening_is_out_of_files(const struct conn *c, const char *reason)
{
  char number[16], why[128];
  int fd;

  if (c->out.no_files)
    return true;
  (void)snprintf(number, sizeof(number), "(%d", EMFILE);
  if (strstr(reason, number) ||
      strstr(reason, err_text(EMFILE, why, sizeof(why))))
    return true;
  fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    return errno == EMFILE;
  (void)close(fd);
  return false;
}

static enum log_level opening_level_of(const struct conn *c)
{
  return c->env->refused ? LOG_WARNING : LOG_FATAL;
}

static void opening_say_limit(const struct conn *c)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    log_msg(opening_level_of(c),
            "the limit of open files is %llu (ulimit -n); about %u are needed",
            (unsigned long long)limit.rlim_cur, transport_files(c));
}

static void opening_add_way_out(const struct db_process *p,
                                struct strbuf *lines)
{
  const char *join = "; to";

  while (lines->len > 0 && lines->text[lines->len - 1] == '\n')
    lines->text[--lines->len] = '\0';
  if (p->identity == IDENTITY_SYSBENCH)
    join = "\nto";
  else if (lines->len > 0 && strchr("?.!", lines->text[lines->len - 1]))
    join = " To"; /* after a sentence */
  strbuf_addf(lines, "%s try %s without a server, use --db-driver=sqlite\n",
              join, p->program ? p->program : "bench");
}

/* Counts it.  True: the reason was seen before. */
static bool opening_is_known(const struct conn *c, const char *text)
{
  struct connect_failures *f = &c->env->process->failures;
  const size_t max = sizeof(f->reason[0].text);
  unsigned i = 0;

  (void)pthread_mutex_lock(&f->lock);
  f->count++;
  while (i < f->n_reasons && strncmp(f->reason[i].text, text, max - 1) != 0)
    i++;
  if (i < CONNECT_REASONS) {
    (void)snprintf(f->reason[i].text, max, "%s", text);
    f->reason[i].count++;
  }
  if (i == f->n_reasons && i < CONNECT_REASONS) {
    f->n_reasons++;
    (void)pthread_mutex_unlock(&f->lock);
    return false;
  }
  (void)pthread_mutex_unlock(&f->lock);
  return i < CONNECT_REASONS;
}

static void opening_say_none(struct conn *c, const struct strbuf *seen)
{
  struct db_process *p = c->env->process;
  char reason[64] = "no server of the lists can be used", within[64] = "";

  c->env->reported = true;
  if (role_matters(c)) {
    (void)snprintf(reason, sizeof(reason), "no server with --server-role=%s",
                   db_role_wanted(&p->set));
    (void)snprintf(within, sizeof(within), " within --db-connect-timeout=%g",
                   p->set.connect_timeout_s);
  }
  if (c->env->refused)
    strbuf_adds(c->env->refused, reason);
  if (!opening_is_known(c, reason))
    log_msg(opening_level_of(c), "%s%s: %s", reason, within, strbuf_str(seen));
}

static void opening_say_read_only(struct conn *c, enum find_result found)
{
  struct strbuf target = { 0 };

  c->driver->target(c->session, &target);
  log_msg(LOG_WARNING,
          "no server of the lists takes writes; %s is read, which is "
          "read-only%s",
          strbuf_str(&target),
          found == FIND_REPLICA ? "; a replica may not have everything yet"
                                : ", and no replica");
  strbuf_done(&target);
}

static void opening_say_failed(struct conn *c)
{
  struct db_process *p = c->env->process;
  struct strbuf reason = { 0 }, lines = { 0 };
  bool no_files;

  c->env->reported = true;
  c->driver->connect_reason(c->session, &c->out, &reason);
  if (reason.len == 0)
    strbuf_adds(&reason, "the server gave no reason");
  if (c->env->refused)
    strbuf_adds(c->env->refused, strbuf_str(&reason));
  if (!opening_is_known(c, strbuf_str(&reason))) {
    if (c->session->no_secret)
      strbuf_addf(&lines, "%s\n", c->session->no_secret);
    else
      c->driver->connect_message(c->session, &c->out, &lines);
    no_files = opening_is_out_of_files(c, strbuf_str(&reason));
    if (!no_files && c->out.no_server &&
        !opening_is_shortage(strbuf_str(&reason)))
      opening_add_way_out(p, &lines);
    message_lines(opening_level_of(c), &lines);
    if (no_files)
      opening_say_limit(c);
  }
  strbuf_done(&reason);
  strbuf_done(&lines);
}

/* True: others wait for FIRST_OPEN_OVER. */
static bool opening_is_first(const struct conn *c, uint64_t until_ns)
{
  struct db_process *p = c->env->process;
  const bool for_one = role_cache_applies(c);
  uint32_t was = FIRST_OPEN_NOT_YET;
  uint64_t now, turn;

  if (!(p->in_run && p->is_known && c->driver->caps & DRIVER_SERVER) &&
      !for_one)
    return false;
  if (atomic_compare_exchange_strong_explicit(
        &p->first_open, &was, FIRST_OPEN_UNDER_WAY, memory_order_relaxed,
        memory_order_relaxed))
    return true;
  /* half for its own attempt */
  now = clock_now_ns();
  turn = now + (until_ns > now ? until_ns - now : 0) / 2;
  if (for_one)
    turn = UINT64_MAX;
  else if (turn > now + FIRST_ALONE_NS)
    turn = now + FIRST_ALONE_NS;
  while (atomic_load_explicit(&p->first_open, memory_order_relaxed) ==
           FIRST_OPEN_UNDER_WAY &&
         clock_now_ns() < turn)
    loop_wait_while(&p->first_open, FIRST_OPEN_UNDER_WAY, turn);
  return false;
}

static void opening_say_warnings(struct conn *c)
{
  struct strbuf lines = { 0 };

  if (c->driver->warnings)
    c->driver->warnings(c->session, &lines);
  message_lines(LOG_WARNING, &lines);
  strbuf_done(&lines);
}

static int opening_open_somewhere(struct conn *c, uint64_t until_ns,
                                  struct strbuf *seen)
{
  enum find_result found;

  if (!role_cache_applies(c))
    return find_server(c, until_ns, seen);
  found = find_one_server(c, seen);
  if (found == FIND_REPLICA || found == FIND_READ_ONLY)
    opening_say_read_only(c, found);
  return found == FIND_NONE ? -1 : 0;
}

struct first_try {
  struct conn *c;
  uint64_t until_ns;
  bool first;
  int rc;
};

static void opening_try_it(void *arg)
{
  struct first_try *t = arg;
  struct conn *c = t->c;
  struct strbuf seen = { 0 };
  const int rc = opening_open_somewhere(c, t->until_ns, &seen);

  if (t->first) {
    atomic_store_explicit(&c->env->process->first_open, FIRST_OPEN_OVER,
                          memory_order_relaxed);
    loop_wake_all(&c->env->process->first_open);
  }
  if (rc == 0 || (c->driver->caps & DRIVER_SERVER))
    opening_say_warnings(c);
  c->env->too_late = rc < 0 && c->out.over;
  if (rc < 0 && !c->env->too_late) {
    if (seen.len > 0)
      opening_say_none(c, &seen);
    else
      opening_say_failed(c);
  }
  strbuf_done(&seen);
  t->rc = rc;
}

int opening_try(struct conn *c)
{
  struct first_try t = { .c = c };
  uint64_t begun_ns;

  c->turn_ns = transport_deadline(c);
  transport_begin(c);
  begun_ns = clock_now_ns();
  t.until_ns = transport_limit(c);
  t.first = opening_is_first(c, t.until_ns);
  if (loop_was_held(begun_ns))
    t.until_ns = transport_limit(c);
  transport_aside(c, opening_try_it, &t);
  transport_end(c);
  return t.rc;
}
