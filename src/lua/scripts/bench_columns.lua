-- Templates of the columns c (119 characters) and pad (59) of the bundled
-- scripts' tables.

return {
   C = ("###########-"):rep(9) .. "###########",
   PAD = ("###########-"):rep(4) .. "###########",
}
