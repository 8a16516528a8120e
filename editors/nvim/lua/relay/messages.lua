-- What the plugin and the server tell the user: through vim.notify, and never so long that Neovim asks for a key.
local M = {}

-- The messages as they are, newest last; Neovim's own view shows them shortened.
local whole = {}
local KEPT = 100

--- Whether vim.notify is Neovim's own, which writes into the command line; a plugin's, which may be a table that can be
--- called, has room for more.
local function writes_into_command_line()
  return type(vim.notify) == 'function' and debug.getinfo(vim.notify, 'S').source:find('vim/_', 1, true) ~= nil
end

--- The message in one line that fits beside the ruler.
local function fitting(message)
  local line = message:gsub('%s*\n%s*', ' ')
  local room = math.max(20, vim.v.echospace)
  if vim.fn.strdisplaywidth(line) <= room then
    return line
  end
  return vim.fn.strcharpart(line, 0, room - 16) .. '… :RelayMessages'
end

--- Tell the user something; `level` is one of vim.log.levels.
function M.say(message, level)
  whole[#whole + 1] = message
  if #whole > KEPT then
    table.remove(whole, 1)
  end
  vim.notify(writes_into_command_line() and fitting(message) or message, level or vim.log.levels.INFO)
end

--- Show the messages of this session as they are.
function M.show()
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  local lines = vim.split(table.concat(whole, '\n'), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.wo.wrap = true
  vim.wo.linebreak = true
end

local LEVELS = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- The handler of the server's window/showMessage.
function M.from_server(_, params)
  M.say(params.message, LEVELS[params.type] or vim.log.levels.INFO)
end

return M
