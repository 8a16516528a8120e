-- A user's first start: open files, wait for what the test expects, and write what was seen to a report.
-- usage: nvim --headless FILE -c 'luafile first_start.lua'   (init.lua has put what the plugin says into _G.notified)
local report = {}

local function until_true(condition)
  return vim.wait(40000, condition, 50)
end

local function said(words)
  return function()
    return vim.iter(_G.notified):any(function(message) return message:find(words, 1, true) ~= nil end)
  end
end

local function drive()
  local expected = vim.json.decode(vim.env.RELAY_EXPECTED)
  report.filetype = vim.bo.filetype
  if expected.says then
    until_true(said(expected.says))
    vim.cmd('edit ' .. vim.env.RELAY_OTHER)
    vim.wait(300)
  end
  for _, command in ipairs(expected.commands or {}) do
    vim.cmd(command.give)
    report.waited = until_true(said(command.says))
  end
  if expected.served then
    until_true(function() return #vim.diagnostic.get(0) > 0 end)
    report.diagnostics = vim.tbl_map(function(diagnostic) return diagnostic.message end, vim.diagnostic.get(0))
    report.servers = #vim.lsp.get_clients({ name = 'relay' })
  end
  vim.cmd('help relay-setup')
  report.help = vim.fn.expand('%:t')
  vim.cmd('checkhealth relay')
  report.health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  report.notified = _G.notified
  report.mistake = vim.v.errmsg
end

-- What is given with -c runs before Neovim has started; a user's hands come after.
vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    local ok, message = xpcall(drive, debug.traceback)
    report.error = not ok and message or nil
    local file = assert(io.open(vim.env.RELAY_REPORT, 'w'))
    file:write(vim.json.encode(report))
    file:close()
    vim.cmd('qall!')
  end),
})
