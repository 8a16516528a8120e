-- Relay in Neovim: the client of relay-lsp, and its passes and history as commands. See :help relay.
local config = require('relay.config')

local M = {}

--- Show diagnostics behind their lines, for this server only: Neovim 0.11 does not by itself.
local function show_virtual_text()
  vim.api.nvim_create_autocmd('LspAttach', {
    group = vim.api.nvim_create_augroup('relay_virtual_text', { clear = true }),
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'relay' and config.options.virtual_text then
        for _, pulls in ipairs({ false, true }) do
          local ok, namespace = pcall(vim.lsp.diagnostic.get_namespace, client.id, pulls)
          if ok then
            vim.diagnostic.config({ virtual_text = true }, namespace)
          end
        end
      end
    end,
  })
end

--- Start the server for Relay buffers. `options` may give `cmd`, `settings` and `virtual_text`.
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

local function request(method, params, callback, buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local client = M.client(buffer)
  if not client then
    return
  end
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

local function choose_pass(callback)
  request('relay/passes', vim.empty_dict(), function(known)
    vim.ui.select(known, {
      prompt = 'Relay pass',
      format_item = function(item)
        return item.name .. ' — ' .. item.summary
      end,
    }, function(chosen)
      if chosen then
        callback(chosen)
      end
    end)
  end)
end

--- Run one pass, `Name` or `Name[option=value]`; without a name, choose one.
function M.run_pass(pass)
  if pass and pass ~= '' then
    execute('relay-lsp.runPipeline', { passes = { pass } })
    return
  end
  choose_pass(function(chosen)
    execute('relay-lsp.runPass', { pass = chosen.name })
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

--- Fill the window with a text that cannot be edited, as one side of a diff.
local function show_side(name, text)
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  -- The colours of Relay, but not its filetype: no server is to look at a text that is no file.
  vim.bo[buffer].syntax = 'relay'
  vim.bo[buffer].modifiable = false
  vim.b[buffer].relay_text = name
  vim.cmd('diffthis')
end

--- Open the text before and after a step side by side as a diff.
function M.show_step(step)
  local source = vim.api.nvim_get_current_buf()
  local function text(side, callback)
    request('relay/historyText', { id = step.id, side = side }, function(result)
      callback(result.text)
    end, source)
  end
  text('before', function(before)
    text('after', function(after)
      vim.cmd('tabnew')
      show_side('before ' .. step.pass, before)
      vim.cmd('rightbelow vertical new')
      show_side('after ' .. step.pass, after)
    end)
  end)
end

--- Show what passes would make of the buffer as a diff beside it, and which operators come and go.
function M.preview(text)
  local passes = split_passes(text or '')
  if #passes == 0 then
    choose_pass(function(chosen)
      M.preview(chosen.name)
    end)
    return
  end
  local params = vim.tbl_extend('force', this_document(), { passes = passes })
  request('relay/preview', params, function(result)
    local refused = result.failed
    if refused and refused ~= vim.NIL then
      vim.notify(refused, vim.log.levels.ERROR)
      return
    elseif not result.changed then
      vim.notify(text .. ' changes nothing here.')
      return
    end
    local counts = {}
    for _, step in ipairs(result.steps) do
      for operator, count in pairs(step.operators) do
        counts[#counts + 1] = string.format('%s %+d', operator, count)
      end
    end
    table.sort(counts)
    vim.cmd('tab split')
    vim.cmd('diffthis')
    vim.cmd('rightbelow vertical new')
    show_side('preview ' .. text, result.after)
    vim.notify(text .. ': ' .. (#counts > 0 and table.concat(counts, ', ') or 'every operator stays'))
  end)
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
  -- In a pipeline the names before the last comma are done.
  local done, begun = lead:match('^(.*,%s*)([^,]*)$')
  done, begun = done or '', (begun or lead):lower()
  local found = {}
  for _, name in ipairs(names) do
    if vim.startswith(name:lower(), begun) then
      found[#found + 1] = done .. name
    end
  end
  return found
end

return M
