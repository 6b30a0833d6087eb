# markdown.awk - a page in troff's man macros whose text is a manual of docs/.
#
# usage: awk -v docs=FILE [-v section=HEADING] [-v tool=NAME] -f markdown.awk \
#          TEMPLATE
#
# The line @TEXT@ of the template becomes the text of the file, or of one section
# without its heading.  The line @ROWS HEADING@ becomes the rows of a table in
# another section whose first cell has the name of the tool.  It knows what these
# manuals use: headings, paragraphs, lists of one level, tables, blocks of
# code, and `code`, **bold**, *italic* and [links](...).

# A piece of text as troff shows it.
function escape(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/'/, "\\(aq", s)
  gsub(/`/, "\\(ga", s)
  gsub(/\^/, "\\(ha", s)
  gsub(/~/, "\\(ti", s)
  gsub(/µ/, "u", s) # terminals with ASCII alone
  return s
}

# Text with marks: code first, because what is in it is none.
function inline(s, out, at, mark) {
  out = ""
  while (match(s, /[`*[]/)) {
    out = out escape(substr(s, 1, RSTART - 1))
    s = substr(s, RSTART)
    mark = ""
    if (match(s, /^`[^`]+`/)) {
      mark = substr(s, 1, RLENGTH)
      out = out "\\fB" escape(substr(mark, 2, length(mark) - 2)) "\\fR"
    } else if (match(s, /^\*\*[^*]+\*\*/)) {
      mark = substr(s, 1, RLENGTH)
      at = substr(mark, 3, length(mark) - 4)
      gsub(/`/, "", at) # code is bold, too
      out = out "\\fB" escape(at) "\\fR"
    } else if (match(s, /^\*[^* ][^*]*\*/)) {
      mark = substr(s, 1, RLENGTH)
      out = out "\\fI" escape(substr(mark, 2, length(mark) - 2)) "\\fR"
    } else if (match(s, /^\[[^]]+\]\([^)]+\)/)) {
      mark = substr(s, 1, RLENGTH)
      at = index(mark, "](")
      out = out inline(substr(mark, 2, at - 2))
    } else {
      mark = substr(s, 1, 1)
      out = out mark
    }
    s = substr(s, length(mark) + 1)
  }
  return out escape(s)
}

# Lines that end before column 80; none begins with a request of troff.
function fill(s, n, word, i, line) {
  n = split(s, word, " ")
  line = word[1]
  for (i = 2; i <= n; i++) {
    if (length(line) + 1 + length(word[i]) > 78 && word[i] !~ /^[.']/) {
      say(line)
      line = word[i]
    } else
      line = line " " word[i]
  }
  if (line != "")
    say(line)
}

function say(line) {
  print (line ~ /^[.']/ ? "\\&" : "") line
}

# What was read of a paragraph or of an item of a list.  A page has no pictures,
# and no links to them.
function flush() {
  if (text != "" && text !~ /^Contents: / && text !~ /\.png\)/) {
    if (item)
      print ".IP \\(bu 2"
    else
      paragraph()
    fill(inline(text))
  }
  text = ""
  item = 0
}

# A paragraph right after a heading needs no request.
function paragraph() {
  if (!fresh)
    print ".PP"
  fresh = 0
}

function code(line) {
  if (!in_code) {
    paragraph()
    print ".RS 4"
    print ".nf"
    in_code = 1
    blank = 0
  }
  if (line == "") {
    blank++
    return
  }
  for (; blank > 0; blank--)
    print ""
  gsub(/\t/, "    ", line)
  say(escape(line))
}

function end_code() {
  if (in_code) {
    print ".fi"
    print ".RE"
  }
  in_code = 0
}

# A row: its first cell is the tag; more than one cell of text have the name of
# their column.
function row(line, n, cell, i, told) {
  gsub(/\\\|/, "\001", line)
  sub(/^\| */, "", line)
  sub(/ *\|$/, "", line)
  n = split(line, cell, / *\| */)
  for (i = 1; i <= n; i++)
    gsub(/\001/, "|", cell[i])
  if (!in_table) {
    for (i = 1; i <= n; i++)
      head[i] = cell[i]
    in_table = 1
    return
  }
  if (cell[1] ~ /^:?--+:?$/)
    return
  print ".TP"
  say(inline(cell[1]) == "" ? "\\&" : inline(cell[1]))
  fresh = 0
  told = 0
  for (i = 2; i <= n; i++) {
    if (cell[i] == "")
      continue
    if (told++)
      print ".br"
    fill((n > 2 && head[i] != "" ? inline(head[i]) ": " : "") inline(cell[i]))
  }
  if (!told)
    print "\\&"
}

function heading(macro, name) {
  print macro " \"" name "\""
  fresh = 1
}

# One line of the manual.
function line_of_text(line) {
  if (fenced) {
    if (line ~ /^```/) {
      fenced = 0
      end_code()
    } else
      code(line)
    return
  }
  if (line ~ /^```/) {
    flush()
    fenced = 1
    return
  }
  if (in_table && line !~ /^\|/)
    in_table = 0
  if (line ~ /^    / && text == "") {
    code(substr(line, 5))
    return
  }
  if (in_code && line == "") {
    code("")
    return
  }
  end_code()
  if (line == "")
    flush()
  else if (line ~ /^\|/) {
    flush()
    row(line)
  } else if (line ~ /^- /) {
    flush()
    item = 1
    text = substr(line, 3)
  } else {
    sub(/^ +/, "", line)
    text = text (text == "" ? "" : " ") line
  }
}

function lacks(what) {
  print docs ": there is no " what >"/dev/stderr"
  failed = 1
  exit 1
}

# The whole file, or one section of it.
function put(wanted, line, level, inside, depth, found) {
  inside = wanted == ""
  depth = 0
  found = 0
  fresh = 1
  while ((getline line <docs) > 0) {
    if (!fenced && match(line, /^#+ /)) {
      flush()
      end_code()
      level = RLENGTH - 1
      line = substr(line, RLENGTH + 1)
      if (wanted != "") {
        if (inside && level <= depth)
          inside = 0
        if (line == wanted) {
          inside = 1
          found = 1
          depth = level
          fresh = 1
          continue
        }
        if (inside)
          heading(".SS", inline(line))
      } else if (level == 1) {
        heading(".SH", "DESCRIPTION")
      } else
        heading(level == 2 ? ".SH" : ".SS", level == 2 ? toupper(line) : inline(line))
      continue
    }
    if (inside)
      line_of_text(line)
  }
  close(docs)
  flush()
  end_code()
  if (wanted != "" && !found)
    lacks("section '" wanted "'")
}

# The rows of a section whose first cell has the name of the tool, without that cell.
function put_rows(wanted, line, inside, found) {
  inside = 0
  found = 0
  in_table = 1
  while ((getline line <docs) > 0) {
    if (line ~ /^#+ /)
      inside = substr(line, index(line, " ") + 1) == wanted
    else if (inside && match(line, /^\| [^|]*\|/) && index(substr(line, 1, RLENGTH), "`" tool "`")) {
      row(substr(line, RLENGTH))
      found = 1
    }
  }
  close(docs)
  in_table = 0
  if (!found)
    lacks("row '" tool "' in '" wanted "'")
}

/^@TEXT@$/ { put(section); next }
/^@ROWS .*@$/ { put_rows(substr($0, 7, length($0) - 7)); next }
/^\.TH / { $2 = toupper($2) }
{ print }
END { exit failed }
