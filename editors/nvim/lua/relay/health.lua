-- What :checkhealth relay tells.
local client = require('relay.client')
local config = require('relay.config')
local server = require('relay.server')

local M = {}

local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local bad = health.error or health.report_error
local info = health.info or health.report_info

local function check_neovim()
  start('relay: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    ok('Neovim 0.10 or later')
  elseif vim.fn.has('nvim-0.7') == 1 then
    warn('before Neovim 0.10 there are no inlay hints, and before 0.9 no semantic tokens', { 'Install Neovim 0.11.' })
  else
    bad('Neovim 0.7 is the oldest with what the client needs', { 'Install Neovim 0.11.' })
  end
  if #vim.api.nvim_get_runtime_file('ftdetect/relay.lua', false) > 0 then
    ok('files that end in .relay or .rly have the filetype relay')
  else
    bad('the filetype of .relay files is not known', { 'Put the folder of the plugin on the runtimepath.' })
  end
  if vim.g.syntax_on or vim.fn.exists('syntax_on') == 1 then
    ok('colours: syntax/relay.vim' .. (vim.lsp.semantic_tokens and ', and the semantic tokens of the server' or ''))
  else
    warn('colours are off', { ':syntax enable' })
  end
  info('a grammar for tree-sitter is not needed, and there is none')
end

--- Without a server: how to get one.
local function check_installation(reason)
  local python, about = server.python()
  local advice = {}
  if config.options.cmd then
    advice[1] = "Correct `cmd` in require('relay').setup(), or leave it away."
  elseif not server.wheel() then
    advice[1] = 'Install relay-lsp, so that the command `relay-lsp` is on the PATH: `pip install` the wheel of a release.'
    advice[2] = "Or name it: require('relay').setup({cmd = {'/path/to/relay-lsp', 'serve'}})"
  elseif python then
    advice[1] = ':RelayInstall'
  else
    advice[1] = "Install Python 3.10 to 3.13, or name it: require('relay').setup({python = '/path/to/python3'}). "
      .. 'Then :RelayInstall'
  end
  bad(reason, advice)
  if python then
    ok(('Python %s for :RelayInstall: %s'):format(about, vim.fn.exepath(python)))
  else
    warn('no Python for :RelayInstall: ' .. about)
  end
  if not server.wheel() then
    info('this copy of the plugin brings no server for :RelayInstall, since it does not come from an archive of a release')
  end
end

local function check_server()
  start('relay: server')
  local command, from = server.find()
  if not command then
    check_installation(from)
  elseif type(command) == 'function' then
    info('the server is a function of setup()')
  else
    local version, said = server.version_of(command)
    if not version then
      bad(('%s, from %s, does not run: %s'):format(command[1], from, said),
        { server.wheel() and ':RelayInstall! installs it anew.' or 'Install relay-lsp anew.' })
    elseif version ~= server.version then
      warn(('relay-lsp %s from %s: %s'):format(version, from, command[1]), {
        ('The plugin is made for %s.'):format(server.version),
        server.wheel() and ':RelayInstall' or 'Install relay-lsp and the plugin from the same release.',
      })
    else
      ok(('relay-lsp %s from %s: %s'):format(version, from, command[1]))
    end
  end
  local clients = client.all()
  if #clients > 0 then
    ok(('%d running, %s'):format(#clients, config.state.state))
  elseif not config.set_up then
    info('none is running: the first .relay file starts it, with the defaults, since setup() was not called')
  else
    info('none is running: open a .relay file')
  end
  info('log: ' .. (vim.lsp.get_log_path and vim.lsp.get_log_path() or vim.fn.stdpath('cache') .. '/lsp.log'))
end

--- The folder of the history store: the rule is `default_folder` of the server's history.
local function history_folder(settings)
  if settings.folder and settings.folder ~= '' then
    return settings.folder
  elseif vim.fn.has('win32') == 1 then
    return (vim.env.LOCALAPPDATA or vim.fn.expand('~/AppData/Local')) .. '/relay-lsp'
  elseif vim.fn.has('mac') == 1 then
    return vim.fn.expand('~/Library/Application Support/relay-lsp')
  end
  local state = vim.env.XDG_STATE_HOME
  return (state and state ~= '' and state or vim.fn.expand('~/.local/state')) .. '/relay-lsp'
end

local function check_history()
  start('relay: history of passes')
  local settings = (config.options.settings.relay or {}).history or {}
  if settings.enabled == false then
    info('not kept: the setting history.enabled is false')
    return
  end
  local folder = history_folder(settings)
  local existing = folder
  while vim.fn.isdirectory(existing) == 0 and vim.fn.fnamemodify(existing, ':h') ~= existing do
    existing = vim.fn.fnamemodify(existing, ':h')
  end
  if vim.fn.filewritable(existing) == 2 then
    ok('kept in ' .. folder)
  else
    warn(('%s cannot be written: the history is kept until the server stops'):format(folder),
      { 'Make the folder writable, or name another one in the setting history.folder.' })
  end
end

local function check_trust()
  start('relay: trust')
  if config.options.trusted then
    ok('the passes and operators of relay.extensions are loaded')
  else
    info('passes and operators of relay.extensions are not loaded; setup({trusted = true}) allows it')
  end
end

function M.check()
  check_neovim()
  check_server()
  check_history()
  check_trust()
end

return M
