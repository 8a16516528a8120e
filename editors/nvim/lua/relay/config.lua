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

-- The server starts in this folder, where nothing but our own files lie: Python may import from the one that it is
-- started in, which is the one that the user looks at.
local folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')

-- The command, its program in full where it is named relative to Neovim's folder.
local function command()
  local program = M.options.cmd[1]
  if not program:find('[/\\]') then
    return M.options.cmd
  end
  return vim.list_extend({ vim.fn.fnamemodify(program, ':p') }, M.options.cmd, 2)
end

function M.client()
  return {
    name = 'relay',
    cmd = command(),
    cmd_cwd = folder,
    filetypes = { 'relay' },
    root_markers = { '.git' },
    settings = M.options.settings,
    init_options = vim.tbl_extend('force', M.options.settings.relay or {}, {
      trusted = M.options.trusted,
      folder = vim.fn.getcwd(),
    }),
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
