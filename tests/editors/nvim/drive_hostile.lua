-- Drive the plugin in a folder whose files leave marks when they are imported, and write what was seen to a report.
-- usage: nvim --clean --headless -S drive_hostile.lua   (in the folder; with RELAY_PLUGIN, RELAY_PYTHON, RELAY_PYTHONPATH,
-- RELAY_TRUSTED and RELAY_REPORT in the environment)
local report = {}

local function until_true(what, condition)
  if not vim.wait(60000, condition, 50) then
    error('waited in vain for ' .. what)
  end
end

local function buffer_text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
end

local function drive()
  -- Not earlier: Neovim itself may be started by a program in Python.
  vim.env.PYTHONPATH = vim.env.RELAY_PYTHONPATH
  vim.opt.runtimepath:prepend(vim.env.RELAY_PLUGIN)
  vim.cmd('runtime! plugin/relay.lua ftdetect/relay.lua')
  vim.cmd('filetype plugin on')
  require('relay').setup({
    cmd = { vim.env.RELAY_PYTHON, '-m', 'relay_lsp.server', 'serve' },
    trusted = vim.env.RELAY_TRUSTED == '1',
    settings = { relay = { pipeline = { 'FoldConstant' }, extensions = { 'tools/mine.py' } } },
  })
  vim.cmd('edit model.relay')
  until_true('the client', function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
  vim.cmd('RelayRunPass ToANormalForm')
  until_true('the pass', function() return buffer_text():find('let %', 1, true) ~= nil end)
  vim.cmd('silent undo')
  vim.cmd('silent write')
  report.answer = vim.lsp.get_clients({ bufnr = 0 })[1]:request_sync('workspace/executeCommand', {
    command = 'relay-lsp.runPass', arguments = { { uri = vim.uri_from_bufnr(0), pass = 'ReplaceRelu' } },
  }, 60000, 0).result
  report.text = buffer_text()
  vim.cmd('checkhealth relay')
end

local ok, message = xpcall(drive, debug.traceback)
report.error = not ok and message or nil
local file = assert(io.open(vim.env.RELAY_REPORT, 'w'))
file:write(vim.json.encode(report))
file:close()
vim.cmd('qall!')
