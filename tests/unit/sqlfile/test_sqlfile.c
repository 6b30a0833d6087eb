/*
 * test_sqlfile.c - files: where statements end, what is a variable, commands,
 * and the place of every mistake.
 */
#include <errno.h>

#include "tests/unit/sqlfile_rig.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"

/* The steps of a file in one line: S0 is a statement, !3 jumps to step 3. */
static void describe(const struct sqlfile *file, char *to, size_t size)
{
  size_t n = 0;

  to[0] = '\0';
  for (size_t i = 0; i < file->n_steps && n < size; i++) {
    const struct sqlfile_step *s = &file->step[i];
    const char *blank = i > 0 ? " " : "";

    switch (s->code) {
    case SQLFILE_SQL:
      n += (size_t)snprintf(to + n, size - n, "%sS%u", blank, s->statement);
      break;
    case SQLFILE_SET:
      n += (size_t)snprintf(to + n, size - n, "%sset:%s", blank,
                            file->variable[s->variable].name);
      break;
    case SQLFILE_SLEEP:
      n += (size_t)snprintf(to + n, size - n, "%ssleep:%llu", blank,
                            (unsigned long long)s->unit_ns);
      break;
    case SQLFILE_UNLESS:
      n += (size_t)snprintf(to + n, size - n, "%sunless!%u", blank, s->to);
      break;
    case SQLFILE_JUMP:
      n += (size_t)snprintf(to + n, size - n, "%s!%u", blank, s->to);
      break;
    }
  }
}

/* The texts of the statements, with `|` between two. */
static void statements(const struct sqlfile *file, char *to, size_t size)
{
  size_t n = 0;

  to[0] = '\0';
  for (size_t i = 0; i < file->n_statements && n < size; i++)
    n += (size_t)snprintf(to + n, size - n, "%s%s", i > 0 ? "|" : "",
                          file->statement[i].text);
}

static const struct {
  const char *what, *text;
  unsigned dialect;
  const char *defines, *want;
} texts[] = {
  { "two on a line", "SELECT 1; SELECT 2;", EMUL_PGSQL, NULL,
    "SELECT 1|SELECT 2" },
  { "no terminator at the end", "SELECT 1", EMUL_PGSQL, NULL, "SELECT 1" },
  { "over lines", "SELECT\n  1\n;\n\n", EMUL_PGSQL, NULL, "SELECT\n  1" },
  { "CRLF", "SELECT 1;\r\nSELECT\r\n 2\r\n", EMUL_PGSQL, NULL,
    "SELECT 1|SELECT\r\n 2" },
  { "the mark of UTF-8", "\xEF\xBB\xBFSELECT 1", EMUL_PGSQL, NULL, "SELECT 1" },
  { "empty statements", ";;SELECT 1;; ;", EMUL_PGSQL, NULL, "SELECT 1" },
  { "comments between", "-- a;b\n/* c; */ SELECT 1; -- d\nSELECT 2", EMUL_PGSQL,
    NULL, "SELECT 1|SELECT 2" },
  { "comments inside", "SELECT -- a;b\n 1 /* c; */ + 1;", EMUL_PGSQL, NULL,
    "SELECT -- a;b\n 1 /* c; */ + 1" },
  { "nested comments", "/* a /* b */ ; */ SELECT 1", EMUL_PGSQL, NULL,
    "SELECT 1" },
  { "semicolons in quotes", "SELECT ';', \";\", 'it''s;';SELECT 2", EMUL_PGSQL,
    NULL, "SELECT ';', \";\", 'it''s;'|SELECT 2" },
  { "dollar quotes", "DO $x$ a; $$ b; $x$; SELECT 2", EMUL_PGSQL, NULL,
    "DO $x$ a; $$ b; $x$|SELECT 2" },
  { "backslashes of MySQL", "SELECT 'a\\';b'; SELECT 2", EMUL_MYSQL, NULL,
    "SELECT 'a\\';b'|SELECT 2" },
  { "backslashes of PostgreSQL", "SELECT 'a\\'; SELECT E'\\';'", EMUL_PGSQL,
    NULL, "SELECT 'a\\'|SELECT E'\\';'" },
  { "backticks and #", "SELECT `;` # a;\n; SELECT 2", EMUL_MYSQL, NULL,
    "SELECT `;` # a;|SELECT 2" },
  { "brackets", "SELECT [;]; SELECT 2", EMUL_SQLITE, NULL,
    "SELECT [;]|SELECT 2" },
  { "code in comments", "/*!50000 SET x = 1 */; SELECT 2", EMUL_MYSQL, NULL,
    "/*!50000 SET x = 1 */|SELECT 2" },
  { "hints", "SELECT /*+ BKA(t) */ 1", EMUL_MYSQL, NULL,
    "SELECT /*+ BKA(t) */ 1" },
  { "semicolons in parentheses", "CREATE RULE r AS (SELECT 1; SELECT 2); X",
    EMUL_PGSQL, NULL, "CREATE RULE r AS (SELECT 1; SELECT 2)|X" },
  { "variables", "SELECT :scale, :client_id+1,:scale;", EMUL_PGSQL, NULL,
    "SELECT ?, ?+1,?" },
  { "casts", "SELECT 1::int, :scale::text, ':: :a', x::scale", EMUL_PGSQL, NULL,
    "SELECT 1::int, ?::text, ':: :a', x::scale" },
  { "no variables", "SELECT a[1:2], @x := 5, '12:30', b : scale", EMUL_PGSQL,
    NULL, "SELECT a[1:2], @x := 5, '12:30', b : scale" },
  { "a question mark of PostgreSQL", "SELECT a ? 'b', '?'", EMUL_PGSQL, NULL,
    "SELECT a ?? 'b', '?'" },
  { "variables without blanks", "SELECT :scale:scale", EMUL_PGSQL, NULL,
    "SELECT ? ?" },
  { "a variable before a question mark", "SELECT :scale?'b'", EMUL_PGSQL, NULL,
    "SELECT ? ?"
    "?'b'" },
  { "a variable before quotes", "SELECT :scale'a\\'; SELECT 2", EMUL_PGSQL,
    "e=1", "SELECT ?'a\\'|SELECT 2" },
  { "a variable that looks like a prefix", "SELECT :e'a\\'; SELECT 2",
    EMUL_PGSQL, "e=1", "SELECT ?'a\\'|SELECT 2" },
  { "the text of the user", "SELECT * FROM :t WHERE x = :n", EMUL_PGSQL,
    "t=a.b\nn=5", "SELECT * FROM a.b WHERE x = ?" },
  { "words that are no booleans", "SELECT :a:b", EMUL_PGSQL, "a=t\nb=on",
    "SELECT ton" },
  { "a command ends a statement", "SELECT 1 \\set x 5\nSELECT :x", EMUL_PGSQL,
    NULL, "SELECT 1|SELECT ?" },
  { "nothing after the last one", "SELECT 1;\n\\set x 1", EMUL_PGSQL, NULL,
    "SELECT 1" },
};

static void check_texts(void)
{
  char got[1024];

  for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
    struct err err;
    struct sqlfile *file = rig_parse(texts[i].text, texts[i].dialect,
                                     texts[i].defines, &err);

    if (file)
      statements(file, got, sizeof(got));
    OK_STR(file ? got : err.text, texts[i].want, texts[i].what);
    sqlfile_free(file);
  }
}

static const struct {
  const char *text, *want;
} programs[] = {
  { "\\set a 1\nSELECT :a;\\sleep 10 ms\n\\sleep :a us\n\\sleep 1\n",
    "set:a S0 sleep:1000000 sleep:1000 sleep:1000000000" },
  { "\\if true\nA;\n\\endif\nB", "unless!2 S0 S1" },
  { "\\if true\nA;\n\\else\nB;\n\\endif\nC", "unless!3 S0 !4 S1 S2" },
  { "\\if true\nA;\n\\elif false\nB;\n\\elif 1\nC;\n\\else\nD;\n\\endif\n",
    "unless!3 S0 !10 unless!6 S1 !10 unless!9 S2 !10 S3" },
  { "\\if true\n\\if false\nA;\n\\else\nB;\n\\endif\n\\else\nC;\n\\endif\n",
    "unless!6 unless!4 S0 !5 S1 !7 S2" },
  { "\\set a 1 + \\\n 2\nSELECT :a", "set:a S0" },
  { "\\set a 1\r\nSELECT 1;\r\n", "set:a S0" },
  { "  \\set a 1\n  SELECT 1", "set:a S0" },
};

static void check_programs(void)
{
  char got[1024];

  for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
    struct err err;
    struct sqlfile *file = rig_parse(programs[i].text, EMUL_PGSQL, NULL, &err);

    if (file)
      describe(file, got, sizeof(got));
    OK_STR(file ? got : err.text, programs[i].want, programs[i].want);
    sqlfile_free(file);
  }
}

static const struct {
  const char *text, *dialect, *want;
} mistakes[] = {
  { "", "p", "'f.sql' has no SQL statement" },
  { " \n-- nothing\n", "p", "'f.sql' has no SQL statement" },
  { "\\set a 1\n", "p", "'f.sql' has no SQL statement" },
  { "SELECT 'a\n", "p",
    "f.sql:1:8: the quoted text that begins here has no end" },
  { "SELECT 1;\nSELECT $a$ $b$", "p",
    "f.sql:2:8: the quoted text that begins here has no end" },
  { "SELECT 1 /* a", "p",
    "f.sql:1:10: the comment that begins here has no end" },
  { "/* a", "p", "f.sql:1:1: the comment that begins here has no end" },
  { "SELECT (1;\nSELECT 2", "p",
    "f.sql:1:8: the parenthesis that opens here is not closed before the end "
    "of "
    "the statement" },
  { "SELECT 1 +\n  :a", "p",
    "f.sql:2:4: the variable 'a' has no value here; use \\set before this "
    "line, "
    "or --define=a=VALUE" },
  { "SELECT '\xC3\xA4\xC3\xB6', :a", "p",
    "f.sql:1:15: the variable 'a' has no value here; use \\set before this "
    "line, or --define=a=VALUE" },
  { "SELECT 'x :scale'", "p",
    "f.sql:1:11: the variable :scale is inside quotes, where it is not "
    "replaced" },
  { "SELECT ?", "m",
    "f.sql:1:8: '?' stands for a parameter that gets no value; write a "
    "variable: :NAME" },
  { "\\set\n", "p",
    "f.sql:1:5: the name of the variable is missing: \\set NAME EXPRESSION" },
  { "\\set 1 1\n", "p",
    "f.sql:1:6: the name of the variable is missing: \\set NAME EXPRESSION" },
  { "\\sleep\n", "p",
    "f.sql:1:7: \\sleep needs a number or a variable: \\sleep NUMBER "
    "[us|ms|s]" },
  { "\\sleep 1 min\n", "p",
    "f.sql:1:10: the unit 'min' is not one of us, ms, s" },
  { "\\sleep 1 s 2\n", "p",
    "f.sql:1:12: unexpected '2': the command is complete" },
  { "\\if true\nSELECT 1;\n", "p", "f.sql:1:1: \\if without \\endif" },
  { "SELECT 1;\n \\endif\n", "p", "f.sql:2:2: \\endif without \\if" },
  { "\\else\n", "p", "f.sql:1:1: \\else without \\if" },
  { "\\if 1\n\\else\n\\elif 1\n", "p", "f.sql:3:1: \\elif after \\else" },
  { "\\if 1\n\\endif x\n", "p",
    "f.sql:2:8: unexpected 'x': the command is complete" },
  { "\\startpipeline\n", "p", "f.sql:1:1: \\startpipeline is not supported" },
  { "\\shell ls\n", "p", "f.sql:1:1: \\shell is not supported" },
  { "\\setrandom a 1 2\n", "p",
    "f.sql:1:1: \\setrandom is not supported: write \\set NAME random(FROM, "
    "TO)" },
  { "SELECT 1\\; SELECT 2;", "p",
    "f.sql:1:9: '\\;' is not supported: end the statement with ';'" },
  { "\\foo\n", "p",
    "f.sql:1:1: there is no command '\\foo'; the commands are \\set, \\sleep, "
    "\\if, \\elif, \\else, \\endif, \\gset and \\aset" },
  { "\\gset\n", "p", "f.sql:1:1: \\gset has to follow a statement" },
  { "SELECT 1 AS a \\gset\n\\gset\n", "p",
    "f.sql:2:1: \\gset has to follow a statement" },
  { "\\if 1\nSELECT 1 AS a;\n\\endif\n\\aset\n", "p",
    "f.sql:4:1: \\aset has to follow a statement" },
  { "SELECT 1 \\gset\n", "p",
    "f.sql:1:10: column 1 of the statement before has no name that can be "
    "seen; write EXPRESSION AS NAME" },
  { "SELECT a, * FROM t \\gset\n", "p",
    "f.sql:1:20: column 2 of the statement before has no name that can be "
    "seen; write EXPRESSION AS NAME" },
  { "UPDATE t SET a = 1 \\gset\n", "p",
    "f.sql:1:20: the statement before has no SELECT and no RETURNING" },
};

static void check_mistakes(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
    struct err err;
    struct sqlfile *file = rig_parse(
      mistakes[i].text, *mistakes[i].dialect == 'm' ? EMUL_MYSQL : EMUL_PGSQL,
      NULL, &err);

    OK_STR(file ? "(no mistake)" : err.text, mistakes[i].want,
           mistakes[i].want);
    sqlfile_free(file);
  }
}

static const struct {
  const char *text, *want;
} columns[] = {
  { "SELECT a FROM t \\gset", "a" },
  { "SELECT a, t.b, s.t.c \\gset", "a b c" },
  { "SELECT count(*) AS n, max(a, b) AS m FROM t WHERE (c, d) = (1, 2) \\gset",
    "n m" },
  { "SELECT DISTINCT a \\gset", "a" },
  { "SELECT Aa, 1 AS \"Bb\" \\gset", "aa Bb" },
  { "SELECT a, b \\gset x_", "x_a x_b" },
  { "WITH w AS (SELECT z FROM t) SELECT y FROM w \\gset", "y" },
  { "INSERT INTO t SELECT a FROM u RETURNING id, b AS c \\gset", "id c" },
  { "SELECT a /* , b */ -- , c\n, d \\aset", "a d" },
  { "SELECT 'x, y' AS a, (SELECT b, c) AS e; \\aset", "a e" },
};

static void check_columns(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
    struct err err;
    struct sqlfile *file = rig_parse(columns[i].text, EMUL_PGSQL, NULL, &err);
    char got[256] = "";

    for (unsigned c = 0; file && c < file->statement[0].n_columns; c++) {
      if (c > 0)
        strcat(got, " ");
      strcat(got, file->variable[file->statement[0].column[c]].name);
    }
    OK_STR(file ? got : err.text, columns[i].want, columns[i].want);
    sqlfile_free(file);
  }
}

static const struct {
  const char *defines, *want;
} defines[] = {
  { "a", "--define=a: expected NAME=VALUE, where NAME has letters, digits and "
         "underscores" },
  { "=1", "--define==1: expected NAME=VALUE, where NAME has letters, digits "
          "and underscores" },
  { "1a=1", "--define=1a=1: expected NAME=VALUE, where NAME has letters, "
            "digits and underscores" },
  { "t=abc", "f.sql:1:6: the variable 't' is a text that --define gives, and "
             "cannot be set" },
  { "u=abc", "f.sql:2:6: the variable 'u' is the text 'abc', which is not a "
             "number" },
};

static void check_defines(void)
{
  struct sqlfile *file;
  struct err err;

  for (size_t i = 0; i < ARRAY_SIZE(defines); i++) {
    file = rig_parse("\\set t 1\n\\if :u\n\\endif\nSELECT 1", EMUL_PGSQL,
                     defines[i].defines, &err);
    OK_STR(file ? "(no mistake)" : err.text, defines[i].want,
           defines[i].defines);
    sqlfile_free(file);
  }
  file = rig_parse("SELECT 1", EMUL_PGSQL, "scale=1\nscale=50\nx=-1.5", &err);
  MUST(file);
  OK(file->variable[SQLFILE_SCALE].initial.number == 50 &&
       file->variable[SQLFILE_SCALE].defined,
     "the last value of a variable counts");
  OK(file->variable[SQLFILE_BUILTINS].initial.kind == VALUE_DOUBLE &&
       file->variable[SQLFILE_BUILTINS].initial.real == -1.5,
     "a double");
  sqlfile_free(file);
}

/* A file with everything that takes memory. */
static int parse_much(void *ctx, struct err *err)
{
  static const char text[] =
    "\\set a random(1, :scale) + case when :b then 1 else 2 end\n"
    "\\if :a > 1\nSELECT :a AS c, :t AS d \\gset\n\\else\nSELECT 2;\n"
    "\\endif\n\\sleep :c ms\n";
  const struct sqlfile_setup setup = {
    .name = "f.sql",
    .text = text,
    .len = sizeof(text) - 1,
    .dialect = EMUL_PGSQL,
    .defines = "b=1\nt=abc",
  };
  struct sqlfile *file;
  int rc = sqlfile_parse(&file, &setup, err);

  (void)ctx;
  if (rc < 0)
    return rc;
  rc = file->n_steps == 6 ? 0 : -EIO;
  sqlfile_free(file);
  return rc;
}

int main(void)
{
  check_texts();
  check_programs();
  check_mistakes();
  check_columns();
  check_defines();
  OK(torture(parse_much, NULL) > 20, "memory runs out");
  return TAP_EXIT();
}
