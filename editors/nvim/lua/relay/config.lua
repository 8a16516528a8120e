-- The settings of the client, and what they are by default.
local M = {}

M.options = {
  cmd = { 'relay-lsp', 'serve' },
  -- Whether diagnostics stand behind their lines.
  virtual_text = true,
  -- Whether the server may load the passes and operators of `relay.extensions`, which are Python programs.
  trusted = false,
  settings = {
    relay = {
      pipeline = { 'SimplifyInference', 'EliminateCommonSubexpr' },
      applyOnSave = false,
    },
  },
}

-- What the server last said of itself.
M.state = { state = 'stopped', message = '' }

function M.client()
  return {
    name = 'relay',
    cmd = M.options.cmd,
    filetypes = { 'relay' },
    root_markers = { '.git' },
    settings = M.options.settings,
    init_options = vim.tbl_extend('force', M.options.settings.relay or {}, { trusted = M.options.trusted }),
    handlers = {
      ['relay/status'] = function(_, status)
        M.state = status
        vim.cmd('redrawstatus!')
      end,
    },
    on_exit = function()
      M.state = { state = 'stopped', message = '' }
    end,
  }
end

return M
