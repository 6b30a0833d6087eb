/*
 * test_pgsql_wire.c - answers of a server, whole and broken, in pieces of every
 * size: what the pgsql driver makes of them.
 */
#include "tests/unit/pgsql_wire_rig.h"
#include "tests/unit/tap.h"

/* Executes with this answer waiting; `ends`: nothing follows it. */
static int answer(struct rig *r, const char *bytes, size_t len, bool ends)
{
  rig_says(r, bytes, len, ends);
  return pgsql_wire_execute(&r->st, &r->out);
}

static void rows(void)
{
  struct rig r;
  sql_value v;
  char sent[128];
  ssize_t n;

  rig_init(&r);
  OK(answer(&r,
            BYTES(BOUND DESCRIBED ROW("x") NOTICE NULL_ROW SELECTED READY("T")),
            false) == 0,
     "rows with a notice between them");
  OK(r.out.counter == COUNTER_READ && r.out.nfields == 1 && r.out.nrows == 2,
     "counted");
  OK(r.session.base.trx == TRX_OPEN, "inside a transaction");
  n = read(r.peer, sent, sizeof(sent));
  OK(n == 5 + 1 + 8 + 2 + 2 + 2 + 7 + 10 + 5 && sent[0] == 'B' &&
       memcmp(sent + 6, "bench_1", 8) == 0 &&
       memcmp(sent + n - 22, "D\0\0\0\6P\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\4",
              22) == 0,
     "bind, describe, execute, sync");
  OK(pgsql_wire_fetch(&r.session.wire, &v) == 1 && v.len == 1 &&
       v.ptr[0] == 'x',
     "the first row");
  OK(pgsql_wire_fetch(&r.session.wire, &v) == 1 && !v.ptr, "a NULL");
  OK(r.session.wire.rows_left == 0, "no more");
  OK(answer(&r, BYTES(BOUND SELECTED READY("I")), false) == 0 &&
       r.out.nfields == 1 && r.out.nrows == 0,
     "no row, and still a result set");
  n = read(r.peer, sent, sizeof(sent));
  OK(n > 15 && memcmp(sent + n - 15, "E\0\0\0\x09", 5) == 0 &&
       sent[n - 17] == 0,
     "it is not described again");
  rig_done(&r);
}

static void commands(void)
{
  struct rig r;

  rig_init(&r);
  OK(answer(&r,
            BYTES(BOUND "n\0\0\0\4C\0\0\0\x0d"
                        "UPDATE 3\0" READY("I")),
            false) == 0 &&
       r.out.counter == COUNTER_WRITE && r.out.nfields == 0,
     "rows were changed");
  OK(answer(&r,
            BYTES(BOUND "C\0\0\0\x0d"
                        "UPDATE 0\0" READY("I")),
            false) == 0 &&
       r.out.counter == COUNTER_OTHER,
     "none were");
  OK(answer(&r, BYTES(BOUND "I\0\0\0\4" READY("I")), false) == 0 &&
       r.out.counter == COUNTER_OTHER,
     "an empty statement");
  OK(answer(&r,
            BYTES(BOUND STRINGS_OFF "C\0\0\0\x0a"
                                    "BEGIN\0" READY("T")),
            false) == 0 &&
       r.session.settings_moved && r.session.base.dialect & EMUL_BACKSLASH,
     "a setting of the session has changed");
  r.st.base.sql = "commit";
  r.st.base.len = 6;
  r.session.base.trx = TRX_ABORTED;
  OK(answer(&r,
            BYTES(BOUND "C\0\0\0\x0d"
                        "ROLLBACK\0" READY("I")),
            false) < 0 &&
       strcmp(r.out.state, "25P02") == 0 && r.session.base.trx == TRX_NONE,
     "COMMIT that was a rollback");
  rig_done(&r);
}

static void failures(void)
{
  struct rig r;

  rig_init(&r);
  OK(answer(&r, BYTES(BOUND DESCRIBED ROW("x") FAILED READY("E")), false) < 0 &&
       strcmp(r.out.state, "22012") == 0 && strcmp(r.out.msg, "divided") == 0 &&
       !r.out.lost && r.session.base.trx == TRX_ABORTED &&
       r.session.wire.rows_left == 0,
     "an error behind a row");
  OK(answer(
       &r,
       BYTES("E\0\0\0\x53"
             "SERROR\0VERROR\0C23505\0Mtwice\0Dd\0Hh\0P1\0p2\0qq\0Ww\0"
             "ss\0tt\0cc\0dd\0nn\0Ff.c\0L12\0Rr\0?new\0\0" NOTICE READY("I")),
       false) < 0 &&
       strcmp(r.out.state, "23505") == 0 && strcmp(r.out.msg, "twice") == 0 &&
       !r.out.lost && !r.session.broken,
     "an error with all fields, and one that is not known");
  OK(answer(&r, BYTES(BOUND SELECTED FAILED READY("I")), false) < 0 &&
       strcmp(r.out.state, "22012") == 0,
     "an error behind the result: at the commit");
  OK(answer(&r,
            BYTES("E\0\0\0\x26"
                  "SERREUR\0VERROR\0C08001\0Mnot there\0\0" READY("I")),
            false) < 0 &&
       strcmp(r.out.state, "08001") == 0 && !r.out.lost && !r.session.broken,
     "another server's connection");
  OK(answer(&r,
            BYTES("E\0\0\0\x1d"
                  "SFATAL\0C57P01\0Mgoodbye!\0\0"),
            true) < 0 &&
       strcmp(r.out.state, "57P01") == 0 && r.out.lost &&
       strcmp(r.out.msg, "goodbye!") == 0,
     "the server says why it ends the session");
  rig_done(&r);
  rig_init(&r);
  OK(answer(&r, "", 0, true) < 0 && strcmp(r.out.state, "08006") == 0 &&
       r.out.lost &&
       strcmp(r.out.msg, "server closed the connection unexpectedly") == 0,
     "the server ends it without a word");
  rig_done(&r);
  rig_init(&r);
  (void)close(r.peer);
  r.peer = -1;
  OK(pgsql_wire_execute(&r.st, &r.out) < 0 && r.out.lost,
     "nobody is there when it is sent");
  rig_done(&r);
}

/* The server skips the Sync while it waits for rows. */
static void copies(void)
{
  struct rig r;
  char sent[128];
  ssize_t n;

  rig_init(&r);
  OK(answer(&r, BYTES(BOUND "n\0\0\0\4" COPY_IN FAILED READY("I")), false) <
         0 &&
       strcmp(r.out.msg, pgsql_copy_refused) == 0 && !r.out.lost,
     "rows are asked for");
  n = read(r.peer, sent, sizeof(sent));
  OK(n > 16 && memcmp(sent + n - 16,
                      "S\0\0\0\4"
                      "f\0\0\0\5\0S\0\0\0\4",
                      16) == 0,
     "refused, and a further sync");
  OK(answer(&r, BYTES(BOUND COPY_OUT COPIED READY("I")), false) == 0 &&
       r.out.counter == COUNTER_OTHER && r.out.nfields == 0,
     "rows that are sent are dropped");
  rig_done(&r);
}

/* The text of an error may overlap the place of what follows. */
static void late_ready(void)
{
  struct rig r;

  rig_init(&r);
  r.session.wire.in.bytes = malloc(64);
  r.session.wire.in.room = 64;
  OK(answer(&r, BYTES(BOUND FAILED NOTICE NOTICE NOTICE NOTICE READY("I")),
            false) < 0 &&
       strcmp(r.out.msg, "divided") == 0,
     "an error, and much behind it");
  rig_done(&r);
}

/* What follows an answer belongs to no statement. */
static void asides(void)
{
  struct rig r;

  rig_init(&r);
  r.st.shape = SHAPE_NO_ROWS;
  OK(answer(&r, BYTES(BOUND SELECTED READY("I") NOTICE SETTING STRINGS_OFF),
            false) == 0 &&
       r.session.settings_moved,
     "a notice and a setting behind the answer");
  OK(answer(&r,
            BYTES(BOUND SELECTED READY("I") "E\0\0\0\x1d"
                                            "SFATAL\0C57P01\0Mgoodbye!\0\0"),
            true) == 0 &&
       !r.out.lost,
     "the server ends the session behind an answer");
  OK(answer(&r, "", 0, true) < 0 && r.out.lost &&
       strcmp(r.out.state, "57P01") == 0 && strcmp(r.out.msg, "goodbye!") == 0,
     "the next statement says why");
  rig_done(&r);
  rig_init(&r);
  OK(answer(&r, BYTES(BOUND FAILED READY("I") NOTICE), false) < 0 &&
       strcmp(r.out.msg, "divided") == 0 && !r.out.lost,
     "an error with a notice behind it");
  OK(answer(&r, BYTES(BOUND SELECTED READY("I") SELECTED), true) < 0 &&
       r.out.lost,
     "a second answer that nobody has asked for");
  rig_done(&r);
}

/*
 * Messages that end too early, lie about their length, or do not belong.  READY
 * follows each of them: an answer without it would be lost in any case.
 */
#define THEN_READY(bytes) BYTES(bytes READY("I"))

static void broken(void)
{
  static const struct {
    const char *bytes;
    size_t len;
    const char *what;
  } bad[] = {
    { THEN_READY("D\0\0\0\3"), "shorter than its head" },
    { THEN_READY("D\xff\xff\xff\xff"), "as long as can be" },
    { THEN_READY("Z\0\0\0\4"), "ready, but for what" },
    { THEN_READY("T\0\0\0\5\0"), "a description of nothing" },
    { THEN_READY("C\0\0\0\4"), "a tag without text" },
    { THEN_READY("C\0\0\0\6OK"), "a tag without an end" },
    { THEN_READY("E\0\0\0\x0b"
                 "Mnone\0\0"),
      "an error without a state" },
    { THEN_READY("E\0\0\0\x0d"
                 "C2201\0Mx\0\0"),
      "an error with too short a state" },
    { THEN_READY("W\0\0\0\7\0\0\0"), "a COPY in both directions" },
    { THEN_READY("d\0\0\0\5x"), "rows of a COPY that has not begun" },
    { THEN_READY(COPY_IN COPY_IN), "a COPY within a COPY" },
    { THEN_READY("S\0\0\0\6a\0"), "a setting without a value" },
    { THEN_READY("S\0\0\0\6ab"), "a setting without an end" },
    { THEN_READY(SELECTED ROW("x")), "a row behind the end" },
    { THEN_READY("?\0\0\0\4"), "an unknown message" },
  };
  struct rig r;

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    rig_init(&r);
    OK(answer(&r, bad[i].bytes, bad[i].len, true) < 0 && r.out.lost &&
         strcmp(r.out.state, "08006") == 0,
       bad[i].what);
    rig_done(&r);
  }
  rig_init(&r);
  OK(answer(&r, THEN_READY("C\0\0\0\015SELECT 0\0"), true) == 0 && !r.out.lost,
     "a whole message before READY is an answer");
  rig_done(&r);
}

/* Rows that are shorter than announced end with NULLs. */
static void bad_rows(void)
{
  static const struct {
    const char *bytes;
    size_t len;
  } bad[] = {
    { BYTES("D\0\0\0\4") },
    { BYTES("D\0\0\0\5\0") },
    { BYTES("D\0\0\0\6\0\1") },
    { BYTES("D\0\0\0\7\0\1\0") },
    { BYTES("D\0\0\0\x0a\0\1\0\0\0\1") },
    { BYTES("D\0\0\0\x0b\0\1\x7f\xff\xff\xffx") },
    { BYTES("D\0\0\0\x0b\0\0\0\0\0\1x") },
  };
  struct rig r;
  sql_value v;

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    rig_init(&r);
    r.st.shape = SHAPE_ROWS;
    r.st.n_fields = 1;
    (void)!write(r.peer, bad[i].bytes, bad[i].len);
    OK(answer(&r, BYTES(SELECTED READY("I")), false) == 0 &&
         pgsql_wire_fetch(&r.session.wire, &v) == 1 && !v.ptr,
       "a row that lies");
    rig_done(&r);
  }
}

/* The same answer, cut at every byte: all but the whole one are failures. */
static void cut(void)
{
  static const char whole[] = BOUND DESCRIBED ROW("x")
    NULL_ROW SELECTED READY("I");
  unsigned good = 0;
  struct rig r;

  for (size_t len = 0; len < sizeof(whole); len++) {
    rig_init(&r);
    good += answer(&r, whole, len, true) == 0;
    rig_done(&r);
  }
  OK(good == 1, "an answer that is cut anywhere");
}

/* Random bytes after a correct start: no crash, and always an end. */
static void noise(void)
{
  char bytes[256];
  struct rig r;
  unsigned seed = 1;

  for (int i = 0; i < 2000; i++) {
    rig_init(&r);
    memcpy(bytes, BYTES(BOUND DESCRIBED ROW("x")));
    for (size_t k = 0; k < sizeof(bytes); k++) {
      seed = seed * 1103515245 + 12345;
      if (k >= 23 || seed >> 28 == 0)
        bytes[k] = (char)(seed >> 16);
    }
    if (answer(&r, bytes, sizeof(bytes), true) == 0) {
      sql_value v[65536];

      while (r.session.wire.rows_left > 0)
        (void)pgsql_wire_fetch(&r.session.wire, v);
    }
    rig_done(&r);
  }
  OK(true, "random bytes");
}

int main(void)
{
  (void)alarm(30); /* an answer that never comes */
  rows();
  commands();
  failures();
  copies();
  late_ready();
  asides();
  broken();
  bad_rows();
  cut();
  noise();
  return TAP_EXIT();
}
