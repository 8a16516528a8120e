-- The settings of the client, and what they are by default.
local M = {}

M.options = {
  -- The command that starts the server; without one it is that of :RelayInstall, or `relay-lsp serve` of the PATH.
  cmd = nil,
  -- The Python that :RelayInstall uses; without one it looks on the PATH.
  python = nil,
  -- Whether diagnostics stand behind their lines.
  virtual_text = true,
  -- Whether a small window shows what the server works on, with a button that cancels it.
  progress = true,
  -- Heads of functions that take more than so many lines of the screen are folded; 0 folds none.
  fold_heads = 8,
  -- Whether the server may load the passes and operators of `relay.extensions`, which are Python programs.
  trusted = false,
  settings = {
    relay = {
      pipeline = { 'SimplifyInference', 'EliminateCommonSubexpr' },
      applyOnSave = false,
    },
  },
}

-- Whether setup() was called.
M.set_up = false

-- What the server last said of itself.
M.state = { state = 'stopped', message = '' }

-- The server starts in this folder, where nothing but our own files lie: Python may import from the one that it is
-- started in, which would be the one that the user looks at.
M.folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')

--- The configuration of the client whose server `command` starts.
function M.client(command)
  return {
    name = 'relay',
    cmd = command,
    cmd_cwd = M.folder,
    filetypes = { 'relay' },
    root_markers = { '.git' },
    settings = M.options.settings,
    init_options = vim.tbl_extend('force', M.options.settings.relay or {}, {
      trusted = M.options.trusted,
      folder = vim.fn.getcwd(),
    }),
    handlers = {
      ['window/showMessage'] = require('relay.messages').from_server,
      ['$/progress'] = require('relay.progress').handler,
      ['relay/status'] = function(_, status)
        M.state = status
        vim.cmd('redrawstatus!')
      end,
    },
    on_exit = function()
      M.state = { state = 'stopped', message = '' }
      require('relay.progress').forget()
    end,
  }
end

return M
