-- Asking the server, on every version of Neovim from 0.7 on.
local M = {}

--- All clients of Relay servers; with a `buffer` those that serve it.
function M.all(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  -- Neovim before 0.8 gives all clients, whatever is asked for.
  return vim.tbl_filter(function(client) return client.name == 'relay' end, get({ bufnr = buffer, name = 'relay' }))
end

--- The client that serves a buffer, or nil; `quietly` without a message.
function M.find(buffer, quietly)
  local client = M.all(buffer or 0)[1]
  if not client and not quietly then
    vim.notify('No Relay server serves this buffer: see :checkhealth relay.', vim.log.levels.WARN)
  end
  return client
end

--- Ask the server that serves `buffer`; the answer goes to `callback`, a refusal to the user.
function M.request(method, params, callback, buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local client = M.find(buffer)
  if not client then
    return
  end
  local function answered(err, result)
    if err then
      vim.notify(err.message or vim.inspect(err), vim.log.levels.ERROR)
    elseif callback then
      callback(result ~= vim.NIL and result or nil)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, buffer)
  else
    client.request(method, params, answered, buffer)
  end
end

--- Ask and wait for the answer, nil where there is none in two seconds.
function M.request_sync(method, params)
  local client = M.find()
  if not client then
    return nil
  end
  local answer
  if vim.fn.has('nvim-0.11') == 1 then
    answer = client:request_sync(method, params, 2000, 0)
  else
    answer = client.request_sync(method, params, 2000, 0)
  end
  return answer and answer.result
end

--- The parameters of a request about a buffer.
function M.document(buffer, more)
  return vim.tbl_extend('force', { textDocument = { uri = vim.uri_from_bufnr(buffer or 0) } }, more or {})
end

--- Where the cursor is, as the server counts.
function M.position()
  local client = M.find(0, true)
  local encoding = client and client.offset_encoding or 'utf-16'
  return vim.lsp.util.make_position_params(0, encoding).position
end

--- Put the cursor of a window where the server says, with its line at the same height on the screen.
local function move_cursor(window, buffer, position, encoding)
  if not vim.api.nvim_win_is_valid(window) or vim.api.nvim_win_get_buf(window) ~= buffer then
    return
  end
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1] or ''
  local characters = math.min(position.character, vim.str_utfindex(line))
  local column = encoding == 'utf-8' and position.character or vim.str_byteindex(line, characters, encoding == 'utf-16')
  vim.api.nvim_win_call(window, function()
    local view = vim.fn.winsaveview()
    view.topline = math.max(1, position.line + 1 - (view.lnum - view.topline))
    view.lnum, view.col = position.line + 1, math.min(column, #line)
    vim.fn.winrestview(view)
  end)
end

--- Run one of the server's commands on a buffer as it is now, and tell when it is done; `done` is called afterwards.
--- Why a command did nothing, the server tells by itself. The cursor stays at the value that it stood at.
function M.execute(command, what, buffer, done)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local version = vim.lsp.util.buf_versions and vim.lsp.util.buf_versions[buffer]
  local window = vim.fn.bufwinid(buffer)
  local position
  if window ~= -1 then
    position = vim.api.nvim_win_call(window, M.position)
  end
  local argument = { uri = vim.uri_from_bufnr(buffer), version = version, position = position }
  argument = vim.tbl_extend('force', argument, what)
  M.request('workspace/executeCommand', { command = command, arguments = { argument } }, function(result)
    if result and result.message and result.applied then
      vim.notify(result.message)
    end
    if result and result.position and window ~= -1 then
      move_cursor(window, buffer, result.position, (M.find(buffer, true) or {}).offset_encoding)
    end
    if done then
      done(result)
    end
  end, buffer)
end

return M
