-- Relay in Neovim: the client of relay-lsp, and its passes and history as commands. See :help relay.
local config = require('relay.config')

local M = {}

--- Start the server for Relay buffers. `options` may give `cmd` and `settings`.
function M.setup(options)
  config.options = vim.tbl_deep_extend('force', config.options, options or {})
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
      if vim.lsp.start then
        vim.lsp.start(vim.tbl_extend('force', config.client(), { root_dir = vim.fn.getcwd() }))
        return
      end
      local client = vim.tbl_extend('force', config.client(), { root_dir = vim.fn.getcwd() })
      M.legacy_client = M.legacy_client or vim.lsp.start_client(client)
      vim.lsp.buf_attach_client(event.buf, M.legacy_client)
    end,
  })
end

--- The client that serves a buffer, or nil and a message.
function M.client(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local client = get({ bufnr = buffer or 0, name = 'relay' })[1]
  if not client then
    vim.notify('No Relay server serves this buffer.', vim.log.levels.WARN)
  end
  return client
end

local function request(method, params, callback)
  local client = M.client()
  if not client then
    return
  end
  local buffer = vim.api.nvim_get_current_buf()
  local function answered(err, result)
    if err then
      vim.notify(err.message or vim.inspect(err), vim.log.levels.ERROR)
    elseif callback then
      callback(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, buffer)
  else
    client.request(method, params, answered, buffer)
  end
end

local function this_document()
  return { textDocument = { uri = vim.uri_from_bufnr(0) } }
end

local function execute(command, what)
  local version = vim.lsp.util.buf_versions and vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]
  local argument = vim.tbl_extend('force', { uri = vim.uri_from_bufnr(0), version = version }, what)
  request('workspace/executeCommand', { command = command, arguments = { argument } }, function(result)
    if result and result.message then
      vim.notify(result.message)
    end
  end)
end

--- Split `A, B[x=[1, 2]]` at the commas outside brackets.
local function split_passes(text)
  local passes, depth, current = {}, 0, ''
  for character in (text .. ','):gmatch('.') do
    if character == ',' and depth == 0 then
      if vim.trim(current) ~= '' then
        passes[#passes + 1] = vim.trim(current)
      end
      current = ''
    else
      depth = depth + (character == '[' and 1 or character == ']' and -1 or 0)
      current = current .. character
    end
  end
  return passes
end

--- Run one pass, `Name` or `Name[option=value]`; without a name, choose one.
function M.run_pass(pass)
  if pass and pass ~= '' then
    execute('relay-lsp.runPipeline', { passes = { pass } })
    return
  end
  request('relay/passes', vim.empty_dict(), function(known)
    vim.ui.select(known, {
      prompt = 'Relay pass',
      format_item = function(item)
        return item.name .. ' — ' .. item.summary
      end,
    }, function(chosen)
      if chosen then
        execute('relay-lsp.runPass', { pass = chosen.name })
      end
    end)
  end)
end

--- Run a pipeline: the passes given, or the one configured for saving.
function M.run_pipeline(text)
  local passes = split_passes(text or '')
  execute('relay-lsp.runPipeline', #passes > 0 and { passes = passes } or {})
end

--- Choose a step of this buffer's history and open its text before and after as a diff.
function M.history()
  request('relay/history', this_document(), function(result)
    if #result.steps == 0 then
      vim.notify('No pass has changed this buffer yet.')
      return
    end
    vim.ui.select(result.steps, {
      prompt = 'Relay pass history',
      format_item = function(step)
        return string.format('%s  %.1f ms  %s', step.pass, step.milliseconds, step.time)
      end,
    }, function(step)
      if step then
        M.show_step(step)
      end
    end)
  end)
end

--- Open the text before and after a step side by side as a diff.
function M.show_step(step)
  local function open(side, split)
    request('relay/historyText', { id = step.id, side = side }, function(result)
      vim.cmd(split)
      local buffer = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, '\n', { plain = true }))
      vim.bo[buffer].buftype = 'nofile'
      vim.bo[buffer].bufhidden = 'wipe'
      vim.bo[buffer].filetype = 'relay'
      vim.bo[buffer].modifiable = false
      vim.cmd('diffthis')
      if side == 'before' then
        open('after', 'vertical new')
      end
    end)
  end
  open('before', 'tabnew')
end

--- Give the buffer the text it had before the newest step of its history, as one change that `u` undoes.
function M.go_back()
  local buffer = vim.api.nvim_get_current_buf()
  request('relay/history', this_document(), function(result)
    local step = result.steps[#result.steps]
    if not step then
      vim.notify('No pass has changed this buffer yet.')
      return
    end
    request('relay/historyText', { id = step.id, side = 'before' }, function(before)
      local lines = vim.split((before.text:gsub('\n$', '')), '\n', { plain = true })
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    end)
  end)
end

function M.restart()
  local client = M.client()
  if not client then
    return
  end
  local buffers = vim.lsp.get_buffers_by_client_id(client.id)
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop(true)
  else
    client.stop(true)
  end
  vim.defer_fn(function()
    for _, buffer in ipairs(buffers) do
      vim.api.nvim_exec_autocmds('FileType', { buffer = buffer })
    end
  end, 500)
end

local names

--- The names of the passes, for the command line's completion.
function M.complete(lead)
  if not names then
    local client = M.client()
    if not client then
      return {}
    end
    local answer
    if vim.fn.has('nvim-0.11') == 1 then
      answer = client:request_sync('relay/passes', vim.empty_dict(), 2000, 0)
    else
      answer = client.request_sync('relay/passes', vim.empty_dict(), 2000, 0)
    end
    if not answer or not answer.result then
      return {}
    end
    names = vim.tbl_map(function(item)
      return item.name
    end, answer.result)
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name:lower(), lead:lower())
  end, names)
end

return M
