-- Relay in Neovim: the client of relay-lsp, and its passes and history as commands. See :help relay.
local client = require('relay.client')
local config = require('relay.config')

local M = {}

--- Show diagnostics behind their lines, for this server only: Neovim 0.11 does not by itself, 0.7 always does.
local function show_virtual_text()
  if vim.fn.exists('##LspAttach') == 0 then
    return
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    group = vim.api.nvim_create_augroup('relay_virtual_text', { clear = true }),
    callback = function(event)
      local attached = vim.lsp.get_client_by_id(event.data.client_id)
      if attached and attached.name == 'relay' and config.options.virtual_text then
        for _, pulls in ipairs({ false, true }) do
          local ok, namespace = pcall(vim.lsp.diagnostic.get_namespace, attached.id, pulls)
          if ok then
            vim.diagnostic.config({ virtual_text = true }, namespace)
          end
        end
      end
    end,
  })
end

--- Start the server for Relay buffers. `options` may give `cmd`, `settings`, `virtual_text` and `trusted`.
function M.setup(options)
  config.options = vim.tbl_deep_extend('force', config.options, options or {})
  show_virtual_text()
  if vim.lsp.config then
    vim.lsp.config('relay', config.client())
    vim.lsp.enable('relay')
    return
  end
  -- Neovim before 0.11 has neither vim.lsp.config nor vim.lsp.enable.
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'relay',
    group = vim.api.nvim_create_augroup('relay', { clear = true }),
    callback = function(event)
      local given = vim.tbl_extend('force', config.client(), { root_dir = vim.fn.getcwd() })
      if vim.lsp.start then
        vim.lsp.start(given)
        return
      end
      M.legacy_client = M.legacy_client or vim.lsp.start_client(given)
      vim.lsp.buf_attach_client(event.buf, M.legacy_client)
    end,
  })
end

--- A few words for the status line: `Relay`, and what the server is doing where it is doing something.
function M.status()
  local state = config.state
  if state.state == 'working' then
    return 'Relay: ' .. state.message
  end
  return state.state == 'ready' and 'Relay' or 'Relay: ' .. state.state
end

--- Stop the server and start it again.
function M.restart()
  local running = client.find()
  if not running then
    return
  end
  require('relay.passes').forget()
  local buffers = vim.lsp.get_buffers_by_client_id(running.id)
  if vim.fn.has('nvim-0.11') == 1 then
    running:stop(true)
  else
    running.stop(true)
  end
  vim.defer_fn(function()
    for _, buffer in ipairs(buffers) do
      vim.api.nvim_exec_autocmds('FileType', { buffer = buffer })
    end
  end, 500)
end

return M
