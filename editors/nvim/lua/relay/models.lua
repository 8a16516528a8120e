-- Models of other frameworks as Relay text, in a buffer that can be looked at, changed and written.
local config = require('relay.config')
local server = require('relay.server')
local messages = require('relay.messages')

local M = {}

--- The command that imports `path`, or nil and what is missing: the server's program, asked to import.
local function command(path)
  local serving, reason = server.find()
  if type(serving) ~= 'table' then
    return nil, type(serving) == 'function' and 'the server is a function of setup(), which imports nothing' or reason
  end
  local importing = {}
  for _, argument in ipairs(serving) do
    if argument == 'serve' then
      break
    end
    importing[#importing + 1] = argument
  end
  return vim.list_extend(importing, { 'import', '--without-weights', path })
end

--- Show `text` in the buffer called `name`; one that has been changed is left alone, but `anew`.
local function show(name, text, anew)
  local buffer = vim.fn.bufnr(vim.fn.fnameescape(name))
  if not anew and (vim.fn.filereadable(name) == 1 or (buffer > 0 and vim.bo[buffer].modified)) then
    messages.say(('%s is there already: open it, or :RelayImport! to import again.'):format(name), vim.log.levels.WARN)
    return
  end
  vim.cmd('hide edit ' .. vim.fn.fnameescape(name))
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
  vim.fn.cursor(1, 1)
end

--- Import a model: the file that is given, or that of the current buffer. Its text goes beside it once it is written.
function M.import(given, anew)
  local path = vim.fn.fnamemodify(given ~= '' and vim.fn.expand(given) or vim.fn.expand('%'), ':p')
  local importing, reason = command(path)
  if not importing then
    messages.say('No model can be imported: ' .. reason, vim.log.levels.ERROR)
    return
  end
  local said = { {}, {} }
  local function read(stream)
    return function(_, lines) said[stream] = lines end
  end
  vim.fn.jobstart(importing, {
    -- Not in the model's folder: Python may import from the one that it is started in.
    cwd = config.folder,
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = read(1),
    on_stderr = read(2),
    on_exit = function(_, code)
      local words = vim.trim(table.concat(said[2], '\n'))
      if words ~= '' then
        messages.say(words, code > 1 and vim.log.levels.ERROR or vim.log.levels.WARN)
      end
      if code <= 1 then
        show(vim.fn.fnamemodify(path, ':r') .. '.relay', table.concat(said[1], '\n'), anew)
      end
    end,
  })
end

return M
