-- The settings of the client, and what they are by default.
local M = {}

M.options = {
  cmd = { 'relay-lsp', 'serve' },
  -- Whether diagnostics stand behind their lines.
  virtual_text = true,
  settings = {
    relay = {
      pipeline = { 'SimplifyInference', 'EliminateCommonSubexpr' },
      applyOnSave = false,
    },
  },
}

function M.client()
  return {
    name = 'relay',
    cmd = M.options.cmd,
    filetypes = { 'relay' },
    root_markers = { '.git' },
    settings = M.options.settings,
    init_options = M.options.settings.relay,
  }
end

return M
