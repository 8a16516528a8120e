-- Asking the server, on every version of Neovim from 0.7 on.
local messages = require('relay.messages')
local M = {}

-- How long a command waits for a server that has just been started, in milliseconds.
local STARTING = 5000

-- The code of an answer to what the user has cancelled, and has seen a message about.
local CANCELLED = -32800

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
    messages.say('No Relay server serves this buffer: see :checkhealth relay.', vim.log.levels.WARN)
  end
  return client
end

--- Ask the server that serves `buffer`; the answer goes to `callback`, a refusal to the user, and both call `ended`.
--- Gives the client and the number of the request, by which it can be cancelled.
function M.request(method, params, callback, buffer, ended)
  buffer = buffer or vim.api.nvim_get_current_buf()
  -- A command may be given while the server starts.
  if #M.all(buffer) == 0 and require('relay.server').find() then
    vim.wait(STARTING, function() return #M.all(buffer) > 0 end, 20)
  end
  local client = M.find(buffer)
  if not client then
    return
  end
  local function answered(err, result)
    if ended then
      ended()
    end
    if err and err.code == CANCELLED then
      return
    elseif err then
      messages.say(err.message or vim.inspect(err), vim.log.levels.ERROR)
    elseif callback then
      callback(result ~= vim.NIL and result or nil)
    end
  end
  local sent, id
  if vim.fn.has('nvim-0.11') == 1 then
    sent, id = client:request(method, params, answered, buffer)
  else
    sent, id = client.request(method, params, answered, buffer)
  end
  return sent and { client = client, id = id } or nil
end

-- The commands that the server works on, by a number of our own.
local running = {}
local count = 0

--- Stop what the servers work on: what is cancelled leaves the buffers as they are.
function M.cancel()
  local stopped = 0
  for _, client in ipairs(M.all()) do
    -- The work that the server has reported, by the tokens of its progress; Neovim has them from 0.10 on.
    for token in pairs(client.progress and client.progress.pending or {}) do
      stopped = stopped + 1
      if vim.fn.has('nvim-0.11') == 1 then
        client:notify('window/workDoneProgress/cancel', { token = token })
      else
        client.notify('window/workDoneProgress/cancel', { token = token })
      end
    end
  end
  for _, asked in pairs(running) do
    stopped = stopped + 1
    if vim.fn.has('nvim-0.11') == 1 then
      asked.client:cancel_request(asked.id)
    else
      asked.client.cancel_request(asked.id)
    end
  end
  messages.say(stopped > 0 and 'The Relay passes that ran are cancelled.' or 'No Relay pass runs.')
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
  count = count + 1
  local number = count
  running[number] = M.request('workspace/executeCommand', { command = command, arguments = { argument } }, function(result)
    if result and result.message and result.applied then
      messages.say(result.message)
    end
    if result and result.position and window ~= -1 then
      move_cursor(window, buffer, result.position, (M.find(buffer, true) or {}).offset_encoding)
    end
    if done then
      done(result)
    end
  end, buffer, function() running[number] = nil end)
end

return M
