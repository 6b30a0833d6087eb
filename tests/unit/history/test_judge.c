/*
 * test_judge.c - each anomaly in a history by hand, and nothing in those that
 * have none.
 */
#include "tests/unit/history/history_rig.h"

#define LISTS "bench history 1 lists\n"
#define REGISTERS "bench history 1 registers\n"

static const struct {
  const char *what;
  const char *text;
  const char *found;
  const char *levels; /* read-committed, repeatable-read, snapshot, serial. */
} rows[] = {
  { "an empty history tells nothing", LISTS "end 0\n", "", "????" },
  { "writes that nobody reads tell nothing",
    LISTS "0 1 2 ok a:1=1\n1 1 2 ok a:1=2\nend 2\n", "", "????" },
  { "a serial history of lists",
    LISTS "0 1 2 ok r:1= a:1=1\n1 3 4 ok r:1=1 a:1=2 r:1=1,2\n"
          "0 5 6 ok r:1=1,2 r:2=\nend 3\n",
    "", "++++" },
  { "a serial history of registers",
    REGISTERS "0 1 2 ok r:1= w:1=1\n1 3 4 ok r:1=1 w:1=2 r:1=2\n"
              "0 5 6 ok r:1=2 r:2=\nend 3\n",
    "", "++++" },
  { "a cut history can fit no level",
    LISTS "0 1 2 ok r:1= a:1=1\n1 3 4 ok r:1=1\n", "", "????" },
  { "its last line may be cut", LISTS "0 1 2 ok r:1= a:1=1\n1 3 4 ok r:1", "",
    "????" },
  { "values of a cut history may be missing", LISTS "0 1 2 ok r:1=5\n",
    "garbage", "????" },
  { "a cycle in a cut history is one",
    LISTS "0 1 9 ok r:1= a:2=1\n1 1 9 ok r:2= a:1=2\n0 10 11 ok r:1=2 r:2=1\n",
    "G2-item", "?-?-" },
  { "a value that nobody has written", LISTS "0 1 2 ok r:1=5\nend 1\n",
    "garbage", "----" },
  { "a register that nobody has written", REGISTERS "0 1 2 ok r:1=5\nend 1\n",
    "garbage", "----" },
  { "an element twice", LISTS "0 1 2 ok a:1=5\n0 3 4 ok r:1=5,5\nend 2\n",
    "duplicate", "----" },
  { "reads that contradict each other",
    LISTS "0 1 2 ok a:1=5\n0 3 4 ok a:1=6\n0 5 6 ok r:1=5,6\n"
          "0 7 8 ok r:1=6\nend 4\n",
    "incompatible-order", "----" },
  { "12 is no begin of 123,4",
    LISTS "0 1 2 ok a:1=12\n0 3 4 ok a:1=123\n0 5 6 ok a:1=4\n"
          "0 7 8 ok r:1=123,4\n0 9 9 ok r:1=12\nend 5\n",
    "incompatible-order", "----" },
  { "G1a in a list", LISTS "0 1 2 fail a:1=1\n1 3 4 ok r:1=1\nend 2\n", "G1a",
    "----" },
  { "G1a in a list that contradicts another",
    LISTS "0 1 2 fail a:1=1\n1 1 2 ok a:1=22\n2 3 4 ok r:1=1\n"
          "3 3 4 ok r:1=22\nend 4\n",
    "incompatible-order G1a", "----" },
  { "G1a in a register", REGISTERS "0 1 2 fail w:1=1\n1 3 4 ok r:1=1\nend 2\n",
    "G1a", "----" },
  { "reads of a failed transaction prove nothing",
    LISTS "0 1 2 fail a:1=1 r:1=1\n1 3 4 ok r:1=\nend 2\n", "", "++++" },
  { "G1b in a list",
    LISTS "0 1 4 ok a:1=1 a:1=2\n1 1 4 ok r:1=1\n1 5 6 ok r:1=1,2\nend 3\n",
    "G1b G-single", "----" },
  { "G1b in a register",
    REGISTERS "0 1 4 ok w:1=1 w:1=2\n1 1 4 ok r:1=1\nend 2\n", "G1b", "----" },
  { "internal: an own append is missing",
    LISTS "0 1 2 ok a:1=1 r:1=\n0 3 4 ok r:1=1\nend 2\n", "internal", "+---" },
  { "internal: two reads differ",
    LISTS "0 1 2 ok r:1= r:1=1\n1 1 2 ok a:1=1\nend 2\n", "internal G-single",
    "+---" },
  { "internal: a list changed under the own append",
    LISTS "0 1 9 ok r:1= a:1=1 r:1=2,1\n1 1 2 ok r:1= a:1=2\nend 2\n",
    "internal lost-update G-single", "+---" },
  { "internal: an append before it was made",
    LISTS "0 1 2 ok r:1=1 a:1=1\nend 1\n", "internal", "+---" },
  { "internal: an own write is missing",
    REGISTERS "0 1 2 ok w:1=1 r:1=\nend 1\n", "internal", "+---" },
  { "internal: two reads of a register differ",
    REGISTERS "0 1 9 ok r:1= r:1=1\n1 2 3 ok r:1= w:1=1\nend 2\n",
    "internal G-single", "+---" },
  { "a lost update of a list, both seen",
    LISTS "0 1 9 ok r:1= a:1=1\n1 1 9 ok r:1= a:1=2\n0 10 11 ok r:1=1,2\n"
          "end 3\n",
    "lost-update G-single", "+---" },
  { "a lost update of a list, one overwritten",
    LISTS "0 1 9 ok r:1= a:1=1\n1 1 9 ok r:1= a:1=2\n0 10 11 ok r:1=2\n"
          "end 3\n",
    "lost-update G-single G2-item", "+---" },
  { "a lost update of a list that nobody has read since",
    LISTS "0 1 9 ok r:1= a:1=1\n1 1 9 ok r:1= a:1=2\nend 2\n",
    "lost-update G2-item", "+---" },
  { "a lost update of a register",
    REGISTERS "0 1 9 ok r:1= w:1=1\n1 1 9 ok r:1= w:1=2\nend 2\n",
    "lost-update G2-item", "+---" },
  { "no update is lost to a failed transaction",
    REGISTERS "0 1 9 ok r:1= w:1=1\n1 1 9 fail r:1= w:1=2\nend 2\n", "",
    "++++" },
  { "nor to one that nobody has seen",
    REGISTERS "0 1 9 ok r:1= w:1=1\n1 1 - unknown r:1= w:1=2\nend 2\n", "",
    "++++" },
  { "an unknown transaction that was seen has committed",
    LISTS "0 1 - unknown a:1=1 a:2=2\n1 3 4 ok r:1=1 r:2=\nend 2\n", "G-single",
    "+---" },
  { "G0",
    LISTS "0 1 9 ok a:1=1 a:2=1\n1 1 9 ok a:1=2 a:2=2\n"
          "0 10 11 ok r:1=1,2 r:2=2,1\nend 3\n",
    "G0", "----" },
  { "G1c", LISTS "0 1 9 ok a:1=1 r:2=1\n1 1 9 ok a:2=1 r:1=1\nend 2\n", "G1c",
    "----" },
  { "G1c in registers",
    REGISTERS "0 1 9 ok r:1= w:1=1 r:2=1\n1 1 9 ok r:2= w:2=1 r:1=1\nend 2\n",
    "G1c", "----" },
  { "G-single: half of a transaction was seen",
    LISTS "0 1 9 ok a:1=1 a:2=1\n1 1 9 ok r:1=1 r:2=\n2 10 11 ok r:2=1\n"
          "end 3\n",
    "G-single", "+---" },
  { "G-single in registers",
    REGISTERS "0 1 9 ok r:1= w:1=1 r:2= w:2=1\n1 1 9 ok r:1=1 r:2=\nend 2\n",
    "G-single", "+---" },
  { "G-nonadjacent: a long fork",
    REGISTERS "0 1 9 ok w:1=1\n1 1 9 ok w:2=1\n2 1 9 ok r:1=1 r:2=\n"
              "3 1 9 ok r:1= r:2=1\nend 4\n",
    "G-nonadjacent", "+---" },
  { "a long fork of lists",
    LISTS "0 1 9 ok a:1=1\n1 1 9 ok a:2=1\n2 1 9 ok r:1=1 r:2=\n"
          "3 1 9 ok r:1= r:2=1\nend 4\n",
    "G-nonadjacent", "+---" },
  { "G2-item: write skew",
    LISTS "0 1 9 ok r:1= r:2= a:1=1\n1 1 9 ok r:1= r:2= a:2=1\nend 2\n",
    "G2-item", "+-+-" },
  { "write skew in registers",
    REGISTERS "0 1 9 ok r:1= r:2= w:1=1\n1 1 9 ok r:1= r:2= w:2=1\nend 2\n",
    "G2-item", "+-+-" },
  { "a read-only transaction in a skew",
    REGISTERS "0 1 9 ok r:1= r:2= w:1=1\n1 1 9 ok r:2= w:2=2\n"
              "2 5 6 ok r:1= r:2=2\nend 3\n",
    "G2-item", "+-+-" },
  { "several appends behind one version",
    LISTS "0 1 9 ok a:1=1\n1 1 9 ok a:1=2\n2 1 9 ok a:1=3\n"
          "3 1 9 ok r:1=\nend 4\n",
    "", "++++" },
  { "one of many followers reads, and is no cycle by itself",
    LISTS "0 1 9 ok r:1= a:1=1\n1 1 9 ok a:1=2\n2 1 9 ok a:1=3\nend 3\n", "",
    "++++" },
  { "a cycle by one of many followers",
    LISTS "0 1 9 ok r:1= a:2=9\n1 1 9 ok a:1=2\n2 1 9 ok a:1=3 r:2=\n"
          "3 10 11 ok r:2=9\nend 4\n",
    "G2-item", "+-+-" },
  { "a cycle by the last of many followers, of which two read",
    LISTS "0 1 9 ok r:1= a:1=1\n1 1 9 ok a:1=2\n2 1 9 ok a:1=3 r:2=\n"
          "3 1 9 ok r:1= a:2=5\n4 10 11 ok r:2=5\nend 5\n",
    "G2-item", "+-+-" },
};

static void test_rows(void)
{
  char what[256];

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    OK_STR(rig_found(rows[i].text), rows[i].found, rows[i].what);
    (void)snprintf(what, sizeof(what), "%s: levels", rows[i].what);
    OK_STR(rig_levels(rows[i].text), rows[i].levels, what);
  }
}

/* ---- the shortest cycle ---- */

static void add_ring(struct strbuf *to, unsigned n, unsigned key)
{
  for (unsigned i = 0; i < n; i++)
    strbuf_addf(to, "%u 1 9 ok r:%u= a:%u=1\n", key + i, key + i,
                key + (i + 1) % n);
  for (unsigned i = 0; i < n; i++)
    strbuf_addf(to, "%u 10 11 ok r:%u=1\n", key + i, key + i);
}

static void test_shortest(void)
{
  struct strbuf text = { 0 }, said = { 0 };
  struct history h;
  struct judgement j;
  struct err err = { 0 };

  strbuf_adds(&text, LISTS);
  add_ring(&text, 9, 100);
  add_ring(&text, 3, 200);
  add_ring(&text, 5, 300);
  strbuf_adds(&text, "end 34\n");
  MUST(!text.failed);
  rig_read(&h, text.text);
  MUST(history_judge(&j, &h, &err) == 0);
  OK(j.findings[ANOMALY_G2_ITEM].n_steps == 3,
     "of rings of 9, 3 and 5, the one of 3 is found");
  OK(j.findings[ANOMALY_G2_ITEM].is_shortest, "and is the shortest");
  OK(j.groups == 3 && j.grouped == 17, "three groups of 17 transactions");
  history_tell(&said, &h, &j, LEVEL_SERIALIZABLE);
  OK(strstr(strbuf_str(&said), "The shortest cycle of 3 transactions"),
     "the text says so");
  OK(strstr(strbuf_str(&said), "Verdict: not serializable: G2-item\n"),
     "and has the verdict");
  judgement_done(&j);
  history_done(&h);
  strbuf_done(&text);
  strbuf_done(&said);
}

static void test_text(void)
{
  static const char want[] =
    "History of lists: 3 transactions: 3 committed, 0 failed, 0 with unknown "
    "outcome\n"
    "2 keys, 3 reads, 2 writes\n"
    "2 transactions depend on each other in circles, in 1 group\n"
    "\n"
    "G-single: a cycle with one read of what was overwritten\n"
    "  The shortest cycle of 2 transactions:\n"
    "  T1: line 3, process 1, 0.000001 s to 0.000002 s, committed\n"
    "      read key 1: 1\n"
    "      read key 2: an empty list\n"
    "  T2: line 2, process 0, 0.000001 s to 0.000002 s, committed\n"
    "      append 1 to key 1\n"
    "      append 1 to key 2\n"
    "  T1 -> T2 (rw): T1: read key 2: an empty list, before T2: append 1 to "
    "key 2\n"
    "  T2 -> T1 (wr): T2: append 1 to key 1, which T1 has seen: read key 1: "
    "1\n"
    "\n"
    "Verdict: not snapshot: G-single\n";
  struct strbuf said = { 0 };
  struct history h;
  struct judgement j;
  struct err err = { 0 };

  rig_read(&h, LISTS "0 1000 2000 ok a:1=1 a:2=1\n1 1000 2000 ok r:1=1 r:2=\n"
                     "2 3000 4000 ok r:2=1\nend 3\n");
  MUST(history_judge(&j, &h, &err) == 0);
  history_tell(&said, &h, &j, LEVEL_SNAPSHOT);
  OK_STR(strbuf_str(&said), want, "the whole text");
  judgement_done(&j);
  history_done(&h);
  strbuf_done(&said);
}

/* ---- files ---- */

static void test_bad(void)
{
  static const struct {
    const char *text, *error;
  } bad[] = {
    { "", "'h.log' is not a history of bench" },
    { "history\n", "'h.log' is not a history of bench" },
    { "bench history 1 trees\n",
      "'h.log' line 1: the kind of the history is neither lists nor "
      "registers" },
    { LISTS "0 1 2 maybe\n",
      "'h.log' line 2: the outcome is not one of ok, fail, unknown" },
    { LISTS "0 2 1 ok\n", "'h.log' line 2: a transaction has completed before "
                          "it was invoked" },
    { LISTS "0 2 - ok\n",
      "'h.log' line 2: a transaction is ok, but its end is not known" },
    { LISTS "0 1 2 ok w:1=1\n",
      "'h.log' line 2: an operation is neither r: nor a:" },
    { REGISTERS "0 1 2 ok a:1=1\n",
      "'h.log' line 2: an operation is neither r: nor w:" },
    { LISTS "0 1 2 ok a:1\n", "'h.log' line 2: a write has no value" },
    { LISTS "0 1 2 ok r:1=1,\n", "'h.log' line 2: a number is missing" },
    { LISTS "0 1 2 ok r:1=01\n", "'h.log' line 2: a number begins with 0" },
    { LISTS "0 1 2 ok r:1=9223372036854775808\n",
      "'h.log' line 2: a number is larger than 2^63 - 1" },
    { LISTS "0 1 2 ok r:1=1 \n",
      "'h.log' line 2: an operation is neither r: nor a:" },
    { REGISTERS "0 1 2 ok r:1=1,2\n", "'h.log' line 2: a blank is missing" },
    { LISTS "0 1 2 ok a:1=7\n# a note\n1 1 2 ok a:1=7\n",
      "'h.log' line 4: the value 7 of key 1 is written by line 2, too; "
      "without unique values nothing can be told" },
    { LISTS "0 1 2 ok\nend 2\n", "'h.log' line 3: the end says that there are "
                                 "2 transactions, but there are 1" },
    { LISTS "end 0\nend 0\n", "'h.log' line 3: something follows the end" },
    { LISTS "end 0\n0 1", "'h.log' line 2: something follows the end" },
  };

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct history h;
    struct err err = { 0 };
    char *copy = mem_strdup(bad[i].text);

    MUST(copy);
    OK(history_parse(&h, copy, strlen(copy), "h.log", &err) != 0,
       "a bad file is refused");
    OK_STR(err.text, bad[i].error, "and the message says why");
  }
}

int main(void)
{
  test_rows();
  test_shortest();
  test_text();
  test_bad();
  return TAP_EXIT();
}
