-- What :checkhealth relay tells.
local config = require('relay.config')

local M = {}

local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local bad = health.error or health.report_error
local info = health.info or health.report_info

function M.check()
  start('relay: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    ok('Neovim 0.10 or later')
  elseif vim.fn.has('nvim-0.7') == 1 then
    warn('before Neovim 0.10 there are no inlay hints, and before 0.9 no semantic tokens')
  else
    bad('Neovim 0.7 is the oldest with what the client needs')
  end
  if #vim.api.nvim_get_runtime_file('ftdetect/relay.lua', false) > 0 then
    ok('files that end in .relay have the filetype relay')
  else
    bad('the filetype of .relay files is not known', { 'Is editors/nvim on the runtimepath?' })
  end

  start('relay: server')
  local command = config.options.cmd[1]
  if vim.fn.executable(command) == 1 then
    local version = vim.fn.systemlist({ command, '--version' })[1]
    ok(('%s (%s)'):format(vim.fn.exepath(command), version or 'tells no version'))
  else
    bad(command .. ' is not executable', { 'Install relay-lsp, or name it: require("relay").setup({cmd = {…, "serve"}})' })
  end
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local clients = get({ name = 'relay' })
  if #clients > 0 then
    ok(('%d running, %s'):format(#clients, config.state.state))
  else
    info('none is running: open a .relay file')
  end

  start('relay: trust')
  if config.options.trusted then
    ok('the passes and operators of relay.extensions are loaded')
  else
    info('passes and operators of relay.extensions are not loaded; setup({trusted = true}) allows it')
  end
end

return M
