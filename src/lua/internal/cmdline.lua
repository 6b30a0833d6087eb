-- cmdline.lua - sysbench.cmdline: the command line, and the options and
-- commands of a script.
local host = ...
local ffi = host.ffi
local C = host.C

local set_test_args = C.sb_lua_set_test_args
local print_test_options = C.sb_print_test_options
local validate_t = ffi.typeof("sb_opt_validate_t *")
local args_t = ffi.typeof("sb_arg_t[?]")

local cmdline = host.cmdline
local functions = {}

local type_of_default = {
  boolean = cmdline.ARG_BOOL,
  number = cmdline.ARG_DOUBLE,
  string = cmdline.ARG_STRING,
  table = cmdline.ARG_LIST,
  ["nil"] = cmdline.ARG_STRING,
}

-- Lua functions that check values, by option.
local validators = {}

-- The text of a number: integers without a fraction, others with the fewest
-- digits that read back equal.
local function number_text(n)
  if n == math.floor(n) and math.abs(n) < 2 ^ 53 then
    return string.format("%d", n)
  end
  for digits = 6, 17 do
    local text = string.format("%." .. digits .. "g", n)
    if tonumber(text) == n then
      return text
    end
  end
  return tostring(n)
end

local function list_text(list)
  local items = {}
  for i, item in ipairs(list) do
    items[i] = type(item) == "number" and number_text(item) or tostring(item)
  end
  return table.concat(items, ",")
end

local function default_text(default)
  local kind = type(default)
  if kind == "nil" then
    return nil
  elseif kind == "boolean" then
    return default and "on" or "off"
  elseif kind == "number" then
    return number_text(default)
  elseif kind == "table" then
    return list_text(default)
  end
  return tostring(default)
end

-- Checks a declaration.  Returns the members of sb_arg_t, and the validator.
local function read_option(name, decl)
  if type(name) ~= "string" or type(decl) ~= "table" then
    error("wrong table structure in sysbench.cmdline.options", 0)
  end
  local desc, default, kind, validator = decl[1], decl[2], decl[3], decl[4]
  if desc == nil then
    error("nil description for option " .. name, 0)
  end
  if kind == nil then
    kind = type_of_default[type(default)]
  end
  if
    type(kind) ~= "number"
    or kind ~= math.floor(kind)
    or kind <= cmdline.ARG_NULL
    or kind >= cmdline.ARG_MAX
    or type_of_default[type(default)] == nil
  then
    error("cannot determine type for option " .. name, 0)
  end
  if validator ~= nil and type(validator) ~= "function" and not ffi.istype(validate_t, validator) then
    error("wrong validator for option " .. name, 0)
  end
  return {
    name = name,
    desc = tostring(desc),
    value = default_text(default),
    type = kind,
    validator = validator,
  }
end

local function sorted_options(declared)
  local list = {}
  for name, decl in pairs(declared) do
    list[#list + 1] = read_option(name, decl)
  end
  table.sort(list, function(a, b)
    return a.name < b.name
  end)
  return list
end

function functions.read_cmdline_options()
  local declared = cmdline.options
  if declared == nil then
    return false
  end
  if type(declared) ~= "table" then
    error("wrong type for sysbench.cmdline.options: " .. type(declared), 0)
  end
  local list = sorted_options(declared)
  local args = ffi.new(args_t, math.max(#list, 1))
  validators = {}
  for i, option in ipairs(list) do
    local arg = args[i - 1]
    arg.name = option.name
    arg.desc = option.desc
    arg.value = option.value
    arg.type = option.type
    if type(option.validator) == "function" then
      validators[option.name] = option.validator
    else
      arg.validate = option.validator
    end
  end
  if set_test_args(args, #list) ~= 0 then
    error("not enough memory", 0)
  end
  return true
end

-- The validator of an option that the script does not declare.
local function undeclared(name)
  local by_name = cmdline.validators
  return type(by_name) == "table" and by_name[name:gsub("-", "_")] or nil
end

-- Asks the script about a value; true without a validator.  The second result
-- of a validator describes what is allowed.
function host.validate(name, value)
  local validator = validators[name] or undeclared(name)
  if validator == nil then
    return true
  end
  -- A validator gets C strings, like a C function.
  local function c_string(text)
    local buf = ffi.new("char[?]", #text + 1)
    ffi.copy(buf, text)
    return buf, ffi.cast("const char *", buf)
  end
  local name_buf, c_name = c_string(name)
  local value_buf, c_value = c_string(value)
  local ok, expected = validator(c_name, c_value)
  -- The buffers must outlive the call.
  return ok and name_buf ~= nil and value_buf ~= nil, expected
end

function functions.print_test_options()
  print_test_options()
end

local function find_command(name)
  local entry = type(cmdline.commands) == "table" and cmdline.commands[name]
  if type(entry) == "table" and entry[1] ~= nil then
    return entry
  end
  return nil
end

function functions.command_defined(name)
  return find_command(name) ~= nil
end

function functions.command_parallel(name)
  local entry = find_command(name)
  return entry ~= nil and entry[2] == cmdline.PARALLEL_COMMAND
end

local function call_member(name, n)
  local entry = find_command(name)
  if entry ~= nil and entry[n] ~= nil then
    entry[n]()
  end
end

-- The third member of a command is called once before its threads and other
-- processes start.
function functions.command_begin(name)
  call_member(name, 3)
end

-- The fourth member is called once after a failed command, when all its threads
-- have ended.
function functions.command_failed(name)
  call_member(name, 4)
end

function functions.call_command(name)
  local entry = find_command(name)
  if entry == nil then
    return false
  end
  return entry[1]() ~= false
end

return functions
