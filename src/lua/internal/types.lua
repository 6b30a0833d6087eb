-- types.lua - the types of the script ABI, for scripts that use LuaJIT's `ffi`.
local host = ...

host.use("sql_types")
host.use("histogram")
host.ffi.metatype("sql_bind", {
  __index = {},
  __tostring = function()
    return "<sql_bind>"
  end,
})
