-- Relay in Neovim: the client of relay-lsp, and its passes and history as commands. See :help relay.
local client = require('relay.client')
local config = require('relay.config')
local server = require('relay.server')

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

local function is_relay_file(buffer)
  return vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'relay' and vim.bo[buffer].buftype == ''
end

--- Start the server for a buffer. Neovim before 0.11 has neither vim.lsp.config nor vim.lsp.enable, which do it alone.
local function attach(buffer, command)
  local given = vim.tbl_extend('force', config.client(command), { root_dir = vim.fn.getcwd() })
  if vim.lsp.start then
    vim.api.nvim_buf_call(buffer, function() vim.lsp.start(given) end)
    return
  end
  if not M.legacy_client or not vim.lsp.get_client_by_id(M.legacy_client) then
    M.legacy_client = vim.lsp.start_client(given)
  end
  vim.lsp.buf_attach_client(buffer, M.legacy_client)
end

--- Start the server for all Relay buffers, or tell why that cannot be.
function M.start()
  local buffers = vim.tbl_filter(is_relay_file, vim.api.nvim_list_bufs())
  if #buffers > 0 then
    server.tell_what_is_missing()
  end
  local command = server.find()
  if not command then
    return
  end
  if vim.lsp.config then
    vim.lsp.config('relay', config.client(command))
    vim.lsp.enable('relay')
    return
  end
  for _, buffer in ipairs(buffers) do
    attach(buffer, command)
  end
end

--- Serve Relay buffers. `options` may give `cmd`, `python`, `settings`, `virtual_text` and `trusted`.
function M.setup(options)
  config.options = vim.tbl_deep_extend('force', config.options, options or {})
  config.set_up = true
  show_virtual_text()
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'relay',
    group = vim.api.nvim_create_augroup('relay', { clear = true }),
    callback = function(event)
      -- What vim.lsp.enable has in hand needs nothing more; a server that was not there before is started now.
      if is_relay_file(event.buf) and not (vim.lsp.is_enabled and vim.lsp.is_enabled('relay')) then
        vim.schedule(M.start)
      end
    end,
  })
  M.start()
end

--- A few words for the status line: `Relay`, and what the server is doing where it is doing something.
function M.status()
  local state = config.state
  if state.state == 'working' then
    return 'Relay: ' .. state.message
  end
  return state.state == 'ready' and 'Relay' or 'Relay: ' .. state.state
end

--- Stop the server; `done` is called when it is gone.
function M.stop(done)
  require('relay.passes').forget()
  local running = client.all()
  for _, each in ipairs(running) do
    if vim.fn.has('nvim-0.11') == 1 then
      each:stop(true)
    else
      each.stop(true)
    end
  end
  vim.defer_fn(done, #running > 0 and 500 or 0)
end

--- Stop the server and start it again, or start it where none is running.
function M.restart()
  M.stop(M.start)
end

return M
